// The timeline and the flow in Chromium: bars in their order and widths, follow, filter, and that all is in view at each size, measured from the layout.

import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceBusClient } from '@azure/service-bus';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, sharedPage } from '../support/chromium.js';
import { Dashboard } from '../support/dashboard.js';
import { Jitney } from '../support/jitney.js';
import { connect, receiveOne, sendBodies } from '../support/service-bus.js';

const PATIENCE = { timeout: 60_000 };
/** A delivery is held for so long, which its bar must show. */
const HELD_MS = 400;
/** Twice as many as there are rows in the page. */
const MANY = 120;
/** What the tests before that have sent. */
const BEFORE = 8;
const SIZES = [
  [1440, 900],
  [1280, 720],
  [1024, 768],
  [390, 844],
] as const;

type Box = { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };

/** Milliseconds of `40 ms` or `1.2 s`. */
function msOf(text: string): number {
  const [number = '', unit] = text.split(' ');
  return Number(number) * (unit === 's' ? 1000 : 1);
}

describe.skipIf(CHROMIUM === undefined)('the timeline', () => {
  let jitney: Jitney;
  let client: ServiceBusClient;
  let dashboard: Dashboard;

  beforeAll(async () => {
    jitney = await Jitney.start({
      queues: ['orders', 'parcels', 'quiet'],
      extraArguments: ['--topic', 'events/audit+mail'],
    });
    client = connect(jitney.connectionString);
    dashboard = await Dashboard.open(jitney, { page: await sharedPage() });
    const receiver = client.createReceiver('orders');
    await sendBodies(client, 'orders', ['box'], { messageId: 'o-1', correlationId: 'trip-1' });
    const first = await receiveOne(receiver);
    await delay(HELD_MS);
    await receiver.abandonMessage(first);
    const second = await receiveOne(receiver);
    await receiver.deadLetterMessage(second, {
      deadLetterReason: 'address-unknown',
      deadLetterErrorDescription: 'no such street',
    });
    await sendBodies(client, 'parcels', ['a', 'b', 'c'], { correlationId: 'trip-2' });
    await receiver.close();
  });

  afterAll(async () => {
    await dashboard[Symbol.asyncDispose]();
    await client.close();
    await jitney.stop();
  });

  const boxes = (selector: string): Promise<readonly Box[]> =>
    dashboard.page.locator(selector).evaluateAll((elements) =>
      elements.map((element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect();
        return { left, right, top, bottom };
      }),
    );
  const rows = () => dashboard.page.getByRole('table', { name: 'Messages' }).getByRole('row');
  const steps = () => dashboard.page.getByRole('list', { name: 'Steps' }).locator('li');

  test("a message's bar has its spans one behind the other, as long as they lasted, and says what they are", async () => {
    await dashboard.go('timeline?q=correlation%3Atrip-1');
    await expect.poll(() => rows().count(), PATIENCE).toBe(1);
    await rows().getByText('o-1').waitFor();
    await dashboard.page.locator('.tlbars .dead').waitFor();
    const kinds = await dashboard.page
      .locator('.tlbars .bar')
      .evaluateAll((bars) => bars.map((bar) => bar.className.replace('bar ', '')));
    expect(kinds).toEqual(['waiting', 'locked failed', 'waiting', 'locked', 'dead']);
    const [waiting, failed] = await boxes('.tlbars .bar');
    const widthOf = (box: Box | undefined) => (box?.right ?? 0) - (box?.left ?? 0);
    const bars = await boxes('.tlbars .bar');
    const gaps = bars.slice(1).map(({ left }, index) => Math.abs(left - (bars[index]?.right ?? Number.NaN)));
    expect(gaps).toHaveLength(4);
    for (const gap of gaps) expect(gap).toBeLessThanOrEqual(1);
    // The text of the row has the durations that the widths are to show.
    const text = (await rows().locator('.vh').textContent()) ?? '';
    const [, waited = '', held = ''] =
      /^waiting ([\d.]+ m?s), locked by .*?, abandoned ([\d.]+ m?s), /.exec(text) ?? [];
    expect(msOf(held)).toBeGreaterThanOrEqual(HELD_MS - 10);
    const ratio = msOf(waited) / msOf(held);
    expect(Math.abs(widthOf(waiting) / widthOf(failed) - ratio)).toBeLessThan(0.05 + ratio * 0.1);
    expect(text).toMatch(/dead-lettered: address-unknown/);
    await dashboard.page
      .getByTitle(/^Locked by .*, abandoned for [\d.]+ m?s, from \d\d:\d\d:\d\d\.\d{3}$/)
      .waitFor();
    // What is shown fits: soon after the last step, it begins at the left and fills most of the width.
    const filledPart = async () => {
      const [plot] = await boxes('.tlrows td');
      const [left = 0, right = 1] = [plot?.left, plot?.right];
      return (((await boxes('.tlbars .dead'))[0]?.left ?? 0) - left) / (right - left);
    };
    await expect.poll(filledPart, PATIENCE).toBeGreaterThan(0.7);
  });

  test('the axis is zoomed by keys, and fits again', async () => {
    const failed = '.tlbars .bar.failed';
    const [before] = await boxes(failed);
    await dashboard.press('-', '-');
    await dashboard.page.locator('button[aria-pressed="false"]', { hasText: 'Fit' }).waitFor();
    const [after] = await boxes(failed);
    expect((after?.right ?? 0) - (after?.left ?? 0)).toBeLessThan(
      ((before?.right ?? 0) - (before?.left ?? 0)) * 0.6,
    );
    await dashboard.press(...Array.from({ length: 8 }, () => 'ArrowLeft'));
    await dashboard.page.getByText('later ›').waitFor();
    await dashboard.press('0');
    await dashboard.page.locator(failed).waitFor();
  });

  test('its steps stand beside it, in their order; a chosen message is followed and opened by keys', async () => {
    await dashboard.go('timeline');
    await expect.poll(() => rows().count(), PATIENCE).toBe(4);
    await dashboard.press('j');
    await dashboard.page.locator('tr[aria-current="true"]').getByText('o-1').waitFor();
    await expect.poll(() => steps().count(), PATIENCE).toBe(5);
    expect(await steps().allTextContents()).toEqual([
      expect.stringMatching(/^Enqueued/),
      expect.stringMatching(/^Locked/),
      expect.stringMatching(/^Abandoned/),
      expect.stringMatching(/^Locked/),
      expect.stringMatching(/^Dead-lettered.*address-unknown/),
    ]);
    await dashboard.press('f');
    await dashboard.page.waitForURL(/q=correlation%3Atrip-1$/);
    await expect.poll(() => rows().count(), PATIENCE).toBe(1);
    await dashboard.press('j', 'o');
    await dashboard.page.waitForURL(/e\/orders\/dead\/1$/);
    await dashboard.go('timeline');
  });

  test('a filter shows the messages of an entity, and what comes to it', async () => {
    await dashboard.page.locator('[data-filter]').fill('entity:parcels');
    await expect.poll(() => rows().count(), PATIENCE).toBe(3);
    await sendBodies(client, 'parcels', ['d']);
    await sendBodies(client, 'orders', ['not shown'], { messageId: 'o-2' });
    await expect.poll(() => rows().count(), PATIENCE).toBe(4);
    const download = dashboard.page.waitForEvent('download');
    await dashboard.button('Export').click();
    const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).path)).toEqual(['parcels', 'parcels', 'parcels', 'parcels']);
    await dashboard.page.locator('[data-filter]').fill('session:none');
    await dashboard.shows('0 of 6 messages match.');
  });

  test('while it is paused nothing moves, and what came is there when it goes on', async () => {
    await dashboard.go('timeline?q=entity%3Aparcels');
    await expect.poll(() => rows().count(), PATIENCE).toBe(4);
    await dashboard.page.locator('main').focus();
    await dashboard.press('p');
    // The other queue is outside the filter, and links are no steps.
    await sendBodies(client, 'orders', ['not shown either'], { messageId: 'o-3' });
    await sendBodies(client, 'parcels', ['e']);
    await dashboard.shows(/1 new since/);
    expect(await rows().count()).toBe(4);
    await dashboard.press('p');
    await expect.poll(() => rows().count(), PATIENCE).toBe(5);
  });

  test('many messages: the newest are in view until the reader scrolls up', async () => {
    await dashboard.go('timeline');
    await sendBodies(
      client,
      'parcels',
      Array.from({ length: MANY }, (_, index) => index),
    );
    const last = () => dashboard.page.locator('tr[aria-rowindex]').last().getAttribute('aria-rowindex');
    await expect.poll(last, PATIENCE).toBe(String(BEFORE + MANY));
    await dashboard.page.locator('.tlrows').hover();
    await dashboard.page.mouse.wheel(0, -2000);
    await dashboard.button('Follow the newest').waitFor();
    await dashboard.settled();
    const read = await last();
    await sendBodies(client, 'parcels', ['one more']);
    await dashboard.shows(`${BEFORE + MANY + 1} messages`);
    expect(await last()).toBe(read);
    // It is not covered by what the page tells.
    const download = dashboard.page.waitForEvent('download');
    await dashboard.button('Export').click();
    await download;
    await dashboard.page.locator('.toast').waitFor();
    const [follow] = await boxes('.tlend');
    const [toast] = await boxes('.toast');
    expect(follow?.bottom).toBeLessThanOrEqual(toast?.top ?? 0);
    await dashboard.button('Follow the newest').click();
    await expect.poll(last, PATIENCE).toBe(String(BEFORE + MANY + 1));
    expect(await rows().count()).toBeLessThan(60);
  });

  test.each(SIZES)('at %ix%i rows, bars, steps and every control are in view', async (width, height) => {
    await dashboard.go('timeline?q=correlation%3Atrip-1');
    await dashboard.page.locator('.tlbars .bar').first().waitFor();
    await dashboard.resize(width, height);
    expect(await dashboard.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    const [panel] = await boxes('.tlcols > .panel:first-child');
    const [list] = await boxes('.tlsteps');
    expect((panel?.bottom ?? 0) - (panel?.top ?? 0)).toBeGreaterThanOrEqual(200);
    expect((list?.bottom ?? 0) - (list?.top ?? 0)).toBeGreaterThanOrEqual(160);
    const controls = await boxes('.tlhead button, .tlhead input, .tlrows a, .tlbars .bar, .tlsteps li');
    expect(controls.length).toBeGreaterThan(10);
    for (const { left, right } of controls) {
      expect(left).toBeGreaterThanOrEqual(0);
      expect(right).toBeLessThanOrEqual(width);
    }
  });

  test.each(SIZES)('the flow at %ix%i is of what flows, within its width', async (width, height) => {
    await dashboard.page.setViewportSize({ width, height });
    await dashboard.go('flow');
    const flow = dashboard.page.locator('.flowpanel');
    await flow.getByText('parcels').first().waitFor();
    if (width > 390) await dashboard.page.locator('.flownode').nth(3).waitFor();
    expect(await flow.getByText('quiet').count()).toBe(0);
    expect(await dashboard.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    const [frame] = await boxes('.flowpanel');
    for (const { left, right } of await boxes('.flownode, .flowlist a')) {
      expect(left).toBeGreaterThanOrEqual(frame?.left ?? 0);
      expect(right).toBeLessThanOrEqual(frame?.right ?? 0);
    }
    expect(await dashboard.page.locator('.flownode').count()).toBe(width === 390 ? 0 : 4);
    await flow.getByText('orders').first().click();
    await dashboard.page.waitForURL(/e\/orders\/active$/);
  });

  test('everything was done without an error of the script', () => {
    expect(dashboard.problems.filter((problem) => !problem.includes('404'))).toEqual([]);
  });
});
