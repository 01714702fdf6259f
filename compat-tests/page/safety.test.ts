// The dashboard is safe and open to all: hostile messages are shown as text, keys stay secret, and everything can be read aloud and
// done by keys.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IS_THOROUGH } from '../../test/support/thorough.js';
import { CHROMIUM, sharedPage } from '../support/chromium.js';
import { callControl, countsOf } from '../support/control.js';
import { Dashboard } from '../support/dashboard.js';
import { Jitney } from '../support/jitney.js';
import { connect, receiveOne, sendBodies } from '../support/service-bus.js';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const MARKUP = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>';
const HOSTILE = `${MARKUP}\u0000\u001b[31m\u202eedoc`;
const PATIENCE = { timeout: 60_000 };
const LONG_MESSAGE = 'e/orders/active/4';
/** `npm test` looks at the dark theme where the most colours are. */
const IN_DARK = ['overview', 'timeline', 'e/orders/dead', 'e/orders/dead/2', 'new?to=orders', 'rules/events'];
/** Only colours differ between the themes. */
const COLOURS = { runOnly: ['color-contrast'] };
const SCREENS = [
  ...[
    'overview',
    'flow',
    'timeline',
    'e/orders/active',
    'e/orders/dead',
    'e/orders/dead/2',
    'e/orders/rates',
  ],
  ...['e/orders/settings', 'new?to=orders', 'rules/events', 'sessions', 'connections', 'clock', 'connect'],
  ...['about'],
];

async function openPage(jitney: Jitney): Promise<Dashboard> {
  return Dashboard.open(jitney, { page: await sharedPage() });
}

