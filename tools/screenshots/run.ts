// Pictures of the page in three sizes, light and dark, over the traffic of a shop: `npm run screenshots [-- --docs] [-- --to <folder>]`.

import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CHROMIUM } from '../../compat-tests/support/chromium.js';
import { Dashboard } from '../../compat-tests/support/dashboard.js';
import { Shop } from './shop.js';

const USAGE = `Usage: npm run screenshots -- [--docs] [--to <folder>] [--size <name>]

  --docs  Write the pictures of docs/page again.
  --to    Write all pictures to this folder, by default dist/screenshots.
  --size  Only this size: desk (1440x900), laptop (1280x720) or phone (390x844).`;
const SIZES: Readonly<Record<string, { readonly width: number; readonly height: number }>> = {
  desk: { width: 1440, height: 900 },
  laptop: { width: 1280, height: 720 },
  phone: { width: 390, height: 844 },
};
/** As wide as a README is shown, and twice as sharp, so that its text can be read there. */
const DOCS = { width: 1000, scale: 2 };
/** The pictures of the docs with their heights: below the body of a message stands why it is there. */
const DOCS_HEIGHTS: Readonly<Record<string, number>> = { overview: 640, message: 1020, timeline: 640 };
/** Traffic for the sparklines and the timeline. */
const TRAFFIC_MS = 20_000;
/** Answers that a screen asks for are there, and its tokens have moved. */
const SETTLED_MS = 1500;

const { values } = parseArgs({
  options: {
    docs: { type: 'boolean', default: false },
    to: { type: 'string', default: 'dist/screenshots' },
    size: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.size !== undefined && SIZES[values.size] === undefined) {
  console.error(`--size must be ${Object.keys(SIZES).join(', ')}, and is '${values.size}'.`);
  process.exit(2);
}
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
const sizes = values.docs ? { docs: DOCS } : SIZES;
for (const [size, window] of Object.entries(sizes)) {
  if (!values.docs && size !== (values.size ?? size)) continue;
  for (const theme of values.docs ? (['light'] as const) : (['light', 'dark'] as const)) {
    await using dashboard = await Dashboard.open(shop.jitney, { theme, ...window });
    for (const [name, place] of screens) {
      const height = DOCS_HEIGHTS[name];
      if (values.docs) {
        if (height === undefined) continue;
        await dashboard.page.setViewportSize({ width: DOCS.width, height });
      }
      await dashboard.go(place);
      await delay(SETTLED_MS);
      const path = join(folder, values.docs ? `${name}-${theme}.png` : `${name}-${size}-${theme}.png`);
      await dashboard.page.screenshot({ path });
      console.log(path);
    }
  }
}
