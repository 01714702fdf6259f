// A person looks for the cause of a failure, with the dashboard alone: each step is one click, and the cause is read at the end.

import { describe, expect, test } from 'vitest';
import { CHROMIUM, sharedChromium } from '../support/chromium.js';
import { callControl } from '../support/control.js';
import { Dashboard } from '../support/dashboard.js';
import { Jitney } from '../support/jitney.js';
import { connect, receiveOne, sendBodies } from '../support/service-bus.js';

/** Clicks a link of "Needs a look" on the overview. */
async function follow(dashboard: Dashboard, cause: string | RegExp): Promise<void> {
  await dashboard.page
    .getByRole('region', { name: 'Needs a look' })
    .getByRole('link', { name: cause })
    .click();
}

describe.skipIf(CHROMIUM === undefined)('the cause is found from the overview', () => {
  test('of a poison message in two clicks: who abandoned it, how often, and its body', async () => {
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
    await dashboard.page
      .locator('.messages tr', { hasText: 'ord-17' })
      .getByRole('link', { name: '1' })
      .click();

    await dashboard.shows('Delivered 3 times, the most that orders allows.');
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
