// Entities and rules made, used, changed and deleted by the page alone, in Chromium on the built product.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, sharedPage } from '../support/chromium.js';
import { callControl } from '../support/control.js';
import { Dashboard } from '../support/dashboard.js';
import { Jitney } from '../support/jitney.js';

describe.skipIf(CHROMIUM === undefined)('by the page alone', () => {
  let jitney: Jitney;
  let dashboard: Dashboard;

  beforeAll(async () => {
    jitney = await Jitney.start({ queues: ['first'], extraArguments: ['--topic', 'events/mail'] });
    dashboard = await Dashboard.open(jitney, { page: await sharedPage() });
  });
  afterAll(async () => {
    await dashboard[Symbol.asyncDispose]();
    await jitney.stop();
  });
  const inDialog = () => dashboard.page.getByRole('dialog');

  test('a queue is created, filled, looked through, changed and deleted', async () => {
    await dashboard.button('New entity…').click();
    await inDialog().getByLabel('Name').fill('letters');
    await inDialog().getByLabel('lockDuration').fill('6 min');
    await inDialog().getByText('must be at most 5 min, not "6 min"').waitFor();
    expect(await inDialog().getByRole('button', { name: 'Create' }).isDisabled()).toBe(true);
    await inDialog().getByLabel('lockDuration').fill('10 s');
    await inDialog().getByLabel('requiresSession').check();
    await inDialog().getByRole('button', { name: 'Create' }).click();
    await dashboard.shows('letters is created.');
    expect(await callControl(jitney, 'entity?entity=letters')).toMatchObject({
      properties: { lockDuration: 'PT10S', requiresSession: true },
    });

    await dashboard.go('new?to=letters');
    await dashboard.page.locator('.bodyfield').fill('{"n":7}');
    await dashboard.page.locator('#field-sessionId').fill('s');
    await dashboard.button(/^Send/).click();
    await dashboard.shows('Sent #1');
    await dashboard.go('e/letters/active');
    await dashboard.page.locator('.messages tbody').getByText('{"n":7}').first().waitFor();

    await dashboard.go('e/letters/settings');
    await dashboard.button('Edit…').click();
    expect(await inDialog().getByLabel('requiresSession').isDisabled()).toBe(true);
    await inDialog().getByLabel('maxDeliveryCount').fill('3');
    await inDialog().getByLabel('forwardDeadLetteredMessagesTo').fill('frist');
    await inDialog().getByRole('button', { name: 'Save' }).click();
    await inDialog().getByText("Did you mean 'first'?").waitFor();
    await inDialog().getByLabel('forwardDeadLetteredMessagesTo').fill('first');
    await inDialog().getByRole('button', { name: 'Save' }).click();
    await dashboard.shows('letters is changed.');
    await dashboard.page.getByRole('row', { name: 'maxDeliveryCount 3' }).waitFor();

    await dashboard.button('Delete…').click();
    await inDialog().getByText('1 message').waitFor();
    await inDialog().getByRole('button', { name: 'Delete' }).click();
    await dashboard.shows('letters is deleted.');
    expect(await callControl(jitney, 'entities')).not.toMatchObject({ entities: [{}, {}, {}] });
  });

  test('a rule is added, changed and removed, and a message of the topic is tried on it', async () => {
    const groundUnderPointer = async (name: string): Promise<unknown> => {
      await inDialog().getByRole('button', { name }).hover();
      return dashboard.page.evaluate(
        'getComputedStyle(document.querySelector("dialog footer button:hover")).backgroundColor',
      );
    };
    await dashboard.go('e/events%2FSubscriptions%2Fmail/settings');
    await dashboard.button('New rule…').click();
    await inDialog().getByLabel('Name').fill('eu');
    await inDialog().getByLabel('Filter, as SQL').fill("region = 'EU");
    await inDialog().getByRole('button', { name: 'Add' }).click();
    await inDialog()
      .getByText(/Line 1, column 10/)
      .waitFor();
    // Under the pointer the main button keeps a ground for its label.
    expect(await groundUnderPointer('Add')).not.toBe(await groundUnderPointer('Cancel'));
    await inDialog().getByLabel('Filter, as SQL').fill("region = 'EU'");
    await inDialog().getByRole('button', { name: 'Add' }).click();
    const row = dashboard.page.getByRole('row', { name: /^eu / });
    await row.getByText("region = 'EU'").waitFor();
    await dashboard.shows('$Default takes every message, so the other rules keep none away.');
    await row.getByRole('button', { name: 'Edit…' }).click();
    await inDialog().getByLabel('Action, as SQL').fill('SET seen = 1');
    await inDialog().getByRole('button', { name: 'Save' }).click();
    await row.getByText('SET seen = 1').waitFor();

    await callControl(jitney, 'messages?entity=events', {
      subject: 'tried',
      applicationProperties: { region: 'EU' },
    });
    await dashboard.go('rules/events');
    const choice = dashboard.page.getByLabel('Take a message of the topic');
    await choice.focus();
    await choice.locator('option', { hasText: 'tried' }).first().waitFor({ state: 'attached' });
    await choice.selectOption({ index: 1 });
    const rule = dashboard.page.getByRole('region', { name: 'Rule eu' });
    await rule.getByText('Matched', { exact: true }).waitFor();
    await rule.getByRole('button', { name: 'Remove…' }).click();
    await inDialog().getByRole('button', { name: 'Remove' }).click();
    await rule.waitFor({ state: 'detached' });
    // The browser tells of the two mistakes above.
    expect(dashboard.problems.filter((text) => !/status of 400/.test(text))).toEqual([]);
  });
});
