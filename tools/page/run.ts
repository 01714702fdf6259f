// The page under load: `npm run measure -- page [paint | scroll | load] [--minutes 5]` (Linux, Chromium). First paint, scrolling through 100,000 messages, and what
// 500 messages a second through 20 entities cost the page and the emulator while the page is open.

import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CHROMIUM } from '../../compat-tests/support/chromium.js';
import { Dashboard } from '../../compat-tests/support/dashboard.js';
import { Jitney } from '../../compat-tests/support/jitney.js';
import { longestTask, sampleHeapMb, scrollToEnd, watchLongTasks } from './browser-probe.js';
import { FULL_RATE, fillQueue, Load, QUEUES } from './load.js';
import { cpuSeconds, residentMb } from './process-probe.js';

const PAINTS = 7;
const MESSAGES = 100_000;
const PAINT_LIMIT_MS = 200;
const STALL_LIMIT_MS = 50;
const CPU_LIMIT = 1.1;
/** Memory may be so much more at the end than after the first minute. */
const GROWTH_LIMIT = 1.15;
/** Long enough for a figure of CPU, short enough that both kinds see the same machine. */
const SLICE_MS = 5000;
/** Opening the page sends it all that is kept, once: that is no part of a slice. */
const SETTLED_MS = 1500;

const PARTS = { paint: measurePaint, scroll: measureScrolling, load: measureLoad } as const;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string', default: '5' } },
});
const minutes = Number(values.minutes);
const unknown = positionals.find((name) => !Object.hasOwn(PARTS, name));
if (CHROMIUM === undefined || !(minutes > 0) || unknown !== undefined) {
  const parts = Object.keys(PARTS).join(', ');
  console.error(
    `This needs Chromium (apt-get install chromium), --minutes above 0, and of ${parts} those to measure.`,
  );
  process.exit(2);
}
for (const [name, measure] of Object.entries(PARTS)) {
  if (positionals.length === 0 || positionals.includes(name)) await measure();
}

async function measurePaint(): Promise<void> {
  await using jitney = await Jitney.start({ queues: QUEUES });
  await using dashboard = await Dashboard.open(jitney, { motion: 'no-preference' });
  const paints: number[] = [];
  for (let count = 0; count < PAINTS; count++) {
    await dashboard.page.reload();
    await dashboard.page.locator('main h1').first().waitFor();
    const entry = "performance.getEntriesByName('first-contentful-paint')[0].startTime";
    paints.push((await dashboard.page.evaluate(entry)) as number);
  }
  paints.sort((one, other) => one - other);
  report('first paint, median', paints[Math.floor(PAINTS / 2)] ?? 0, 'ms', PAINT_LIMIT_MS);
}

async function measureScrolling(): Promise<void> {
  await using jitney = await Jitney.start({ queues: QUEUES });
  await fillQueue(jitney, MESSAGES);
  await using dashboard = await Dashboard.open(jitney, { motion: 'no-preference' });
  await dashboard.go('e/work-0/active');
  await dashboard.page.locator('.messages tbody tr[aria-rowindex]').first().waitFor();
  await watchLongTasks(dashboard);
  const rows = await scrollToEnd(dashboard);
  report(
    `longest task while ${MESSAGES} messages are scrolled (${rows} rows read)`,
    await longestTask(dashboard),
    'ms',
    STALL_LIMIT_MS,
  );
}

async function measureLoad(): Promise<void> {
  await using jitney = await Jitney.start({ queues: QUEUES });
  await using load = await Load.start(jitney);
  const { pid } = jitney.process;
  const slices = Math.max(2, Math.round((minutes * 60_000) / SLICE_MS / 2));
  const [closed, open]: [number[], number[]] = [[], []];
  let first: { readonly heap: number; readonly resident: number } | undefined;
  let last = { heap: 0, resident: 0 };
  let longest = 0;
  await using dashboard = await Dashboard.open(jitney, { motion: 'no-preference' });
  await cpuOf(pid); // until V8 has compiled what is often used
  for (let slice = 0; slice < slices; slice++) {
    await dashboard.page.goto('about:blank');
    await sleep(SETTLED_MS);
    closed.push(await cpuOf(pid));
    await dashboard.page.goto(`http://localhost:${jitney.address.port}/`);
    await dashboard.page.locator('main h1').first().waitFor();
    await sleep(SETTLED_MS);
    await watchLongTasks(dashboard);
    open.push(await cpuOf(pid));
    longest = Math.max(longest, await longestTask(dashboard));
    last = { heap: await sampleHeapMb(dashboard), resident: residentMb(pid) };
    first ??= last;
    console.log(
      `  ${slice + 1} of ${slices}: page ${last.heap.toFixed(1)} MB, process ${last.resident.toFixed(0)} MB`,
    );
  }
  const rate = load.rate();
  console.log(`${FULL_RATE} messages a second through ${QUEUES.length} queues: ${rate.toFixed(0)} were done`);
  report('CPU of the emulator with the page open, of that without', sum(open) / sum(closed), '', CPU_LIMIT);
  report('longest task of the page', longest, 'ms', Number.POSITIVE_INFINITY);
  report('memory of the page, at the end of that at first', last.heap / (first?.heap ?? 1), '', GROWTH_LIMIT);
  report(
    'memory of the process, at the end of that at first',
    last.resident / (first?.resident ?? 1),
    '',
    GROWTH_LIMIT,
  );
}

async function cpuOf(pid: number): Promise<number> {
  const before = cpuSeconds(pid);
  await sleep(SLICE_MS);
  return cpuSeconds(pid) - before;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function report(what: string, value: number, unit: string, limit: number): void {
  const isGood = value <= limit;
  if (!isGood) process.exitCode = 1;
  const text = `${value.toFixed(unit === '' ? 2 : 0)}${unit === '' ? '' : ` ${unit}`}`;
  const verdict = limit === Number.POSITIVE_INFINITY ? '' : isGood ? ': ok' : `: it must be at most ${limit}`;
  console.log(`${what}: ${text}${verdict}`);
}
