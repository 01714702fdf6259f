// The layout of each screen, measured in Chromium at the sizes of a desk, a laptop, a tablet and a phone: nothing is wider than the window,
// no control or column is out of reach, no text is cut without a title that says it whole, and the main act is in view.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, sharedPage } from '../support/chromium.js';
import { callControl } from '../support/control.js';
import { Dashboard } from '../support/dashboard.js';
import { Jitney } from '../support/jitney.js';
import { layoutProblems } from '../support/layout.js';

const LONG = 'team-00-service-00-with-a-name-that-goes-on-and-on-and-is-cut-in-its-middle-incoming';
const QUEUES = ['orders', 'payments', 'carts?requiresSession=true', LONG];
const SIZES = [
  [1440, 900],
  [1280, 720],
  [1024, 768],
  [390, 844],
] as const;
/** Each screen, and what one comes for: its main act, which is in view without scrolling. */
const SCREENS: readonly (readonly [address: string, act: (page: Page) => ReturnType<Page['locator']>])[] = [
  ['overview', (page) => page.getByRole('link', { name: /New message/ }).last()],
  ['flow', (page) => page.getByRole('heading', { name: 'Flow' }).first()],
  ['timeline', (page) => page.locator('[data-filter]')],
  ['e/orders/active', (page) => page.locator('.messages').first()],
  ['e/orders/dead', (page) => page.locator('.messages').first()],
  [`e/${LONG}/active`, (page) => page.locator('.messages').first()],
  ['e/orders/settings', (page) => page.getByRole('tab', { name: 'Settings' })],
  ['e/orders/rates', (page) => page.getByRole('tab', { name: 'Rates' })],
  ['e/events/scheduled', (page) => page.getByRole('heading', { name: 'events' }).first()],
  ['e/orders/dead/1', (page) => page.getByRole('button', { name: /Resubmit/ }).first()],
  ['e/orders/active/4', (page) => page.getByRole('button', { name: /Delete/ }).first()],
  ['new?to=orders', (page) => page.getByRole('button', { name: /^Send/ }).first()],
  ['rules/events', (page) => page.getByRole('heading', { name: /Rules/ }).first()],
  ['sessions', (page) => page.getByRole('heading', { name: /Sessions/ }).first()],
  ['connections', (page) => page.getByRole('heading', { name: 'Connections' }).first()],
  ['clock', (page) => page.getByRole('button', { name: /next due time/ })],
  ['connect', (page) => page.getByRole('button', { name: 'Copy' }).first()],
  ['about', (page) => page.getByRole('heading', { name: 'About' })],
  ['zzz', (page) => page.getByRole('link', { name: 'Go to the overview' })],
];

describe.skipIf(CHROMIUM === undefined)('at the sizes of a desk, a laptop, a tablet and a phone', () => {
  let jitney: Jitney;
  let dashboard: Dashboard;

  beforeAll(async () => {
    jitney = await Jitney.start({
      queues: QUEUES,
      extraArguments: ['--topic', 'events/audit+mail', '--label', 'shop'],
    });
    await fill(jitney);
    dashboard = await Dashboard.open(jitney, { page: await sharedPage() });
  });
  afterAll(async () => {
    await dashboard[Symbol.asyncDispose]();
    await jitney.stop();
  });

  test.each(SCREENS)('the screen %s is whole', async (address, act) => {
    const { page } = dashboard;
    await dashboard.go(address);
    await page.locator('main h1, main .problem').first().waitFor();
    await act(page).waitFor();
    await dashboard.settled();
    for (const [width, height] of SIZES) {
      await dashboard.resize(width, height);
      const box = await act(page).boundingBox();
      const inView = box !== null && box.y >= 48 && box.y + Math.min(box.height, 32) <= height;
      const problems = [...(await layoutProblems(page)), ...(inView ? [] : ['the main act is not in view'])];
      expect(problems, `${width}x${height}`).toEqual([]);
    }
  });

  test.each(SIZES)('the navigation reaches the tools at %i x %i', async (width, height) => {
    const { page } = dashboard;
    await page.setViewportSize({ width, height });
    await dashboard.go('overview');
    await page.locator('main h1').waitFor();
    if (width < 1024) await dashboard.button('Navigation').click();
    const entry = page.getByRole('navigation').getByRole('link', { name: 'Clock & faults' });
    const { y } = (await entry.boundingBox()) ?? { y: height };
    expect(y + 28).toBeLessThanOrEqual(height);
    await entry.click();
    await page.getByRole('heading', { name: 'Clock & faults' }).waitFor();
    expect(await layoutProblems(page)).toEqual([]);
  });
});

async function fill(jitney: Jitney): Promise<void> {
  const body = { orderId: 1, customer: { name: 'Ann' }, lines: [{ price: -1, note: 'x'.repeat(300) }] };
  const messages = Array.from({ length: 6 }, (_, index) => ({
    messageId: `ord-${index}-${'0'.repeat(60)}`,
    correlationId: `trip-${index}`,
    contentType: 'application/json',
    body,
  }));
  await callControl(jitney, 'messages?entity=orders', messages);
  await callControl(jitney, `messages?entity=${LONG}`, messages.slice(0, 2));
  await callControl(jitney, 'messages?entity=events', messages.slice(0, 2));
  await callControl(jitney, 'messages?entity=carts', [
    { sessionId: `customer-${'7'.repeat(80)}`, body: 'tea' },
  ]);
  await callControl(jitney, 'messages:dead-letter?entity=orders', {
    sequenceNumbers: [1, 2],
    reason: 'InvalidPayload',
    description: '/lines/0/price must be >= 0, and the note must have at most 200 characters',
  });
}
