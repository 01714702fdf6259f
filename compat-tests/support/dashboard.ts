// The dashboard of a running Jitney in Chromium, as a person uses it: by its addresses, its buttons and its keys.

import type { Page, Request } from 'playwright-core';
import { launchChromium } from './chromium.js';
import type { Jitney } from './jitney.js';
import { LAST_LIMIT_MS } from './running-process.js';

export type DashboardOptions = {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  /** Pixels of a picture for each of the page, in a browser of its own; without it one. */
  readonly scale?: number;
  /** Without it, nothing moves when a test looks, which also spares a quarter of the browser's work. */
  readonly motion?: 'no-preference';
  /** A tab without another dashboard, which stays open; without it, the dashboard has a browser of its own. */
  readonly page?: Page;
};

/** As much of the page as helps to see why it does not show what it should. */
const TOLD_LENGTH = 2000;
/** The stream of events never ends. */
const ENDLESS = /\/v1\/events\b/;
/** Runs in the browser, where this project has no types: resolves when two frames in a row have changed nothing. */
const UNCHANGED = `new Promise((resolve) => {
  let unchanged = 0;
  const observer = new MutationObserver(() => { unchanged = 0; });
  observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  const look = () => {
    unchanged += 1;
    if (unchanged <= 2) return requestAnimationFrame(look);
    observer.disconnect();
    resolve();
  };
  requestAnimationFrame(look);
})`;

/** Runs in the browser. What a page does by itself keeps its process; a new process takes three times as long. */
const LEAVE = `localStorage.clear(); sessionStorage.clear(); location.href = 'about:blank'`;

export class Dashboard implements AsyncDisposable {
  readonly page: Page;
  readonly #leave: () => Promise<void>;
  /** Errors of the script, warnings of the browser, and refusals of the content security policy. */
  readonly problems: string[] = [];
  /** Requests to any other origin than the emulator's. */
  readonly foreignRequests: string[] = [];
  readonly #origin: string;
  /** Requests without an answer. */
  readonly #asked = new Set<Request>();
  #askedCount = 0;

  private constructor(page: Page, origin: string, leave: () => Promise<void>) {
    this.page = page;
    this.#leave = leave;
    this.#origin = origin;
    page.setDefaultTimeout(LAST_LIMIT_MS);
    page.on('pageerror', (error) => this.problems.push(error.message));
    page.on('console', (line) => {
      if (line.type() === 'error' || line.type() === 'warning') this.problems.push(line.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(origin)) this.foreignRequests.push(request.url());
      if (ENDLESS.test(request.url())) return;
      this.#asked.add(request);
      this.#askedCount += 1;
    });
    page.on('requestfinished', (request) => this.#asked.delete(request));
    page.on('requestfailed', (request) => this.#asked.delete(request));
  }

  static async open(jitney: Jitney, options: DashboardOptions = {}): Promise<Dashboard> {
    const { theme = 'light', width = 1440, height = 900, scale = 1, motion = 'reduce' } = options;
    const origin = `http://localhost:${jitney.address.port}`;
    const look = { colorScheme: theme, reducedMotion: motion } as const;
    const viewport = { width, height };
    let dashboard: Dashboard;
    if (options.page !== undefined) {
      const { page } = options;
      await page.setViewportSize(viewport);
      await page.emulateMedia(look);
      dashboard = new Dashboard(page, origin, () => leaveEmpty(page));
    } else {
      const browser = await launchChromium();
      const page = await browser.newPage({ ...look, viewport, deviceScaleFactor: scale });
      dashboard = new Dashboard(page, origin, () => browser.close());
    }
    await dashboard.page.goto(`${origin}/`);
    return dashboard;
  }

  /** Opens a screen by its address, such as `e/orders/active`. */
  async go(place: string): Promise<void> {
    await this.page.goto(`${this.#origin}/#/${place}`);
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  button(name: string | RegExp) {
    return this.page.getByRole('button', { name });
  }

  /** Waits until the page shows this text somewhere in its content. */
  async shows(text: string | RegExp): Promise<void> {
    const main = this.page.getByRole('main');
    try {
      await main.getByText(text).first().waitFor();
    } catch (cause) {
      const shown = (await main.innerText()).slice(0, TOLD_LENGTH);
      throw new Error(`${this.page.url()} does not show ${text}, but:\n${shown}`, { cause });
    }
  }

  /** Waits until the screen has all that it asks for, one after the other, and has drawn it. */
  async settled(): Promise<void> {
    let count: number;
    do {
      count = this.#askedCount;
      await this.page.evaluate(UNCHANGED);
    } while (this.#asked.size > 0 || this.#askedCount > count);
  }

  /** Resolves when the screen is laid out anew. */
  async resize(width: number, height: number): Promise<void> {
    await this.page.setViewportSize({ width, height });
    await this.page.evaluate(UNCHANGED);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#leave();
  }
}

/** What the page keeps is kept by its address, which another emulator does not have unless it has taken over the port. */
async function leaveEmpty(page: Page): Promise<void> {
  for (const event of ['pageerror', 'console', 'request', 'requestfinished', 'requestfailed'])
    page.removeAllListeners(event);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().clearPermissions();
  for (const other of page.context().pages()) if (other !== page) await other.close();
  await page.evaluate(LEAVE);
  await page.waitForURL('about:blank');
}
