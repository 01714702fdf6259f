// What answers over HTTP take from the budget, and that they wait when there is none left. The HTTP server gives it back.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { ByteBudget, type ByteShare } from '../../src/budget/byte-budget.js';
import { createApp } from '../../src/http/app.js';
import { eventStream } from '../../src/http/control/event-writer.js';
import { ActivityStream } from '../../src/watch/activity-stream.js';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { turns, until } from '../support/rhea-client.js';
import { unlimitedShare } from '../support/unlimited-share.js';
import { CONTROL } from './support/control-under-test.js';
import { contextUnderTest } from './support/http-context.js';

const LIMIT = 4_000_000;
const BODY = 'x'.repeat(100_000);
const MESSAGES = 'http://localhost/q/messages';
const TOKEN = 'SharedAccessSignature sr=any&sig=any&se=9999999999&skn=any';
const PAGE = 'http://localhost/$jitney/v1/messages?entity=q';

let emulator: EmulatorUnderTest;
let budget: ByteBudget;
let share: ByteShare;
let faults: readonly unknown[];
let ask: (method: string, url: string, body?: string) => Promise<Response>;
beforeEach(async () => {
  budget = new ByteBudget({ limitBytes: LIMIT });
  share = budget.open(() => {});
  emulator = await openEmulatorUnderTest({ queues: ['q'] });
  const under = contextUnderTest(emulator.engine, { control: CONTROL });
  const handle = createApp(under.context);
  ask = (method, url, body) =>
    handle(
      new Request(url, {
        method,
        headers: { authorization: TOKEN },
        ...(body === undefined ? {} : { body }),
      }),
      {
        headerNames: [],
        target: new URL(url).pathname,
        share,
      },
    );
  faults = under.faults;
});
afterEach(async () => {
  expect([...faults, ...emulator.faults]).toEqual([]);
  await emulator.stop();
});

/** Two other clients hold the budget and the turn of answers, or so much. The function that is returned lets them go. */
async function fill({ turnBytes = 1, leftBytes = 2 * LIMIT + 1 } = {}): Promise<() => void> {
  const [hog, other] = [budget.open(() => {}), budget.open(() => {})];
  hog.add(2 * LIMIT + 1);
  other.wait({ bytes: turnBytes, goOn: () => other.add(turnBytes) });
  await turns(5);
  hog.add(leftBytes - hog.bytes);
  return () => {
    hog.close();
    other.close();
  };
}

/** Whether the answer waits until there is room, and its status then. */
async function answerOnceThereIsRoom(method: string, url: string): Promise<number> {
  const leave = await fill();
  const states = { isAnswered: false };
  const answer = ask(method, url).then((response) => {
    states.isAnswered = true;
    return response.status;
  });
  await turns();
  expect(states.isAnswered).toBe(false);
  leave();
  return answer;
}

test('a page of messages takes what it is made of, before contents are read', async () => {
  for (let count = 0; count < 3; count++) await ask('POST', MESSAGES, BODY);
  const before = share.bytes;
  expect((await ask('GET', PAGE)).status).toBe(200);
  expect(share.bytes - before).toBeGreaterThan(4 * 3 * BODY.length);
  expect(await answerOnceThereIsRoom('GET', PAGE)).toBe(200);
});

test('a page with large contents waits for room for these, and keeps messages that are deleted meanwhile', async () => {
  for (let count = 0; count < 8; count++) await ask('POST', MESSAGES, BODY);
  share.close();
  share = budget.open(() => {});
  const leave = await fill({ turnBytes: 1_500_000, leftBytes: 1_500_000 });
  const page = ask('GET', PAGE);
  await turns();
  expect(share.bytes).toBeLessThan(300_000);
  expect(await emulator.engine.ask({ kind: 'purge', entityPath: 'q' })).toMatchObject({ count: 8 });
  leave();
  const { messages } = (await (await page).json()) as { messages: unknown[] };
  expect(messages).toHaveLength(8);
});

test('an answer of the administration takes the usual size', async () => {
  await ask('GET', 'http://localhost/q');
  expect(share.bytes).toBe(256 * 1024);
  expect(await answerOnceThereIsRoom('GET', 'http://localhost/q')).toBe(200);
});

test('a received message counts from its delivery on; a receiver that waits for one holds nothing', async () => {
  const waiting = ask('POST', `${MESSAGES}/head?timeout=60`);
  await turns();
  expect(share.bytes).toBe(0);
  const receiver = share;
  share = unlimitedShare();
  await ask('POST', MESSAGES, BODY);
  expect((await waiting).status).toBe(201);
  expect(receiver.bytes).toBeGreaterThan(2 * BODY.length);
  share = receiver;
  await ask('POST', MESSAGES, 'small');
  expect(await answerOnceThereIsRoom('POST', `${MESSAGES}/head?timeout=60`)).toBe(201);
});

test('a stream of events counts what is not read, and loses the oldest while there is no room', async () => {
  const activity = new ActivityStream(emulator.engine, () => 0, { capacity: 100 });
  activity.turnOn();
  const stream = eventStream(activity, {
    from: 1,
    grantedAt: 1,
    isWanted: () => true,
    expiresAtMs: Number.POSITIVE_INFINITY,
    ...{ endsWith: () => false, clock: {}, share },
  });
  const streamShare = share;
  share = unlimitedShare();
  const send = async (count: number) => {
    for (let index = 0; index < count; index++) await ask('POST', MESSAGES, 'x');
  };
  const reader = stream.getReader();
  const next = async () => new TextDecoder().decode((await reader.read()).value);
  await next();
  await send(3);
  await until(() => streamShare.bytes > 0, 'a block is made');
  const first = await next();
  expect(first).toContain('"kind":"enqueued"');
  const leave = await fill();
  // The block that is being made when the room ends.
  await send(1);
  await next();
  await send(200);
  await turns();
  // Two blocks of a few events, and not one of 200.
  expect(streamShare.bytes).toBeLessThan(20 * first.length);
  leave();
  expect(await next()).toMatch(/^event: lost\n/);
  await reader.cancel();
});
