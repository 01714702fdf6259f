// Figures from inside the browser: the longest task of the page, its memory, and how far a list has been scrolled.

import type { Dashboard } from '../../compat-tests/support/dashboard.js';

const BYTES_PER_MB = 1024 * 1024;
const STEPS_PER_ROUND = 60;
const MAX_ROUNDS = 400;

/** Notes tasks above 50 ms from now on; shorter ones are none. */
export async function watchLongTasks(dashboard: Dashboard): Promise<void> {
  await dashboard.page.evaluate(`
    window.longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
    }).observe({ type: 'longtask' });
  `);
}

/** Milliseconds; 0 if no task took 50. */
export async function longestTask({ page }: Dashboard): Promise<number> {
  return Number(await page.evaluate('window.longest'));
}

type TraceEvent = {
  readonly ph: string;
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of processor time. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
};

/**
 * Runs the work, and resolves with the most processor time in milliseconds that one task of the page took meanwhile. Unlike its length,
 * this is the same however busy the machine is.
 */
export async function longestProcessorTime({ page }: Dashboard, work: () => Promise<void>): Promise<number> {
  const session = await page.context().browser()?.newBrowserCDPSession();
  if (session === undefined) throw new Error('The page has no browser whose tasks could be traced.');
  const threads = new Set<string>();
  const longest = new Map<string, number>();
  session.on('Tracing.dataCollected', ({ value }) => {
    for (const event of value as unknown as readonly TraceEvent[]) {
      const thread = `${event.pid} ${event.tid}`;
      if (event.name === 'thread_name' && event.args.name === 'CrRendererMain') threads.add(thread);
      if (event.name !== 'RunTask' || event.ph !== 'X') continue;
      longest.set(thread, Math.max(longest.get(thread) ?? 0, event.tdur ?? 0));
    }
  });
  const includedCategories = ['__metadata', 'disabled-by-default-devtools.timeline'];
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories } });
  await work();
  const isComplete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await isComplete;
  await session.detach();
  const most = Math.max(0, ...[...threads].map((thread) => longest.get(thread) ?? 0));
  if (most === 0) throw new Error('The browser has traced no task of the page.');
  return most / 1000;
}

/** Megabytes of the page's heap after a collection. */
export async function sampleHeapMb({ page }: Dashboard): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / BYTES_PER_MB;
}

/** Scrolls as with a wheel, frame by frame, until the list is no longer. Answers how many rows it is high. */
export async function scrollToEnd({ page }: Dashboard): Promise<number> {
  let [height, rounds] = [0, 0];
  for (; rounds < MAX_ROUNDS; rounds++) {
    const now = Number(
      await page.evaluate(`new Promise((done) => {
        const list = document.querySelector('.messages').closest('.rows');
        let step = 0;
        const scroll = () => {
          list.scrollTop += list.clientHeight;
          if (++step < ${STEPS_PER_ROUND}) requestAnimationFrame(scroll);
          else done(list.scrollHeight);
        };
        scroll();
      })`),
    );
    const isAtEnd = await page.evaluate(`(() => {
      const list = document.querySelector('.messages').closest('.rows');
      return list.scrollTop + list.clientHeight >= list.scrollHeight - 1;
    })()`);
    if (isAtEnd === true && now === height) break;
    height = now;
  }
  return Math.round(height / 32);
}
