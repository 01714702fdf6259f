// The dashboard while the emulator is away, and after it was started anew with other messages under the same numbers.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CHROMIUM, sharedChromium } from '../support/chromium.js';
import { callControl } from '../support/control.js';
import { Dashboard } from '../support/dashboard.js';
import { Jitney } from '../support/jitney.js';

const SEVERAL_LOOKS_MS = 1500;
const LOST = /Jitney has not answered since/;

describe.skipIf(CHROMIUM === undefined)('when an emulator with all in memory is started anew', () => {
  let jitney: Jitney;
  let isUp = false;

  beforeEach(async () => {
    jitney = await Jitney.start({ queues: ['orders'] });
    isUp = true;
  });
  afterEach(async () => {
    if (isUp) await jitney.stop();
  });

  async function goDown(dashboard: Dashboard): Promise<void> {
    await jitney.killNine();
    isUp = false;
    await dashboard.shows(LOST);
  }

  async function comeBack(...messageIds: readonly string[]): Promise<void> {
    jitney = await Jitney.start({ queues: ['orders'], port: jitney.address.port });
    isUp = true;
    if (messageIds.length === 0) return;
    await callControl(
      jitney,
      'messages?entity=orders',
      messageIds.map((messageId) => ({ messageId })),
    );
  }

  test('a list shows the messages of now, also one that was opened or filtered meanwhile', async () => {
    await callControl(jitney, 'messages?entity=orders', [{ messageId: 'before' }]);
    await using dashboard = await Dashboard.open(jitney, { browser: await sharedChromium() });
    const list = dashboard.page.locator('.messages');
    await dashboard.go('e/orders/active');
    await list.getByText('before').waitFor();
    await goDown(dashboard);
    await comeBack();
    await list.waitFor({ state: 'detached' });

    await callControl(jitney, 'messages?entity=orders', [{ messageId: 'second' }]);
    await list.getByText('second').waitFor();
    await goDown(dashboard);
    await dashboard.go('e/orders/active?q=id:third');
    await dashboard.shows('These messages cannot be shown.');
    expect(await list.count()).toBe(0);
    await comeBack('third');
    await list.getByText('third').waitFor();
  });

  test('a message that is opened meanwhile is shown afterwards, and one that is gone only then', async () => {
    await callControl(jitney, 'messages?entity=orders', [{ messageId: 'opened' }]);
    await using dashboard = await Dashboard.open(jitney, { browser: await sharedChromium() });
    await dashboard.go('e/orders/active');
    await dashboard.page.locator('.messages').getByText('opened').waitFor();
    await goDown(dashboard);
    await dashboard.go('e/orders/active/2');
    await dashboard.shows('#2 cannot be shown.');
    await comeBack('one', 'two');
    await dashboard.page.locator('.head .facts').getByText('two').waitFor();
    await dashboard.page.locator('.msg').waitFor();
    await dashboard.shows('1 step');

    await goDown(dashboard);
    await comeBack();
    await dashboard.shows('#2 is not in orders any more.');
  });

  test('a screen that looks each second does not repeat that nobody answers, and looks again afterwards', async () => {
    await using dashboard = await Dashboard.open(jitney, { browser: await sharedChromium() });
    await dashboard.go('connections');
    await dashboard.shows('Nobody is connected.');
    await goDown(dashboard);
    await dashboard.page.waitForTimeout(SEVERAL_LOOKS_MS);
    expect(await dashboard.page.getByText('Is it still running?').count()).toBe(0);
    const looked = dashboard.page.waitForResponse(/v1\/connections/);
    await comeBack();
    expect((await looked).ok()).toBe(true);
  });

  test('the banner has the command that starts it, acts do nothing, and another emulator on its port is told', async () => {
    await callControl(jitney, 'messages?entity=orders', [{ messageId: 'before' }]);
    await using dashboard = await Dashboard.open(jitney, { browser: await sharedChromium() });
    await dashboard.go('e/orders/active');
    await dashboard.page.locator('.messages').getByText('before').waitFor();
    await goDown(dashboard);
    await dashboard.page
      .getByRole('alert')
      .getByText(/npx jitney --port \d+/)
      .waitFor();
    await dashboard.button('Purge').click();
    await dashboard.shows('Nothing was done: Jitney does not answer.');
    expect(await dashboard.page.getByRole('dialog').count()).toBe(0);
    await comeBack();
    await dashboard.shows(/This is another emulator, started \d\d:\d\d:\d\d\./);
    await dashboard.button('Dismiss').first().click();
    await dashboard.page.getByText('This is another emulator').waitFor({ state: 'detached' });
  });

  test('a message that cannot be read is not edited as an empty one', async () => {
    await using dashboard = await Dashboard.open(jitney, { browser: await sharedChromium() });
    await dashboard.go('sessions');
    await dashboard.shows(/No sessions/);
    await goDown(dashboard);
    await dashboard.go('new?to=orders&from=1');
    await dashboard.shows('There is nothing to edit.');
    expect(await dashboard.page.locator('form.compose').count()).toBe(0);
    await comeBack();
  });
});
