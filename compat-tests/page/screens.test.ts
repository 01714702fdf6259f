// Each screen of the dashboard does its main act, in Chromium on the built product, while the SDK sends and receives beside it.

import type { ServiceBusClient } from '@azure/service-bus';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, sharedPage } from '../support/chromium.js';
import { callControl, countsOf } from '../support/control.js';
import { Dashboard } from '../support/dashboard.js';
import { Jitney } from '../support/jitney.js';
import { connect, receiveOne, sendBodies } from '../support/service-bus.js';

const QUEUES = ['orders', 'parcels', 'returns', 'waiting', 'invoices?requiresSession=true'];
const PATIENCE = { timeout: 60_000 };
/** An effect of a filter is drawn by then. */
const DRAWN_MS = 100;
/** A filter that was typed is used by then. */
const TYPED_MS = 500;
const TOPIC = ['--topic', 'events/audit+mail'];

describe.skipIf(CHROMIUM === undefined)('in the dashboard', () => {
  let jitney: Jitney;
  let client: ServiceBusClient;
  let dashboard: Dashboard;

  beforeAll(async () => {
    jitney = await Jitney.start({ queues: QUEUES, extraArguments: [...TOPIC, '--label', 'shop'] });
    client = connect(jitney.connectionString);
    dashboard = await Dashboard.open(jitney, { page: await sharedPage() });
  });

  afterAll(async () => {
    await dashboard[Symbol.asyncDispose]();
    await client.close();
    await jitney.stop();
  });

  test('nothing connected yet: the connection string is the first thing to see, and is copied', async () => {
    await dashboard.shows('Nothing is connected yet.');
    await expect.poll(() => dashboard.page.title(), PATIENCE).toBe('Overview · shop');
    await dashboard.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    // It can be copied as soon as it is known.
    let answer = () => {};
    const isKnown = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await dashboard.page.route('**/info', async (request) => {
      await isKnown;
      await request.continue();
    });
    await dashboard.page.reload();
    await dashboard.shows('Nothing is connected yet.');
    expect(await dashboard.button('Copy').count()).toBe(0);
    answer();
    await dashboard.button('Copy').first().click();
    await expect
      .poll(() => dashboard.page.evaluate('navigator.clipboard.readText()'), PATIENCE)
      .toBe(jitney.connectionString);
  });

  test('the overview counts what the SDK sends, exactly and at once', async () => {
    await sendBodies(client, 'orders', [{ id: 1 }, { id: 2 }, { id: 3 }]);
    const row = dashboard.page.locator('#overview tbody tr', { hasText: 'orders' });
    await row.locator('td', { hasText: /^3$/ }).first().waitFor();
    expect(await dashboard.page.title()).toBe('Overview · shop');
    await dashboard.button('Only with messages').last().click();
    await dashboard.page.locator('#overview tbody tr', { hasText: 'returns' }).waitFor({ state: 'detached' });
    await row.waitFor();
  });

  test('a queue that is not there is named, with the one that was meant', async () => {
    const receiver = client.createReceiver('order');
    await receiver.receiveMessages(1, { maxWaitTimeInMs: 100 }).catch(() => undefined);
    await dashboard.go('overview');
    await dashboard.shows("'order' not found");
    await dashboard.shows("Did you mean 'orders'?");
  });

  test('messages of a queue are found by a filter, and by the search on top, which opens them', async () => {
    const bodies = [{ to: 'Oslo' }, { to: 'Bergen' }, { to: 'Oslo' }];
    await sendBodies(client, 'parcels', bodies, { correlationId: 'trip-north' });
    await dashboard.go('e/parcels/active?q=body%3AOslo');
    await dashboard.page.locator('.messages tbody tr[aria-rowindex]').nth(1).waitFor();
    expect(await dashboard.page.locator('.messages tbody tr[aria-rowindex]').count()).toBe(2);
    await dashboard.go('overview');
    await dashboard.press('/');
    await dashboard.page.keyboard.type('trip-north');
    const found = dashboard.page.getByRole('listbox', { name: 'Found' }).getByRole('option');
    await found.filter({ hasText: 'active in parcels' }).nth(2).waitFor();
    await dashboard.page.getByText(/3 found in \d+ messages\./).waitFor();
    await dashboard.press('Enter');
    await dashboard.page.waitForURL(/e\/parcels\/active\/\d+$/);
    expect(await dashboard.page.evaluate('document.activeElement.id')).toBe('main');
  });

  test('a search that finds nothing says in how many messages, and an entity is found by its name', async () => {
    await dashboard.press('/');
    await dashboard.page.keyboard.type('nowhere-at-all');
    await dashboard.page.getByText(/None in \d+ messages\./).waitFor();
    await dashboard.page.locator('[data-find]').fill('return');
    await dashboard.press('Enter');
    await dashboard.page.waitForURL(/e\/returns\/active$/);
  });

  test.each([
    ['e/parcels/active', 'id'],
    ['timeline', 'entity'],
  ])(
    'at %s the filter field keeps the blank just typed, and gives way to a newer filter',
    async (screen, word) => {
      await dashboard.go('overview');
      await dashboard.go(screen);
      const { page } = dashboard;
      const field = page.locator('[data-filter]');
      await field.fill(`${word}:parcels `);
      await page.waitForURL(new RegExp(`q=${word}%3Aparcels$`));
      await page.waitForTimeout(DRAWN_MS);
      await page.keyboard.type('x');
      expect(await field.inputValue()).toBe(`${word}:parcels x`);
      await dashboard.go(`${screen}?q=${word}%3Aorders`);
      await page.waitForTimeout(TYPED_MS);
      expect([page.url().split('?')[1], await field.inputValue()]).toEqual([
        `q=${word}%3Aorders`,
        `${word}:orders`,
      ]);
    },
  );

  test('a locked message says who has it and counts down; its lock is ended by hand', async () => {
    await sendBodies(client, 'waiting', ['one']);
    const receiver = client.createReceiver('waiting');
    const message = await receiveOne(receiver);
    await dashboard.go(`e/waiting/locked/${message.sequenceNumber}`);
    await dashboard.shows('Who has it');
    await dashboard.shows(/left of 1 min/);
    await dashboard.shows(/Enqueued with id/);
    await dashboard.button('End lock').click();
    await dashboard.shows(/Lock ran out after/);
    await expect(receiver.completeMessage(message)).rejects.toMatchObject({ code: 'MessageLockLost' });
    await receiver.close();
  });

  test('a dead letter is resubmitted to where it came from', async () => {
    await sendBodies(client, 'returns', ['broken'], { messageId: 'r-1' });
    const receiver = client.createReceiver('returns');
    await receiver.deadLetterMessage(await receiveOne(receiver), {
      deadLetterReason: 'address-unknown',
      deadLetterErrorDescription: 'no such street',
    });
    await dashboard.go('e/returns/dead');
    await dashboard.page.locator('.messages tbody').getByText('address-unknown').first().waitFor();
    await dashboard.press('r');
    await dashboard.shows(/resubmitted/i);
    expect((await receiveOne(receiver)).messageId).toBe('r-1');
    await receiver.close();
  });

  test('a message is written with typed properties, and the SDK receives it', async () => {
    await dashboard.go('new?to=invoices');
    const { page } = dashboard;
    await page.locator('.bodyfield').fill('{"total":');
    await dashboard.button(/^Send/).click();
    await page.locator('.fieldproblem').first().waitFor();
    await page.locator('.bodyfield').fill('{"total":18.9}');
    await page.locator('#field-sessionId').fill('customer-7');
    await dashboard.button('Add').click();
    await page.locator('.proprows .name').fill('weight');
    await page.locator('.proprows select').selectOption('double');
    await page.locator('.proprows .value').fill('2');
    await dashboard.button(/^Send/).click();
    const receiver = await client.acceptSession('invoices', 'customer-7');
    const message = await receiveOne(receiver);
    expect(message).toMatchObject({ body: { total: 18.9 }, applicationProperties: { weight: 2 } });
    // Before, the page asks whether the message is to be left.
    await dashboard.shows('Sent #1');
    await dashboard.go('sessions');
    await page.getByRole('table', { name: 'Sessions of invoices' }).getByText('customer-7').waitFor();
    await page
      .getByRole('table', { name: 'Sessions of invoices' })
      .getByRole('button', { name: 'End lock' })
      .click();
    await dashboard.shows("The lock of session 'customer-7' is ended.");
    await expect(receiver.renewSessionLock()).rejects.toMatchObject({ code: 'SessionLockLost' });
    await receiver.close();
  });

  test('a message is tried on the rules of a topic, and a filter of its own becomes a rule', async () => {
    await dashboard.go('rules/events');
    await dashboard.shows('2 of 2 rules match.');
    await dashboard.page.getByLabel('The filter in SQL').fill("region = 'EU' AND total > 100");
    await dashboard.shows(/2 of 3 rules match/);
    const own = dashboard.page.getByRole('region', { name: 'Rule yours' });
    await own.getByText('Not matched').waitFor();
    expect(await own.locator('tbody tr').allTextContents()).toEqual([
      expect.stringMatching(/region = 'EU' AND total > 100.*false/),
      expect.stringMatching(/region = 'EU'.*true/),
      expect.stringMatching(/total > 100.*false.*18\.9/),
    ]);
    await dashboard.page.getByLabel('Its name').fill('large');
    await dashboard.page.getByLabel('Subscription').selectOption('events/Subscriptions/mail');
    await dashboard.button('Save as rule').click();
    await dashboard.page.getByRole('region', { name: 'Rule large' }).waitFor();
  });

  test('a connection is shown with its SDK and links, and is closed', async () => {
    const receiver = client.createReceiver('orders');
    const message = await receiveOne(receiver);
    await dashboard.go('connections');
    await dashboard.shows(/JavaScript/);
    await dashboard.page
      .getByRole('row', { name: /receiver orders/ })
      .first()
      .waitFor();
    await dashboard.button('Close…').first().click();
    await dashboard.page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await dashboard.shows(/is closed\. SDKs connect again\./);
    await receiver.completeMessage(message).catch(() => undefined);
    await receiver.close();
    await sendBodies(client, 'orders', [{ id: 4 }]);
  });

  test('time is moved by a key: a message that was scheduled for tomorrow comes now', async () => {
    const sender = client.createSender('waiting');
    await sender.scheduleMessages({ body: 'tomorrow' }, new Date(Date.now() + 24 * 3_600_000));
    const before = (await countsOf(jitney, 'waiting')).scheduled;
    await dashboard.go('clock');
    await dashboard.shows(/next due/);
    for (let step = 0; step < 10 && (await countsOf(jitney, 'waiting')).scheduled === before; step++) {
      const moved = dashboard.page.waitForResponse('**/clock:next');
      await dashboard.press('n');
      await moved;
      await dashboard.shows('Fell due');
    }
    expect((await countsOf(jitney, 'waiting')).scheduled).toBe(0);
    await callControl(jitney, 'clock:reset', {});
    await sender.close();
  });

  test('a fault is added: the next send fails once, and the fault says that it has happened', async () => {
    await dashboard.go('clock');
    await dashboard.page.getByLabel('Entity', { exact: true }).fill('orders');
    await dashboard.page.getByLabel('Condition').selectOption('com.microsoft:entity-disabled');
    await dashboard.button('Add').last().click();
    await dashboard.shows('The fault is there.');
    await expect(sendBodies(client, 'orders', [{ id: 5 }])).rejects.toThrow();
    await sendBodies(client, 'orders', [{ id: 6 }]);
    await dashboard.go('overview');
    await dashboard.shows(/Fault on send/);
    await dashboard.go('clock');
    await dashboard.page.getByRole('row', { name: /on send.*over.*1/ }).waitFor();
    await dashboard.button('Remove all').click();
    await dashboard.shows('All faults are removed.');
  });

  test('the connection string stands in snippets for each language', async () => {
    await dashboard.go('connect');
    for (const [language, word] of [
      ['JavaScript', 'ServiceBusClient('],
      ['Python', 'from_connection_string('],
      ['Go', 'NewClientFromConnectionString('],
    ] as const) {
      await dashboard.page
        .getByRole('group', { name: 'Language' })
        .getByText(language, { exact: true })
        .click();
      await dashboard.page.locator('pre.code').first().getByText(word).waitFor();
    }
    await dashboard.page.getByText(`jitney env --format shell --port ${jitney.address.port}`).waitFor();
  });

  test('settings are shown with where they come from, and the version', async () => {
    await dashboard.go('about');
    await dashboard.page.getByRole('row', { name: 'label shop --label' }).waitFor();
    await dashboard.page.getByRole('row', { name: 'auth any default' }).waitFor();
  });

  test('the switch at the top shows another namespace, with its own entities and connection string', async () => {
    const { page } = dashboard;
    const choose = page.getByRole('combobox', { name: 'Namespace' });
    expect(await choose.count()).toBe(0);
    await callControl(jitney, 'namespaces', { name: 'tests-1', queues: ['only-here'] });
    await page.reload();
    await choose.selectOption('tests-1');
    await page.waitForURL('**/?namespace=tests-1');
    await page.getByText('only-here').first().waitFor();
    await page.getByText('RootManageSharedAccessKey@tests-1').first().waitFor();
    await choose.selectOption('default');
    await page.waitForURL((url) => url.search === '');
    await dashboard.go('e/orders/active');
    await page.getByText('parcels').first().waitFor();
  });

  test('everything was done without an error of the script, and without a request to elsewhere', () => {
    expect(dashboard.problems).toEqual([]);
    expect(dashboard.foreignRequests).toEqual([]);
  });
});
