// The dashboard while the emulator is away, and after it was started anew with other messages under the same numbers.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, sharedPage } from '../support/chromium.js';
import { callControl } from '../support/control.js';
import { Dashboard } from '../support/dashboard.js';
import { Jitney } from '../support/jitney.js';

const SEVERAL_LOOKS_MS = 1500;
const LOST = /Jitney has not answered since/;
/** A test has its own: what the others have sent is in memory until the next outage. */
const QUEUES = ['listed', 'opened', 'banner'];

describe.skipIf(CHROMIUM === undefined)('when an emulator with all in memory is started anew', () => {
  let jitney: Jitney;
  let isUp = false;

  beforeAll(async () => {
    jitney = await Jitney.start({ queues: QUEUES });
    isUp = true;
  });
  afterAll(async () => {
    if (isUp) await jitney.stop();
  });

  const open = async () => Dashboard.open(jitney, { page: await sharedPage() });
  const send = (queue: string, ...messageIds: readonly string[]) =>
    callControl(
      jitney,
      `messages?entity=${queue}`,
      messageIds.map((messageId) => ({ messageId })),
    );

  async function goDown(dashboard: Dashboard): Promise<void> {
    await jitney.killNine();
    isUp = false;
    await dashboard.shows(LOST);
  }

  async function comeBack(): Promise<void> {
    jitney = await Jitney.start({ queues: QUEUES, port: jitney.address.port });
    isUp = true;
  }

  test('a list shows the messages of now, also one that was opened or filtered meanwhile', async () => {
    await send('listed', 'before');
    await using dashboard = await open();
    const list = dashboard.page.locator('.messages');
    await dashboard.go('e/listed/active');
    await list.getByText('before').waitFor();
    await goDown(dashboard);
    await comeBack();
    await list.waitFor({ state: 'detached' });
    await dashboard.page.getByText(LOST).waitFor({ state: 'detached' });

    await send('listed', 'second');
    await list.getByText('second').waitFor();
    await goDown(dashboard);
    await dashboard.go('e/listed/active?q=id:third');
    await dashboard.shows('These messages cannot be shown.');
    expect(await list.count()).toBe(0);
    await comeBack();
    await send('listed', 'third');
    await list.getByText('third').waitFor();
  });

  test('a message that is opened meanwhile is shown afterwards, and one that is gone only then', async () => {
    await send('opened', 'before');
    await using dashboard = await open();
    await dashboard.go('e/opened/active');
    await dashboard.page.locator('.messages').getByText('before').waitFor();
    await goDown(dashboard);
    await dashboard.go('e/opened/active/2');
    await dashboard.shows('#2 cannot be shown.');
    await comeBack();
    await send('opened', 'one', 'two');
    await dashboard.page.locator('.head .facts').getByText('two').waitFor();
    // The facts may come from the history alone; the columns are there once the message itself was read.
    await dashboard.page.locator('.msg').waitFor();
    await dashboard.shows('1 step');

    await goDown(dashboard);
    await comeBack();
    await dashboard.shows('#2 is not in opened any more.');
  });

  test('a screen that looks each second does not repeat that nobody answers, and looks again afterwards; a message that cannot be read is not edited as an empty one', async () => {
    await using dashboard = await open();
    await dashboard.go('connections');
    await dashboard.shows('Nobody is connected.');
    await goDown(dashboard);
    await dashboard.page.waitForTimeout(SEVERAL_LOOKS_MS);
    expect(await dashboard.page.getByText('Is it still running?').count()).toBe(0);

    await dashboard.go('new?to=opened&from=1');
    await dashboard.shows('There is nothing to edit.');
    expect(await dashboard.page.locator('form.compose').count()).toBe(0);

    await dashboard.go('connections');
    const looked = dashboard.page.waitForResponse(/v1\/connections/);
    await comeBack();
    expect((await looked).ok()).toBe(true);
  });

  test('the banner has the command that starts it, acts do nothing, and another emulator on its port is told', async () => {
    await send('banner', 'before');
    await using dashboard = await open();
    await dashboard.go('e/banner/active');
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
});
