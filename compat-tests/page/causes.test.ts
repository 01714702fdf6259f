// A person looks for the cause of a failure, with the dashboard alone: each step is one click, and the cause is read at the end.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, sharedPage } from '../support/chromium.js';
import { callControl } from '../support/control.js';
import { Dashboard } from '../support/dashboard.js';
import { Jitney } from '../support/jitney.js';
import { type ClosingClient, connect, receiveOne, sendBodies } from '../support/service-bus.js';

/** Each test has its own. */
const QUEUES = ['poison?maxDeliveryCount=3', 'slow?lockDuration=PT5S', 'held?lockDuration=PT1M', 'many'];
/** The events that the emulator keeps, and the most messages of one call. */
const RECORD = 10_000;
const MOST_AT_ONCE = 1000;
/** A clock that is not frozen shows another second by then. */
const TWO_SECONDS_MS = 2100;

describe.skipIf(CHROMIUM === undefined)('on the page', () => {
  let jitney: Jitney;
  let client: ClosingClient;
  let dashboard: Dashboard;

  beforeAll(async () => {
    const extraArguments = ['--topic', 'events/mail', '--clock', 'virtual'];
    jitney = await Jitney.start({ queues: QUEUES, extraArguments });
    client = connect(jitney.connectionString);
    dashboard = await Dashboard.open(jitney, { page: await sharedPage() });
    // The overview asks for causes when it is opened, and only each other second after that.
    await dashboard.go('about');
  });
  afterAll(async () => {
    await dashboard[Symbol.asyncDispose]();
    await client.close();
    await jitney.stop();
  });

  /** Clicks a link of "Needs a look" on the overview. */
  async function follow(cause: string | RegExp): Promise<void> {
    await dashboard.page
      .getByRole('region', { name: 'Needs a look' })
      .getByRole('link', { name: cause })
      .click();
  }

  test('the cause of a poison message is found in one click: who abandoned it, how often, and its body', async () => {
    await sendBodies(client, 'poison', [{ orderId: 17, total: null }], { messageId: 'ord-17' });
    const receiver = client.createReceiver('poison');
    for (let delivery = 1; delivery <= 3; delivery++) {
      await receiver.abandonMessage(await receiveOne(receiver));
    }

    await dashboard.go('overview');
    await dashboard.shows(/MaxDeliveryCountExceeded\..* last held by \S/);
    await follow('1 dead letter in poison');
    await dashboard.shows('Delivered 3 times, the most that poison allows.');
    await dashboard.shows(/^Abandoned 3 times by/);
    await dashboard.page.getByRole('region', { name: 'Body' }).getByText('"total"').waitFor();
    const history = dashboard.page.getByRole('region', { name: 'History' });
    expect(await history.getByText(/Abandoned after/).count()).toBe(3);
  });

  test('the cause of a message that no subscription took is found in two clicks: each part of each filter with its values', async () => {
    const mail = encodeURIComponent('events/Subscriptions/mail');
    await callControl(jitney, `rules?entity=${mail}`, {
      name: 'large',
      filter: "region = 'EU' AND total > 100",
    });
    await client.createRuleManager('events', 'mail').deleteRule('$Default');
    await sendBodies(client, 'events', [{}], { applicationProperties: { region: 'EU', total: 42 } });

    await dashboard.go('overview');
    await follow('1 message to events matched no rule');
    await dashboard.page
      .getByLabel('The message as JSON')
      .fill('{ "applicationProperties": { "region": "EU", "total": 42 } }');
    const large = dashboard.page.getByRole('region', { name: 'Rule large' });
    await large.getByText('total is 42').waitFor();
    expect(await large.getByText('Not matched').count()).toBe(1);
    expect(await large.locator('tbody tr').allTextContents()).toEqual([
      expect.stringMatching(/AND.*false/),
      expect.stringMatching(/region = 'EU'.*true/),
      expect.stringMatching(/total > 100.*false.*42/),
    ]);
  });

  test('the cause of a lock that ends too early is found in one click: the handler took longer than the lock, and was connected', async () => {
    await sendBodies(client, 'slow', [{ orderId: 18 }]);
    const receiver = client.createReceiver('slow', { maxAutoLockRenewalDurationInMs: 0 });
    const message = await receiveOne(receiver);
    await callControl(jitney, 'clock:advance', { by: 'PT6S' });
    await expect(receiver.completeMessage(message)).rejects.toMatchObject({ code: 'MessageLockLost' });

    await dashboard.go('overview');
    await dashboard.shows(/was connected: its handler took longer than 5 s, or did not settle/);
    await follow(/The lock of slow #1 ran out/);
    const history = dashboard.page.getByRole('region', { name: 'History' });
    await history.getByText(/Lock ran out after/).waitFor();
  });

  test('a lock does not run down while the clock is frozen; it is nearer to its end when time was moved', async () => {
    await sendBodies(client, 'held', [{ orderId: 19 }]);
    await receiveOne(client.createReceiver('held', { maxAutoLockRenewalDurationInMs: 0 }));

    await dashboard.go('e/held/locked/1');
    const left = dashboard.page.getByRole('timer');
    await left.getByText(/^(1 min|59 s)$/).waitFor();
    await dashboard.page.waitForTimeout(TWO_SECONDS_MS);
    expect(await left.innerText()).toMatch(/^(1 min|59 s)$/);
    await callControl(jitney, 'clock:advance', { by: 'PT20S' });
    await left.getByText(/^(40|39) s$/).waitFor();
  });

  test('a refusal is on Connections, also when its event has left the record', async () => {
    await expect(sendBodies(client, 'ordesr', [{}])).rejects.toMatchObject({
      code: 'MessagingEntityNotFound',
    });
    const sendings = RECORD / MOST_AT_ONCE + 1;
    for (let sending = 0; sending < sendings; sending++) {
      const messages = Array.from({ length: MOST_AT_ONCE }, () => ({ body: '' }));
      await callControl(jitney, 'messages?entity=many', messages);
    }

    await dashboard.go('connections');
    const refused = dashboard.page.getByRole('region', { name: 'Refused' });
    await refused.getByRole('link', { name: /ordesr/ }).waitFor();
  });
});
