// A person looks for the cause of a failure, with the dashboard alone: each step is one click, and the cause is read at the end.

import { describe, expect, test } from 'vitest';
import { CHROMIUM, sharedChromium } from '../support/chromium.js';
import { callControl } from '../support/control.js';
import { Dashboard } from '../support/dashboard.js';
import { Jitney } from '../support/jitney.js';
import { connect, receiveOne, sendBodies } from '../support/service-bus.js';

/** The events that the emulator keeps, and the most messages of one call. */
const RECORD = 10_000;
const MOST_AT_ONCE = 1000;

/** Clicks a link of "Needs a look" on the overview. */
async function follow(dashboard: Dashboard, cause: string | RegExp): Promise<void> {
  await dashboard.page
    .getByRole('region', { name: 'Needs a look' })
    .getByRole('link', { name: cause })
    .click();
}

describe.skipIf(CHROMIUM === undefined)('the cause is found from the overview', () => {
  test('of a poison message in one click: who abandoned it, how often, and its body', async () => {
    await using jitney = await Jitney.start({ queues: ['orders?maxDeliveryCount=3'] });
    await using client = connect(jitney.connectionString);
    await sendBodies(client, 'orders', [{ orderId: 17, total: null }], { messageId: 'ord-17' });
    const receiver = client.createReceiver('orders');
    for (let delivery = 1; delivery <= 3; delivery++) {
      await receiver.abandonMessage(await receiveOne(receiver));
    }

    await using dashboard = await Dashboard.open(jitney, { browser: await sharedChromium() });
    await dashboard.shows(/MaxDeliveryCountExceeded\..* last held by \S/);
    await follow(dashboard, '1 dead letter in orders');
    await dashboard.shows('Delivered 3 times, the most that orders allows.');
    await dashboard.shows(/^Abandoned 3 times by/);
    await dashboard.page.getByRole('region', { name: 'Body' }).getByText('"total"').waitFor();
    const history = dashboard.page.getByRole('region', { name: 'History' });
    expect(await history.getByText(/Abandoned after/).count()).toBe(3);
  });

  test('of a message that no subscription took in two clicks: each part of each filter with its values', async () => {
    await using jitney = await Jitney.start({ extraArguments: ['--topic', 'events/mail'] });
    const mail = encodeURIComponent('events/Subscriptions/mail');
    await callControl(jitney, `rules?entity=${mail}`, {
      name: 'large',
      filter: "region = 'EU' AND total > 100",
    });
    await using client = connect(jitney.connectionString);
    await removeDefaultRule(jitney);
    await sendBodies(client, 'events', [{}], { applicationProperties: { region: 'EU', total: 42 } });

    await using dashboard = await Dashboard.open(jitney, { browser: await sharedChromium() });
    await follow(dashboard, '1 message to events matched no rule');
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

  test('of a lock that ends too early in one click: the handler took longer than the lock, and was connected', async () => {
    await using jitney = await Jitney.start({
      queues: ['orders?lockDuration=PT5S'],
      extraArguments: ['--clock', 'virtual'],
    });
    await using client = connect(jitney.connectionString);
    await sendBodies(client, 'orders', [{ orderId: 18 }]);
    const receiver = client.createReceiver('orders', { maxAutoLockRenewalDurationInMs: 0 });
    const message = await receiveOne(receiver);
    await callControl(jitney, 'clock:advance', { by: 'PT6S' });
    await expect(receiver.completeMessage(message)).rejects.toMatchObject({ code: 'MessageLockLost' });

    await using dashboard = await Dashboard.open(jitney, { browser: await sharedChromium() });
    await dashboard.shows(/was connected: its handler took longer than 5 s, or did not settle/);
    await follow(dashboard, /The lock of orders #1 ran out/);
    const history = dashboard.page.getByRole('region', { name: 'History' });
    await history.getByText(/Lock ran out after/).waitFor();
  });

  test('of a refusal on Connections, also when its event has left the record', async () => {
    await using jitney = await Jitney.start({ queues: ['orders'] });
    await using client = connect(jitney.connectionString);
    await expect(sendBodies(client, 'ordesr', [{}])).rejects.toMatchObject({
      code: 'MessagingEntityNotFound',
    });
    const sendings = RECORD / MOST_AT_ONCE + 1;
    for (let sending = 0; sending < sendings; sending++) {
      const messages = Array.from({ length: MOST_AT_ONCE }, () => ({ body: '' }));
      await callControl(jitney, 'messages?entity=orders', messages);
    }

    await using dashboard = await Dashboard.open(jitney, { browser: await sharedChromium() });
    await dashboard.go('connections');
    const refused = dashboard.page.getByRole('region', { name: 'Refused' });
    await refused.getByRole('link', { name: /ordesr/ }).waitFor();
  });
});

describe.skipIf(CHROMIUM === undefined)('while the clock is frozen', () => {
  test('a lock does not run down; it is nearer to its end when time was moved', async () => {
    await using jitney = await Jitney.start({
      queues: ['orders?lockDuration=PT1M'],
      extraArguments: ['--clock', 'virtual'],
    });
    await using client = connect(jitney.connectionString);
    await sendBodies(client, 'orders', [{ orderId: 19 }]);
    await receiveOne(client.createReceiver('orders', { maxAutoLockRenewalDurationInMs: 0 }));

    await using dashboard = await Dashboard.open(jitney, { browser: await sharedChromium() });
    await dashboard.go('e/orders/locked/1');
    const left = dashboard.page.getByRole('timer');
    await left.getByText(/^(1 min|59 s)$/).waitFor();
    await dashboard.page.waitForTimeout(3000);
    expect(await left.innerText()).toMatch(/^(1 min|59 s)$/);
    await callControl(jitney, 'clock:advance', { by: 'PT20S' });
    await left.getByText(/^(40|39) s$/).waitFor();
  });
});

/** So that the rule `large` decides alone. */
async function removeDefaultRule(jitney: Jitney): Promise<void> {
  const { host, port } = jitney.address;
  const response = await fetch(
    `http://${host}:${port}/events/Subscriptions/mail/Rules/%24Default?api-version=2021-05`,
    { method: 'DELETE', headers: { authorization: 'SharedAccessSignature any' } },
  );
  expect(response.status).toBe(200);
}
