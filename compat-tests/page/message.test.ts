// One message in Chromium on the built product, at the sizes of a desk, a laptop, a tablet and a phone: its body can be read, its acts are in
// view, and it says why it is where it is. And a new message.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, sharedPage } from '../support/chromium.js';
import { callControl, countsOf } from '../support/control.js';
import { Dashboard } from '../support/dashboard.js';
import { Jitney } from '../support/jitney.js';
import { layoutProblems } from '../support/layout.js';
import { type ClosingClient, connect, receiveOne, sendBodies } from '../support/service-bus.js';

const SIZES = [
  [1440, 900],
  [1280, 720],
  [1024, 768],
  [390, 844],
] as const;
const LEAST_BODY = 240;
const BAR_HEIGHT = 48;
const BYTES = 300;
const ORDER = {
  orderId: 17,
  customer: { name: 'Ann', city: 'Oslo' },
  lines: [{ sku: 'a', price: -1 }],
  total: null,
};

describe.skipIf(CHROMIUM === undefined)('a message', () => {
  let jitney: Jitney;
  let client: ClosingClient;
  let dashboard: Dashboard;

  beforeAll(async () => {
    const queues = ['orders?maxDeliveryCount=3', 'bodies', 'resent'];
    jitney = await Jitney.start({ queues });
    client = connect(jitney.connectionString);
    await sendBodies(client, 'orders', [ORDER, ORDER], {
      messageId: 'ord-17',
      contentType: 'application/json',
      applicationProperties: { region: 'EU', 'a-long-name-of-a-property': 'a long value '.repeat(20) },
    });
    const receiver = client.createReceiver('orders');
    for (let delivery = 1; delivery <= 3; delivery++) {
      await receiver.abandonMessage(await receiveOne(receiver), { failure: 'sku not found' });
    }
    await receiver.deadLetterMessage(await receiveOne(receiver), {
      deadLetterReason: 'InvalidPayload',
      deadLetterErrorDescription: '/lines/0/price must be >= 0',
    });
    await receiver.close();
    await sendBodies(client, 'bodies', ['<order><to>Oslo</to></order>'], { contentType: 'application/xml' });
    await sendBodies(client, 'bodies', ['say "hi"\nand go'], { contentType: 'text/plain' });
    await sendBodies(client, 'bodies', [
      Buffer.from(Array.from({ length: BYTES }, (_, index) => index % 256)),
    ]);
    dashboard = await Dashboard.open(jitney, { page: await sharedPage() });
  });
  afterAll(async () => {
    await dashboard[Symbol.asyncDispose]();
    await client.close();
    await jitney.stop();
  });

  const body = (page: Page) => page.getByRole('region', { name: 'The body' });

  describe.each(SIZES)('at %i x %i', (width, height) => {
    beforeAll(() => dashboard.resize(width, height));

    test('has its body first, its acts in view wherever it is scrolled to, and nothing cut', async () => {
      const { page } = dashboard;
      await dashboard.go('e/orders/dead/1');
      await body(page).getByText('"total"').waitFor();
      const box = await body(page).boundingBox();
      expect(box?.height).toBeGreaterThanOrEqual(LEAST_BODY);
      // The first lines can be read without scrolling.
      expect(box?.y).toBeLessThan(height / 2);
      await dashboard.shows('Delivered 3 times, the most that orders allows.');
      await dashboard.shows(/Abandoned 3 times by .*failure="sku not found"/);
      expect(
        await page
          .getByRole('region', { name: 'History' })
          .getByText(/abandoned/i)
          .count(),
      ).toBe(3);
      expect(await layoutProblems(page)).toEqual([]);
      await page
        .locator('main')
        .evaluate((main: { scrollTo(x: number, y: number): void }) => main.scrollTo(0, 9999));
      const acts = page.getByRole('toolbar', { name: 'Acts on the message' }).getByRole('button');
      for (const act of await acts.all()) {
        const { x = -1, y = -1, width: wide = 0, height: high = 0 } = (await act.boundingBox()) ?? {};
        expect(x).toBeGreaterThanOrEqual(0);
        expect(x + wide).toBeLessThanOrEqual(width);
        expect(y).toBeGreaterThanOrEqual(BAR_HEIGHT);
        expect(y + high).toBeLessThanOrEqual(height / 2);
      }
    });

    test('of bytes has 16 of them on a line', async () => {
      const { page } = dashboard;
      await dashboard.go('e/bodies/active/3');
      await body(page).getByText('000000').waitFor();
      const lines = (await body(page).locator('pre').innerText()).split('\n');
      expect(lines.length).toBe(Math.ceil(BYTES / 16));
      expect(lines[0]?.split('  ')[1]?.split(' ').length).toBe(16);
      // No line of the text takes two on the screen.
      const lineHeight = 18;
      const pre = await body(page).locator('pre').boundingBox();
      expect(pre?.height).toBeLessThan((lines.length + 2) * lineHeight);
      expect(await layoutProblems(page)).toEqual([]);
    });
  });

  describe('on a laptop', () => {
    beforeAll(() => dashboard.resize(1280, 720));
    const copied = () => dashboard.page.evaluate('navigator.clipboard.readText()') as Promise<string>;
    const dialog = () => dashboard.page.getByRole('dialog');

    test('is shown by its content: XML indented, a text as its sender wrote it', async () => {
      const { page } = dashboard;
      await dashboard.go('e/bodies/active/1');
      await body(page).getByText('<to>Oslo</to>').waitFor();
      expect(await body(page).innerText()).toBe('<order>\n  <to>Oslo</to>\n</order>');
      await dashboard.button('As sent').click();
      expect(await body(page).innerText()).toBe('"<order><to>Oslo</to></order>"');
      await dashboard.go('e/bodies/active/2');
      await body(page).getByText('say "hi"').waitFor();
      expect(await body(page).innerText()).toBe('say "hi"\nand go');
    });

    test('that its receiver dead-lettered says on which delivery, and does not contradict it', async () => {
      await dashboard.go('e/orders/dead/2');
      await dashboard.shows(/^Dead-lettered on its 1st delivery by .*, with the reason InvalidPayload\.$/);
      await dashboard.shows('/lines/0/price must be >= 0');
      expect(await dashboard.page.getByText(/delivered 0/i).count()).toBe(0);
    });

    test('is copied as JSON by a key, and as a command that sends it again', async () => {
      await dashboard.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await dashboard.go('e/orders/dead/2');
      await dashboard.shows('InvalidPayload');
      await dashboard.press('y');
      await dashboard.shows('Copied #2 of orders (dead-letter) as JSON.');
      expect(JSON.parse(await copied())).toMatchObject({ messageId: 'ord-17', body: { value: ORDER } });
      await dashboard.button('Copy as jitney send').click();
      await expect.poll(copied).toMatch(/^npx jitney send orders \\\n {2}--body '\{"orderId":17,/);
    });

    test('is taken for a new one, which begins with its destination and asks before it is lost', async () => {
      const { page } = dashboard;
      await dashboard.go('new?to=resentt');
      await dashboard.button("Did you mean 'resent'?").click();
      expect(await page.locator('#field-destination').inputValue()).toBe('resent');
      await page.locator('#field-destination').fill('orders');
      await dashboard.button('From a message…').click();
      await dialog()
        .getByRole('button', { name: /#2.*ord-17/ })
        .click();
      await page.getByRole('heading', { name: 'Edit and resend' }).waitFor();
      await page.locator('#field-destination').fill('resent');
      await page.locator('#field-subject').fill('again');
      await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click();
      await dialog().getByText('What you have written will be lost.').waitFor();
      await dialog().getByRole('button', { name: 'Cancel' }).click();
      expect(await page.locator('#field-subject').inputValue()).toBe('again');
      await dashboard.button(/^Send/).click();
      await dashboard.shows(/Sent #1/);
      await page.getByRole('link', { name: 'Open it' }).click();
      await dashboard.shows('ord-17');
      const receiver = client.createReceiver('resent');
      expect(await receiveOne(receiver)).toMatchObject({ subject: 'again', body: ORDER });
      await receiver.close();
    });

    test('is deleted after a question, and gone then', async () => {
      await callControl(jitney, 'messages?entity=resent', [{ messageId: 'gone' }]);
      await dashboard.go('e/resent/active/2');
      await dashboard.shows('gone');
      await dashboard.press('d');
      await dialog().getByText('Delete #2 of resent?').waitFor();
      await dialog().getByRole('button', { name: 'Delete' }).click();
      await dashboard.shows('Deleted #2 of resent.');
      expect((await countsOf(jitney, 'resent')).active).toBe(0);
      await dashboard.go('e/resent/active/2');
      await dashboard.shows(/#2 is not in resent/);
    });
  });
});
