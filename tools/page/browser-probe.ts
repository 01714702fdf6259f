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
