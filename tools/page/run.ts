// The page under load: `npm run measure -- page [paint | scroll | load | search] [--minutes 5] [--messages 1000000]` (Linux, Chromium).
// First paint, scrolling through 100,000 messages, what 300 messages a second through 20 entities cost the emulator with the page open and
// without, and how long others wait beside a search over 1,000,000 messages.

import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CHROMIUM } from '../../compat-tests/support/chromium.js';
import { Dashboard } from '../../compat-tests/support/dashboard.js';
import { Jitney } from '../../compat-tests/support/jitney.js';
import { temporaryDirectory } from '../../compat-tests/support/temporary-directory.js';
import { fillQueue as fillBacklog } from '../bench/million/fill.js';
import { BATCH_COUNT } from '../bench/million/message-series.js';
import {
  longestProcessorTime,
  longestTask,
  sampleHeapMb,
  scrollToEnd,
  watchLongTasks,
} from './browser-probe.js';
import { FigureTable } from './figures.js';
import { FULL_RATE, fillQueue, Load, QUEUES } from './load.js';
import { cpuSeconds, residentMb } from './process-probe.js';
import { measureBesideSearch } from './search-beside.js';

const PAINTS = 7;
const MESSAGES = 100_000;
const PAINT_LIMIT_MS = 200;
const BESIDE_LIMIT_MS = 250;
const STALL_LIMIT_MS = 50;
const CPU_LIMIT = 1.1;
/** Memory may be so much more at the end than after the first minute. */
const GROWTH_LIMIT = 1.15;
/** Long enough for a figure of CPU, short enough that both kinds see the same machine. */
const SLICE_MS = 5000;
/** Opening the page sends it all that is kept, once: that is no part of a slice. */
const SETTLED_MS = 1500;

const BACKLOG = 'backlog';

const PARTS = {
  paint: measurePaint,
  scroll: measureScrolling,
  load: measureLoad,
  search: measureSearch,
} as const;
const table = new FigureTable();

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '5' },
    messages: { type: 'string', default: '1000000' },
  },
});
const minutes = Number(values.minutes);
const messageCount = Math.ceil(Number(values.messages) / BATCH_COUNT) * BATCH_COUNT;
const unknown = positionals.find((name) => !Object.hasOwn(PARTS, name));
const needsChromium = positionals.length === 0 || positionals.some((name) => name !== 'search');
if (
  (needsChromium && CHROMIUM === undefined) ||
  !(minutes > 0) ||
  !(messageCount > 0) ||
  unknown !== undefined
) {
  const parts = Object.keys(PARTS).join(', ');
  console.error(
    `This needs Chromium (apt-get install chromium), --minutes and --messages above 0, and of ${parts} those to measure.`,
  );
  process.exit(2);
}
for (const [name, measure] of Object.entries(PARTS)) {
  if (positionals.length === 0 || positionals.includes(name)) await measure();
}
table.print();

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
  table.add('first paint, median', paints[Math.floor(PAINTS / 2)] ?? Number.NaN, {
    unit: 'ms',
    limit: PAINT_LIMIT_MS,
  });
}

async function measureScrolling(): Promise<void> {
  await using jitney = await Jitney.start({ queues: QUEUES });
  await fillQueue(jitney, MESSAGES);
  await using dashboard = await Dashboard.open(jitney, { motion: 'no-preference' });
  await dashboard.go('e/work-0/active');
  await dashboard.page.locator('.messages tbody tr[aria-rowindex]').first().waitFor();
  await watchLongTasks(dashboard);
  let rows = 0;
  const processorMs = await longestProcessorTime(dashboard, async () => {
    rows = await scrollToEnd(dashboard);
  });
  table.add(`processor time of the longest task while ${MESSAGES} messages are scrolled`, processorMs, {
    unit: 'ms',
    limit: STALL_LIMIT_MS,
  });
  table.add('longest task meanwhile, with its waits for the processor', await longestTask(dashboard), {
    unit: 'ms',
  });
  table.add('messages that were not reached', Math.max(0, MESSAGES - rows), { unit: 'rows', limit: 0 });
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
  const inTheEnd = 'at the end, of that after the first slice';
  table.add(`messages a second of ${FULL_RATE} that were completed`, rate, { unit: 'messages' });
  table.add('CPU of the emulator with the page open, of that without', sum(open) / sum(closed), {
    limit: CPU_LIMIT,
  });
  table.add('longest task of the page', longest, { unit: 'ms' });
  table.add(`memory of the page ${inTheEnd}`, last.heap / (first?.heap ?? 1), { limit: GROWTH_LIMIT });
  table.add(`memory of the process ${inTheEnd}`, last.resident / (first?.resident ?? 1), {
    limit: GROWTH_LIMIT,
  });
}

async function measureSearch(): Promise<void> {
  await using folder = await temporaryDirectory();
  const queues = [`${BACKLOG}?maxSizeInMegabytes=5120`, 'others'];
  await using jitney = await Jitney.start({ queues, dataDirectory: folder.path });
  const { port } = jitney.address;
  await fillBacklog(port, { queue: BACKLOG, messageCount, tell: (line) => console.log(`  ${line}`) });
  const { alone, besideSearch, searchedPerSecond } = await measureBesideSearch(jitney, 'others');
  table.add('99th percentile of a send, nobody searches', alone, { unit: 'ms' });
  table.add(`99th percentile of a send beside a search over ${messageCount} messages`, besideSearch, {
    unit: 'ms',
    limit: BESIDE_LIMIT_MS,
  });
  table.add('messages that the search looks at in a second', searchedPerSecond, { unit: 'messages' });
}

async function cpuOf(pid: number): Promise<number> {
  const before = cpuSeconds(pid);
  await sleep(SLICE_MS);
  return cpuSeconds(pid) - before;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
