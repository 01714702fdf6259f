// Keys that come as early as they can, before the browser has painted what the last one did: none is lost, and none acts on what was left.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CHROMIUM, sharedPage } from '../support/chromium.js';
import { callControl } from '../support/control.js';
import { Dashboard } from '../support/dashboard.js';
import { Jitney } from '../support/jitney.js';

const PATIENCE = { timeout: 60_000 };

describe.skipIf(CHROMIUM === undefined)('a key that comes at once', () => {
  let jitney: Jitney;
  let dashboard: Dashboard;

  beforeAll(async () => {
    jitney = await Jitney.start({ queues: ['orders', 'parcels'] });
    await callControl(jitney, 'messages?entity=orders', [{ messageId: 'o-1' }, { messageId: 'o-2' }]);
    await callControl(jitney, 'messages?entity=parcels', [{ messageId: 'p-1' }]);
    dashboard = await Dashboard.open(jitney, { page: await sharedPage() });
  });
  beforeEach(() => dashboard.page.unrouteAll({ behavior: 'ignoreErrors' }));
  afterAll(async () => {
    await dashboard[Symbol.asyncDispose]();
    await jitney.stop();
  });
  const rows = () => dashboard.page.locator('tr[aria-rowindex]');
  const dialog = () => dashboard.page.getByRole('dialog');
  const showList = async (place: string, count: number) => {
    await dashboard.go(place);
    await expect.poll(() => rows().count(), PATIENCE).toBe(count);
  };
  /** Has the page go there by a link, as a click does, and press the keys in the same task. */
  const goAndPress = (place: string | undefined, ...keys: readonly string[]) =>
    dashboard.page.evaluate(
      `(async (place, keys) => {
        const drawn = async () => { for (let turn = 0; turn < 20; turn++) await undefined; };
        if (place !== undefined) {
          const link = document.createElement('a');
          link.href = '#/' + place;
          document.body.append(link);
          link.click();
          link.remove();
          await drawn();
        }
        for (const key of keys) {
          document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
          await drawn();
        }
      })(${place === undefined ? undefined : JSON.stringify(place)}, ${JSON.stringify(keys)})`,
    );

  test('chooses a message and zooms on a timeline whose filter has just changed', async () => {
    await showList('timeline?q=entity%3Aparcels', 1);
    await goAndPress('timeline', 'j', '-');
    await dashboard.page.locator('tr[aria-current="true"]').getByText('o-1').waitFor();
    await dashboard.page.locator('button[aria-pressed="false"]', { hasText: 'Fit' }).waitFor();
    await dashboard.settled();
    expect(await dashboard.page.locator('tr[aria-current="true"]').count()).toBe(1);
    expect(await dashboard.page.locator('button[aria-pressed="false"]', { hasText: 'Fit' }).count()).toBe(1);
  });

  test('is one of the screen to which a link leads', async () => {
    await showList('e/orders/active', 2);
    await goAndPress('connections', 'o');
    await dashboard.page.getByRole('heading', { name: 'Connections' }).waitFor();
    expect(dashboard.page.url()).toMatch(/connections$/);
  });

  test('acts on no message of the list before, whether it was selected or not', async () => {
    await showList('e/orders/active', 2);
    let answer = () => {};
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await dashboard.page.route('**/messages?*', async (request) => {
      await isAnswered;
      await request.continue();
    });
    await dashboard.press('x');
    const asked = dashboard.page.waitForRequest('**/messages?*');
    await goAndPress('e/orders/active?q=id%3Ao-2', 'd', 'o');
    await asked;
    expect(await dialog().count()).toBe(0);
    expect(dashboard.page.url()).toMatch(/q=id%3Ao-2$/);
    answer();
    await expect.poll(() => rows().count(), PATIENCE).toBe(1);
    await dashboard.press('d');
    await dialog().getByText('Delete #2 of orders?').waitFor();
    await dashboard.press('Escape');
  });

  test('is one of the question that was just asked, and of the page when it was just answered', async () => {
    await showList('e/orders/active', 2);
    await goAndPress(undefined, 'd', 'o');
    await dialog().getByText('Delete #1 of orders?').waitFor();
    expect(dashboard.page.url()).toMatch(/active$/);
    await dashboard.press('Escape', 'j', 'o');
    await dashboard.page.waitForURL(/active\/2$/);
  });

  test('is one of the screen, and not of the page around it, if both have it', async () => {
    await dashboard.go('overview');
    for (const screen of ['timeline', 'e/orders/active']) {
      await dashboard.go(screen);
      await rows().first().waitFor();
      // The sheet of keys has the whole page drawn anew.
      await dashboard.press('?', 'Escape', '/');
      expect(await dashboard.page.evaluate('document.activeElement.hasAttribute("data-filter")')).toBe(true);
      await dashboard.press('Escape');
    }
  });
});
