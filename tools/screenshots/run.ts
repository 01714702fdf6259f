// Pictures of the page, light and dark, over the traffic of a shop: `npm run screenshots [-- --docs] [-- --to <folder>]`.

import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CHROMIUM } from '../../compat-tests/support/chromium.js';
import { Dashboard } from '../../compat-tests/support/dashboard.js';
import { Shop } from './shop.js';

const USAGE = `Usage: npm run screenshots -- [--docs] [--to <folder>] [--width <pixels>]

  --docs   Write the pictures of docs/page anew.
  --to     Write all pictures to this folder, by default dist/screenshots.
  --width  The width of the window, by default 1440.`;
/** Traffic for the sparklines and the timeline. */
const TRAFFIC_MS = 20_000;
/** Answers that a screen asks for are there, and its tokens have moved. */
const SETTLED_MS = 1500;
const IN_DOCS = ['overview-light', 'message-light', 'timeline-light'];

const { values } = parseArgs({
  options: {
    docs: { type: 'boolean', default: false },
    to: { type: 'string', default: 'dist/screenshots' },
    width: { type: 'string', default: '1440' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help || CHROMIUM === undefined) {
  console.log(CHROMIUM === undefined ? 'This needs Chromium: apt-get install chromium.' : USAGE);
  process.exit(values.help ? 0 : 1);
}

const folder = resolve(values.docs ? 'docs/page' : values.to);
await mkdir(folder, { recursive: true });
console.log(`A shop works for ${TRAFFIC_MS / 1000} s ...`);
await using shop = await Shop.open();
await delay(TRAFFIC_MS);
const screens: readonly (readonly [name: string, place: string])[] = [
  ['overview', 'overview'],
  ['entity', 'e/orders/dead'],
  ['message', `e/orders/dead/${await shop.poisonNumber()}`],
  ['timeline', 'timeline'],
  ['flow', 'flow'],
  ['rules', 'rules/events'],
];
for (const theme of ['light', 'dark'] as const) {
  await using dashboard = await Dashboard.open(shop.jitney, { theme, width: Number(values.width) });
  for (const [name, place] of screens) {
    const picture = `${name}-${theme}`;
    if (values.docs && !IN_DOCS.includes(picture)) continue;
    await dashboard.go(place);
    await delay(SETTLED_MS);
    const path = join(folder, `${picture}.png`);
    await dashboard.page.screenshot({ path });
    console.log(path);
  }
}