/** What axe has found in a part of the page as it is. */
async function findSerious(page: Page, part: 'html' | 'main', options: object): Promise<string[]> {
  const run = `axe.run('${part}', ${JSON.stringify({ ...options, resultTypes: ['violations'] })})`;
  const { violations } = (await page.evaluate(run)) as AxeResults;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

describe.skipIf(CHROMIUM === undefined)('with hostile messages in every state', () => {
  let jitney: Jitney;

  beforeAll(async () => {
    const extraArguments = ['--topic', 'events/audit'];
    jitney = await Jitney.start({ queues: ['orders', 'carts?requiresSession=true'], extraArguments });
    await using client = connect(jitney.connectionString, { identifier: MARKUP.slice(0, 60) });
    const properties = {
      ...{
        messageId: HOSTILE.slice(0, 100),
        subject: HOSTILE,
        correlationId: HOSTILE,
        contentType: 'text/html',
      },
      applicationProperties: { [MARKUP]: HOSTILE },
    };
    await sendBodies(client, 'orders', [HOSTILE, HOSTILE, { [MARKUP]: HOSTILE }], properties);
    await sendBodies(client, 'orders', ['x'.repeat(200_000)]);
    await sendBodies(client, 'events', [HOSTILE], properties);
    await sendBodies(client, 'carts', [HOSTILE], { sessionId: MARKUP });
    const receiver = client.createReceiver('orders');
    await receiver.completeMessage(await receiveOne(receiver));
    const reason = { deadLetterReason: MARKUP, deadLetterErrorDescription: HOSTILE };
    await receiver.deadLetterMessage(await receiveOne(receiver), reason);
    await receiver.close();
  });
  afterAll(() => jitney.stop());

  test('no screen runs or draws any of it, and axe finds nothing serious, in light and in dark', async () => {
    await using dashboard = await openPage(jitney);
    const { page } = dashboard;
    await page.evaluate(await readFile(AXE, 'utf8'));
    const serious: string[] = [];
    for (const screen of [...SCREENS, 'e/orders/active/3', LONG_MESSAGE, 'e/nothing-there/active']) {
      await page.emulateMedia({ colorScheme: 'light' });
      await dashboard.go(screen);
      await page.locator('main h1, main .problem').first().waitFor();
      await dashboard.settled();
      expect(await page.evaluate('window.pwned'), screen).toBeUndefined();
      expect(await page.locator('img, iframe, main script').count(), screen).toBe(0);
      // What is around them is the same on all screens; the thorough run looks at it on each.
      const part = IS_THOROUGH || screen === SCREENS[0] ? 'html' : 'main';
      serious.push(...(await findSerious(page, part, {})).map((violation) => `${screen}: ${violation}`));
      // The text of the long message is that of the screen before.
      if (screen === LONG_MESSAGE || !(IS_THOROUGH || IN_DARK.includes(screen))) continue;
      await page.emulateMedia({ colorScheme: 'dark' });
      serious.push(
        ...(await findSerious(page, part, COLOURS)).map((violation) => `${screen} in dark: ${violation}`),
      );
    }
    expect(serious).toEqual([]);
    expect(dashboard.problems).toEqual([]);
    expect(dashboard.foreignRequests).toEqual([]);
  });

  test('what is to be read aloud has control characters as signs, each value for itself', async () => {
    await using dashboard = await openPage(jitney);
    await dashboard.go('e/orders/dead/2');
    await dashboard.shows('Why it is here');
    const shown = (await dashboard.page.locator('main').textContent()) ?? '';
    expect(shown).toContain('onerror');
    for (const control of ['\u0000', '\u001b', '\u202e']) expect(shown).not.toContain(control);
  });
});

describe.skipIf(CHROMIUM === undefined)('by keys alone', () => {
  test('the content is reached, all keys are listed, and a dead letter is found, opened and resubmitted', async () => {
    await using jitney = await Jitney.start({ queues: ['orders'] });
    await using dashboard = await openPage(jitney);
    await dashboard.shows('Nothing is connected yet.');
    await dashboard.press('Tab', 'Enter');
    expect(await dashboard.page.evaluate('document.activeElement.id')).toBe('main');
    await dashboard.press('?');
    await dashboard.page.getByRole('dialog').getByText('down, up').waitFor();
    await dashboard.press('Escape');
    await dashboard.page.getByRole('dialog').waitFor({ state: 'detached' });

    await callControl(jitney, 'messages?entity=orders', [{ messageId: 'one' }]);
    await callControl(jitney, 'messages:dead-letter?entity=orders', { sequenceNumbers: [1], reason: 'Bad' });
    await dashboard.shows(/message in|messages in/);
    await dashboard.press('/');
    await dashboard.page.keyboard.type('orders');
    await dashboard.press('Enter');
    await dashboard.page.getByRole('tab', { name: /Active/ }).waitFor();
    expect(await dashboard.page.evaluate('document.activeElement.id')).toBe('main');
    await dashboard.press(']', ']', ']', ']');
    await dashboard.page.locator('.messages tbody tr[aria-rowindex]').first().waitFor();
    await dashboard.press('o');
    await dashboard.shows('Why it is here');
    await dashboard.press('r');
    await expect.poll(async () => (await countsOf(jitney, 'orders')).active, PATIENCE).toBe(1);
  });
});

describe.skipIf(CHROMIUM === undefined)('where keys are checked', () => {
  test('a key opens the page for this tab alone, and comes into no address and no log', async () => {
    const strict = ['--auth', 'strict', '--log-level', 'debug'];
    await using jitney = await Jitney.start({ queues: ['orders'], extraArguments: strict });
    const key = /SharedAccessKey=([^;]+)/.exec(jitney.connectionString)?.[1] ?? '';
    await using dashboard = await openPage(jitney);
    const { page } = dashboard;
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));

    await page.getByLabel('Connection string or key').fill('wrong-key');
    await page.keyboard.press('Enter');
    await page
      .getByRole('alert')
      .getByText("This key is not right for policy 'RootManageSharedAccessKey'")
      .waitFor();
    await page.getByLabel('Connection string or key').fill(jitney.connectionString);
    await page.keyboard.press('Enter');
    await page.locator('main h1', { hasText: 'Overview' }).waitFor();
    await page.reload();
    await page.locator('main h1', { hasText: 'Overview' }).waitFor();

    const [other] = await Promise.all([
      page.context().waitForEvent('page'),
      page.evaluate("window.open(location.href, '_blank', 'noopener')"),
    ]);
    await other.getByLabel('Connection string or key').waitFor();
    expect(key.length).toBeGreaterThan(5);
    expect(addresses.filter((address) => decodeURIComponent(address).includes(key))).toEqual([]);
    const afterBanner = jitney.process.output.slice(jitney.process.output.indexOf('Successfully Up!'));
    expect(afterBanner).not.toContain(key);
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('Signature');
  });
});

describe.skipIf(CHROMIUM === undefined)('with --ui read-only', () => {
  test('the page has no act that changes something', async () => {
    const extraArguments = ['--ui', 'read-only', '--topic', 'events/audit'];
    await using jitney = await Jitney.start({ queues: ['orders'], extraArguments });
    await callControl(jitney, 'messages?entity=orders', [{ messageId: 'one' }]);
    await using dashboard = await openPage(jitney);
    await dashboard.shows('This page is read-only');
    for (const screen of [
      'overview',
      'e/orders/active',
      'e/orders/active/1',
      'rules/events',
      'connections',
      'clock',
    ]) {
      await dashboard.go(screen);
      await dashboard.page.locator('main h1').first().waitFor();
      const acts = dashboard.page.getByRole('button', {
        name: /^(Reset|Purge|Delete|Dead-letter|Resubmit|Move|Send|Save as rule|Add|Advance|Close|Detach|End lock)/,
      });
      expect(await acts.allTextContents(), screen).toEqual([]);
    }
    await dashboard.go('e/orders/active');
    await dashboard.page.locator('.messages tbody tr[aria-rowindex]').first().waitFor();
    await dashboard.press('x', 'd');
    await dashboard.go('rules/events');
    await dashboard.shows('1 of 1 rules match.');
    expect((await countsOf(jitney, 'orders')).active).toBe(1);
  });
});

type AxeResults = {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string | null;
    readonly nodes: readonly { readonly html: string }[];
  }[];
};
