// Pages of other origins, in a real browser, try to use the control interface: they may look if they are of this machine, and change
// nothing.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, sharedPage } from './support/chromium.js';
import { Jitney } from './support/jitney.js';

const PAGE = readFileSync(new URL('browser/foreign-page.html', import.meta.url));
/** A name that the browser takes for one of this machine, as a name server of its owner could say. */
const FOREIGN = 'evil.example';
const LIMIT = { timeout: 60_000 };

let page: Page;
let pages: Server;
let jitney: Jitney;

/** The address of the page under one of the names of this machine. */
const originOf = (host: string) => `http://${host}:${(pages.address() as AddressInfo).port}`;

/** An emulator with two messages, which says every request in its log. */
async function startWithMessages(...options: readonly string[]): Promise<Jitney> {
  const extraArguments = ['--log-level', 'debug', ...options];
  const jitney = await Jitney.start({ queues: ['orders'], extraArguments });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${controlOf(jitney)}messages?entity=orders`, {
    ...{ method: 'POST', headers, body: '[{},{}]' },
  });
  expect(response.status).toBe(200);
  return jitney;
}

function controlOf(jitney: Jitney): string {
  return `http://localhost:${jitney.address.port}/$jitney/v1/`;
}

async function countMessages(jitney: Jitney): Promise<number> {
  const response = await fetch(`${controlOf(jitney)}entity?entity=orders`);
  const { counts } = (await response.json()) as { counts: { active: number } };
  return counts.active;
}

async function tryEverything(jitney: Jitney, host: string): Promise<unknown> {
  await page.goto(originOf(host));
  const learned = await page.evaluate(`tryEverything(${JSON.stringify(controlOf(jitney))})`);
  await page.goto('about:blank');
  return learned;
}

/** How often each changing request of a page has come since, by its answer. */
function answersSince(start: number, jitney: Jitney): Record<string, number> {
  const answers: Record<string, number> = {};
  for (const [, path, status] of jitney.process.output
    .slice(start)
    .matchAll(/^'\/\$jitney\/v1\/(\S+)' {2}POST answered with (\d+) in/gm)) {
    const answer = `${path} ${status}`;
    if (path !== 'messages') answers[answer] = (answers[answer] ?? 0) + 1;
  }
  return answers;
}

describe.skipIf(CHROMIUM === undefined)('a page of another origin', () => {
  beforeAll(async () => {
    pages = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end(PAGE);
    }).listen(0, '127.0.0.1');
    await once(pages, 'listening');
    page = await sharedPage();
    jitney = await startWithMessages();
  });

  afterAll(async () => {
    pages?.close();
    await jitney?.stop();
  });

  it.each([
    ['of the same site', 'localhost'],
    ['of another site on this machine', '127.0.0.1'],
  ])('%s may read, and changes nothing', async (_, host) => {
    const start = jitney.process.output.length;
    expect(await tryEverything(jitney, host)).toEqual({
      get: expect.stringMatching(/^200 \{"entities":/),
      purge: expect.stringMatching(/^403 \{"error":\{"code":"foreign-page"/),
      reset: expect.stringMatching(/^403 \{"error":\{"code":"foreign-page"/),
      plainText: 'unreadable',
      form: 'unreadable',
      beacon: true,
      jsonBeacon: true,
      events: 'open',
      image: 'unreadable',
      script: 'unreadable',
    });
    // The fetch of each, and a purge as plain text, by a form and by a beacon. A beacon with JSON ends at its preflight.
    const answers = { 'messages:purge 403': 4, 'reset 403': 1 };
    await expect.poll(() => answersSince(start, jitney), LIMIT).toEqual(answers);
    expect(await countMessages(jitney)).toBe(2);
  });

  it('of a foreign site reads nothing and changes nothing, and the log names it', async () => {
    const start = jitney.process.output.length;
    expect(await tryEverything(jitney, FOREIGN)).toEqual({
      get: 'unreadable',
      purge: 'unreadable',
      reset: 'unreadable',
      plainText: 'unreadable',
      form: 'unreadable',
      beacon: true,
      jsonBeacon: true,
      events: 'unreadable',
      image: 'unreadable',
      script: 'unreadable',
    });
    // The two that are fetched as JSON end at their preflights.
    await expect.poll(() => answersSince(start, jitney), LIMIT).toEqual({ 'messages:purge 403': 3 });
    expect(jitney.process.output).toContain(
      `A request was refused: Pages of '${originOf(FOREIGN)}' may not use this emulator.`,
    );
    expect(await countMessages(jitney)).toBe(2);
  });

  it('whose host name is made to lead to the emulator is refused by that name', async () => {
    const response = await page.goto(`http://${FOREIGN}:${jitney.address.port}/$jitney/v1/entities`);
    expect(response?.status()).toBe(403);
    expect(await response?.text()).toContain(`--allow-host ${FOREIGN}`);
    await page.goto('about:blank');
  });

  it('has full access if --cors names it and $jitney, but only with JSON', async () => {
    await using open = await startWithMessages('--cors', `${originOf(FOREIGN)},$jitney`);
    expect(await tryEverything(open, FOREIGN)).toMatchObject({
      get: expect.stringMatching(/^200 \{"entities":/),
      ...{ purge: '200 {"count":2}', reset: '200 {"count":0}', plainText: 'unreadable', events: 'open' },
    });
    const answers = { 'messages:purge 200': 1, 'reset 200': 1, 'messages:purge 415': 3 };
    await expect.poll(() => answersSince(0, open), LIMIT).toEqual(answers);
    expect(await countMessages(open)).toBe(0);
  });
});
