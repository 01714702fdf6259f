// Deletions in the dashboard and their way back, in Chromium on the built product: nothing is sent twice, and nothing is lost unasked.

import { EventEmitter, once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { ServiceBusClient } from '@azure/service-bus';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CHROMIUM, sharedChromium } from '../support/chromium.js';
import { countsOf } from '../support/control.js';
import { Dashboard } from '../support/dashboard.js';
import { Jitney } from '../support/jitney.js';
import { connect, sendBodies } from '../support/service-bus.js';

const QUEUES = [
  ...['once', 'held', 'screen', 'left', 'outage', 'exported'],
  'unique?requiresDuplicateDetection=true',
];
const PATIENCE = { timeout: 60_000 };

describe.skipIf(CHROMIUM === undefined)('in the dashboard', () => {
  let jitney: Jitney;
  let client: ServiceBusClient;
  let dashboard: Dashboard;

  beforeAll(async () => {
    jitney = await Jitney.start({ queues: QUEUES });
    client = connect(jitney.connectionString);
    dashboard = await Dashboard.open(jitney, { browser: await sharedChromium() });
  });
  beforeEach(() => dashboard.page.unrouteAll());
  afterAll(async () => {
    await dashboard[Symbol.asyncDispose]();
    await client.close();
    await jitney.stop();
  });
  const activeIn = async (queue: string) => (await countsOf(jitney, queue)).active;
  const dialog = () => dashboard.page.getByRole('dialog');
  const showList = async (queue: string, count: number) => {
    await dashboard.go(`e/${queue}/active`);
    await dashboard.page
      .locator('.messages tbody tr[aria-rowindex]')
      .nth(count - 1)
      .waitFor();
  };

  test('an undo sends a message once, however often its key is pressed', async () => {
    await sendBodies(client, 'once', ['tea']);
    await showList('once', 1);
    await dashboard.press('d');
    await dashboard.shows('Deleted 1 message.');
    await dashboard.press('u', 'u', 'u', 'u');
    await dashboard.shows('Sent 1 again to once');
    expect(await activeIn('once')).toBe(1);
  });

  test('a key that is held on the screen of a message does not delete in the list behind it', async () => {
    await sendBodies(client, 'held', ['tea', 'milk', 'sugar'], { messageId: 'h-1' });
    await showList('held', 3);
    await dashboard.press('o');
    await dashboard.shows('h-1');
    await dashboard.page.keyboard.down('d');
    await dashboard.page.locator('.messages tbody tr[aria-rowindex]').nth(1).waitFor();
    await dashboard.page.keyboard.down('d');
    await dashboard.page.keyboard.up('d');
    await dashboard.press('?');
    await dialog().waitFor();
    await dashboard.press('Escape');
    expect(await activeIn('held')).toBe(2);
  });

  test('a deletion in a queue with duplicate detection asks first, in the list and on the message', async () => {
    await sendBodies(client, 'unique', ['tea'], { messageId: 'u-1' });
    await showList('unique', 1);
    await dashboard.press('d');
    await dialog().getByText('as a duplicate').waitFor();
    await dashboard.press('Escape', 'o');
    await dashboard.shows('u-1');
    await dashboard.press('d');
    await dialog().getByText('as a duplicate').waitFor();
    expect(await activeIn('unique')).toBe(1);
    await dialog().getByRole('button', { name: 'Delete' }).click();
    await dashboard.shows(/is deleted/);
    expect(await activeIn('unique')).toBe(0);
  });

  test('a message that is deleted on its own screen comes back by undo', async () => {
    await sendBodies(client, 'screen', ['tea'], { messageId: 's-1' });
    await showList('screen', 1);
    await dashboard.press('o');
    await dashboard.shows('s-1');
    await dashboard.press('d');
    await dashboard.shows('Undo sends it again');
    await expect.poll(() => activeIn('screen'), PATIENCE).toBe(0);
    await dashboard.press('u');
    await expect.poll(() => activeIn('screen'), PATIENCE).toBe(1);
  });

  test('an answer that comes late takes nobody back from where they have gone', async () => {
    await sendBodies(client, 'left', ['tea'], { messageId: 'l-1' });
    await showList('left', 1);
    await dashboard.press('o');
    await dashboard.shows('l-1');
    const hasLeft = new EventEmitter();
    await dashboard.page.route('**/messages:delete?*', async (request) => {
      await once(hasLeft, 'left');
      await request.continue();
    });
    const asked = dashboard.page.waitForRequest('**/messages:delete?*');
    await dashboard.press('d');
    await asked;
    await dashboard.press('g', 'c');
    hasLeft.emit('left');
    await dashboard.shows('Deleted 1 message.');
    await dashboard.page.getByRole('heading', { name: 'Connections' }).waitFor();
  });

  test('while a message cannot be read, none of the selection is deleted', async () => {
    await sendBodies(client, 'outage', ['a', 'b', 'c']);
    await showList('outage', 3);
    const failed = { status: 500, json: { error: { code: 'internal', message: 'Out of order.' } } };
    await dashboard.page.route('**/messages/2?*', (request) => request.fulfill(failed));
    await dashboard.press('x', 'j', 'x', 'j', 'x', 'd');
    await dashboard.shows('Out of order.');
    expect(await activeIn('outage')).toBe(3);
  });

  test('an export that fails midway saves what it has, and says so', async () => {
    await sendBodies(
      client,
      'exported',
      Array.from({ length: 10 }, (_, index) => index),
    );
    await showList('exported', 10);
    const failed = { status: 500, json: { error: { code: 'internal', message: 'Out of order.' } } };
    await dashboard.page.route('**/messages/10?*', (request) => request.fulfill(failed));
    for (let row = 0; row < 10; row++) await dashboard.press('x', 'j');
    const download = dashboard.page.waitForEvent('download');
    await dashboard.button('NDJSON').click();
    const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\n');
    expect(lines.length).toBe(8);
    await dashboard.shows('Exported 8 messages of exported and no more: Out of order.');
  });
});
