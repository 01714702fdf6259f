// The lists of messages in Chromium on the built product: their order, their filter, their acts; the subscriptions of a topic and the sessions of a queue.

import { EventEmitter, once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { ServiceBusClient } from '@azure/service-bus';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CHROMIUM, sharedPage } from '../support/chromium.js';
import { callControl, countsOf } from '../support/control.js';
import { Dashboard } from '../support/dashboard.js';
import { Jitney } from '../support/jitney.js';
import { layoutProblems } from '../support/layout.js';
import { connect, receiveOne, sendBodies } from '../support/service-bus.js';

const QUEUES = [
  ...['dead', 'deleted', 'held', 'left', 'exported', 'returned', 'bodies', 'many', 'read'],
  'carts?requiresSession=true',
];
const PATIENCE = { timeout: 60_000 };
/** Twice as many as a filter looks at, at least, before it asks. */
const MANY = 40_000;
const AT_ONCE = 1000;

describe.skipIf(CHROMIUM === undefined)('a list', () => {
  let jitney: Jitney;
  let client: ServiceBusClient;
  let dashboard: Dashboard;

  beforeAll(async () => {
    const extraArguments = ['--topic', 'events/audit+mail'];
    jitney = await Jitney.start({ queues: QUEUES, extraArguments });
    client = connect(jitney.connectionString);
    dashboard = await Dashboard.open(jitney, { page: await sharedPage(), width: 1280, height: 720 });
  });
  // An answer that a test before has held may come when the page asks no more.
  beforeEach(() => dashboard.page.unrouteAll({ behavior: 'ignoreErrors' }));
  afterAll(async () => {
    await dashboard[Symbol.asyncDispose]();
    await client.close();
    await jitney.stop();
  });
  const activeIn = async (queue: string) => (await countsOf(jitney, queue)).active;
  const dialog = () => dashboard.page.getByRole('dialog');
  const rows = () => dashboard.page.locator('.messages tbody tr[aria-rowindex]');
  const numbers = async () => (await rows().locator('th').allTextContents()).map(Number);
  const showList = async (place: string, count: number) => {
    await dashboard.go(`e/${place}`);
    await rows()
      .nth(count - 1)
      .waitFor();
  };

  test('begins with the newest dead letter, has the description beside the reason, and turns round', async () => {
    await sendBodies(client, 'dead', ['a', 'b', 'c']);
    const receiver = client.createReceiver('dead');
    for (const deadLetterReason of ['CustomerUnknown', 'InvalidPayload', 'InvalidPayload']) {
      const deadLetterErrorDescription = `${deadLetterReason}: /lines/0/price must be >= 0`;
      await receiver.deadLetterMessage(await receiveOne(receiver), {
        deadLetterReason,
        deadLetterErrorDescription,
      });
    }
    await receiver.close();
    await showList('dead/dead', 3);
    expect(await numbers()).toEqual([3, 2, 1]);
    await rows().first().getByText('must be >= 0').waitFor();
    await rows().first().getByText('on the 1st').waitFor();
    expect(await layoutProblems(dashboard.page)).toEqual([]);
    await dashboard.button('# ↓').click();
    await expect.poll(numbers, PATIENCE).toEqual([1, 2, 3]);
    await dashboard.button('# ↑').click();
  });

  test('has a message that comes while its first page is on its way', async () => {
    await callControl(jitney, 'messages?entity=read', [{ messageId: 'first' }]);
    let answer = () => {};
    const hasCome = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await dashboard.page.route('**/messages?*', async (request) => {
      const response = await request.fetch();
      await hasCome;
      await request.fulfill({ response });
    });
    await dashboard.go('e/read/active');
    await dashboard.page.getByRole('tab', { name: /Active.*1/ }).waitFor();
    await callControl(jitney, 'messages?entity=read', [{ messageId: 'second' }]);
    await dashboard.page.getByRole('tab', { name: /Active.*2/ }).waitFor();
    answer();
    await rows().getByText('second').first().waitFor();
  });

  test('asks for the events of its entity with its first page', async () => {
    await dashboard.go('overview');
    await dashboard.page.route('**/messages?*', () => {});
    const asked = dashboard.page.waitForRequest(/events\?.*entity=read/);
    // Nothing is drawn again, and nothing that waits for the next frame is done.
    await dashboard.page.evaluate(
      "requestAnimationFrame = setTimeout = () => 0; location.hash = '#/e/read/active'",
    );
    await asked;
    await dashboard.page.unrouteAll({ behavior: 'ignoreErrors' });
    await dashboard.page.reload();
  });

  test('is filtered by the reason of a chip, which has the number of all dead letters of that reason', async () => {
    await dashboard.go('e/dead/dead');
    await dashboard.button('InvalidPayload 2').click();
    await expect.poll(numbers, PATIENCE).toEqual([3, 2]);
    await dashboard.shows('2 of 3');
    await dashboard.button('Clear the filter').click();
  });

  test('shows of JSON bodies what differs', async () => {
    const order = (city: string) => ({
      kind: 'order',
      customer: { name: 'Ann', address: { city } },
      currency: 'EUR',
    });
    await sendBodies(client, 'bodies', [order('Oslo'), order('Bergen')]);
    await showList('bodies/active', 2);
    await rows().first().getByText('city: "Oslo"', { exact: true }).waitFor();
  });

  test('asks before it deletes, with the number of messages', async () => {
    await sendBodies(client, 'deleted', ['Oslo', 'Bergen', 'Oslo']);
    await showList('deleted/active?q=body%3AOslo', 2);
    await dashboard.press('x', 'j', 'x', 'd');
    await dialog().getByText('Delete 2 messages?').waitFor();
    await dashboard.press('Escape');
    expect(await activeIn('deleted')).toBe(3);
    await dashboard.press('d');
    await dialog().getByRole('button', { name: 'Delete' }).click();
    await dashboard.shows('Deleted 2 messages.');
    expect(await activeIn('deleted')).toBe(1);
  });

  test('says that a key is for other messages', async () => {
    await showList('bodies/active', 2);
    await dashboard.press('r');
    await dashboard.shows('Resubmit is for dead letters.');
  });

  test('leads from a resubmitted dead letter to the new message', async () => {
    await callControl(jitney, 'messages?entity=returned', [{ messageId: 'r-1' }]);
    await callControl(jitney, 'messages:dead-letter?entity=returned', {
      sequenceNumbers: [1],
      reason: 'Bad',
    });
    await showList('returned/dead', 1);
    await dashboard.press('r');
    await dashboard.shows('Resubmitted #1 of returned (dead-letter).');
    await dashboard.page.getByRole('link', { name: '→ #2' }).click();
    await dashboard.page.getByRole('heading', { name: /returned.*#2/ }).waitFor();
    await dashboard.shows('r-1');
  });

  test('does not delete a second message by a key that is held on the screen of the first', async () => {
    await sendBodies(client, 'held', ['tea', 'milk'], { messageId: 'h-1' });
    await showList('held/active', 2);
    await dashboard.press('o');
    await dashboard.shows('h-1');
    await dashboard.page.keyboard.down('d');
    await dashboard.page.keyboard.down('d');
    await dialog().waitFor();
    await dashboard.page.keyboard.up('d');
    await dialog().getByRole('button', { name: 'Delete' }).click();
    await rows().first().waitFor();
    expect(await activeIn('held')).toBe(1);
  });

  test('takes nobody back from where they have gone by an answer that comes late', async () => {
    await sendBodies(client, 'left', ['tea'], { messageId: 'l-1' });
    await showList('left/active', 1);
    await dashboard.press('o');
    await dashboard.shows('l-1');
    const hasLeft = new EventEmitter();
    await dashboard.page.route('**/messages:delete?*', async (request) => {
      await once(hasLeft, 'left');
      await request.continue();
    });
    await dashboard.press('d');
    const asked = dashboard.page.waitForRequest('**/messages:delete?*');
    await dialog().getByRole('button', { name: 'Delete' }).click();
    await asked;
    await dashboard.press('g', 'c');
    hasLeft.emit('left');
    await dashboard.shows('Deleted #1 of left.');
    await dashboard.page.getByRole('heading', { name: 'Connections' }).waitFor();
  });

  test('is exported as NDJSON, and says where an export ended that failed', async () => {
    const bodies = Array.from({ length: 10 }, (_, index) => index);
    await sendBodies(client, 'exported', bodies);
    await showList('exported/active', 10);
    const linesOf = async (click: () => Promise<void>) => {
      const download = dashboard.page.waitForEvent('download');
      await click();
      return (await readFile(await (await download).path(), 'utf8')).trim().split('\n');
    };
    expect((await linesOf(() => dashboard.button('Export').first().click())).length).toBe(10);
    const failed = { status: 500, json: { error: { code: 'internal', message: 'Out of order.' } } };
    await dashboard.page.route('**/messages/10?*', (request) => request.fulfill(failed));
    for (let row = 0; row < 10; row++) await dashboard.press('x', 'j');
    const toolbar = dashboard.page.getByRole('toolbar', { name: 'Selection' });
    expect((await linesOf(() => toolbar.getByRole('button', { name: 'Export' }).click())).length).toBe(8);
    await dashboard.shows('Exported 8 messages of exported and no more: Out of order.');
  });

  test('says how far a filter has looked, goes on when asked, and only then that nothing matches', async () => {
    for (let at = 0; at < MANY; at += AT_ONCE) {
      const messages = Array.from({ length: AT_ONCE }, (_, index) => ({ messageId: `m-${at + index}` }));
      await callControl(jitney, 'messages?entity=many', messages);
    }
    await dashboard.go('e/many/active?q=id%3Anone');
    await dashboard.shows(/None in the first [23]\d,\d{3} of 40,000\./);
    await dashboard.button(/^Go on/).click();
    await dashboard.shows('None of 40,000 matches.');
    await dashboard.go('e/many/active?q=id%3Am-39999');
    await dashboard.button(/^Go on/).click();
    await rows().first().getByText('m-39999').waitFor();
    await dashboard.go('e/many/active?q=nonsense%3A1');
    await dashboard.shows(/nonsense/);
  });

  test('of a topic is that of its subscriptions, with the rules as SQL', async () => {
    const mail = encodeURIComponent('events/Subscriptions/mail');
    await callControl(jitney, `rules?entity=${mail}`, {
      name: 'large',
      filter: "region = 'EU' AND total > 100",
    });
    await dashboard.go('e/events');
    await dashboard.shows("region = 'EU' AND total > 100");
    await dashboard.page.getByRole('row', { name: /audit/ }).getByText('1=1').waitFor();
  });

  test('of sessions has the state of each', async () => {
    await sendBodies(client, 'carts', ['tea', 'milk'], { sessionId: 'customer-7' });
    const receiver = await client.acceptSession('carts', 'customer-7');
    await receiver.setSessionState(Buffer.from('{"step":3}'));
    await dashboard.go('e/carts/sessions');
    const session = dashboard.page.getByRole('row', { name: /customer-7/ });
    await session.getByRole('button', { name: /10 B/ }).click();
    await dashboard.page.locator('.tree').getByText('"step"').waitFor();
    await session.getByRole('button', { name: 'End lock' }).click();
    await dashboard.shows("The lock of session 'customer-7' is ended.");
    await expect(receiver.renewSessionLock()).rejects.toMatchObject({ code: 'SessionLockLost' });
    await receiver.close();
    await session.getByRole('link', { name: 'customer-7' }).click();
    await rows().nth(1).waitFor();
  });

  test('on a phone is one of cards: a message is selected, and its acts are in view', async () => {
    const { page } = dashboard;
    await page.setViewportSize({ width: 390, height: 844 });
    await showList('dead/dead', 3);
    expect(await layoutProblems(page)).toEqual([]);
    const card = await rows().first().boundingBox();
    expect(card?.width).toBeLessThanOrEqual(390);
    await rows().first().getByRole('checkbox').click();
    const act = await dashboard.button('Resubmit').boundingBox();
    expect(act?.y).toBeLessThanOrEqual(844 - 36);
    expect(await layoutProblems(page)).toEqual([]);
  });

  test('did all of it without an error of the script', () => {
    // Answers of 400, 404 and 500 were asked for above.
    expect(dashboard.problems.filter((problem) => !problem.startsWith('Failed to load resource'))).toEqual(
      [],
    );
  });
});
