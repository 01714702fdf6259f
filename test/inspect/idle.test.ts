// `idle`: nothing is in progress, and the error names all that still is.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitForIdle } from '../../src/inspect/idle.js';
import { notRunning } from '../../src/inspect/look-context.js';
import { bin, type Encoded, FALSE, TRUE, uint } from '../support/frame-encoder.js';
import { settle } from '../support/frame-links.js';
import { composite } from '../support/frame-lists.js';
import { dataSection } from '../support/frame-message.js';
import { LinkClient } from '../support/link-client.js';
import { LookUnderTest } from './look-under-test.js';

const ACCEPTED = composite('accepted');
const COMPLETE = { kind: 'complete' } as const;
const DEAD_LETTER = { kind: 'dead-letter', changes: [] } as const;
const QUIET_STEP_MS = 25;
const FIRST_TRANSFER = {
  handle: uint(0),
  deliveryId: uint(0),
  deliveryTag: bin(Buffer.of(1)),
  settled: TRUE,
};

let look: LookUnderTest;
beforeEach(async () => {
  look = await LookUnderTest.open({
    queues: ['orders', 'target', 'second?forwardTo=target', 'first?forwardTo=second'],
  });
});
afterEach(async () => {
  expect(look.timers.delays).toEqual([]);
  expect(look.emulator.faults).toEqual([]);
  await look.emulator.stop();
});

/** A wait and whether it has ended, which no timer does unless a test moves it. */
function waiting(options: Parameters<typeof waitForIdle>[1] = {}) {
  const ended = waitForIdle(look.context, options);
  let isIdle = false;
  ended.then(
    () => {
      isIdle = true;
    },
    () => {},
  );
  const isPending = async () => {
    await look.settled();
    return !isIdle;
  };
  return { ended, isPending };
}

/** The time in which nothing must happen while messages are left. */
async function passQuietTime(): Promise<void> {
  for (let step = 0; step < 10; step++) {
    look.timers.advance(QUIET_STEP_MS);
    await look.settled();
  }
}

async function messageOfTimeout(wait: ReturnType<typeof waiting>): Promise<string> {
  expect(await wait.isPending()).toBe(true);
  look.timers.advance(5000);
  await expect(wait.ended).rejects.toMatchObject({ name: 'JitneyError', kind: 'not-idle', code: 'JIT7004' });
  return wait.ended.then(String, (error: Error) => error.message);
}

describe('an emulator is idle', () => {
  it('at once without messages, and with messages that are scheduled, deferred or dead', async () => {
    const scheduledEnqueueTime = new Date(look.emulator.clock.now() + 60_000).toISOString();
    await look.send('orders', { body: 'a', scheduledEnqueueTime }, { body: 'b' }, { body: 'c' });
    await look.settle('orders', await look.lockOne('orders'), { kind: 'defer', changes: [] });
    await look.settle('orders', await look.lockOne('orders'), DEAD_LETTER);
    await waitForIdle(look.context, { timeoutMs: 0 });
  });

  it('when the last lock has ended', async () => {
    await look.send('orders', { body: 'a' });
    const lockToken = await look.lockOne('orders');
    const wait = waiting();
    expect(await wait.isPending()).toBe(true);
    await look.settle('orders', lockToken, COMPLETE);
    await wait.ended;
  });

  it('when the message of a dead-letter queue is settled', async () => {
    await look.send('orders', { body: 'a' });
    await look.settle('orders', await look.lockOne('orders'), DEAD_LETTER);
    const path = 'orders/$DeadLetterQueue';
    const lockToken = await look.lockOne(path);
    const wait = waiting();
    expect(await wait.isPending()).toBe(true);
    await look.settle(path, lockToken, COMPLETE);
    await wait.ended;
  });

  it('when forwarded messages have arrived, some quiet after that', async () => {
    await look.send('first', { body: 'a' });
    const wait = waiting();
    expect(await wait.isPending()).toBe(true);
    expect(look.timers.delays).toEqual([5000]); // the second hop is still to come
    look.emulator.clock.advance(1);
    expect(await wait.isPending()).toBe(true);
    await passQuietTime();
    await wait.ended;
  });

  it('not between two messages of a receiver that asks for one at a time', async () => {
    await look.send('orders', { body: 'a' }, { body: 'b' });
    const client = await LinkClient.open(look.emulator.connect(), 'orders');
    await client.openReceiver();
    client.give({ credit: 1 });
    const first = await client.take();
    const wait = waiting();
    await settle(client.session, first.deliveryId, ACCEPTED);
    expect(await wait.isPending()).toBe(true);
    look.timers.advance(QUIET_STEP_MS * 9);
    client.give({ credit: 1, used: 1 });
    const second = await client.take();
    await passQuietTime();
    expect(await wait.isPending()).toBe(true);
    await settle(client.session, second.deliveryId, ACCEPTED);
    await wait.ended;
  });

  it('after some quiet when messages are left, which begins anew with all that happens', async () => {
    await look.send('orders', { body: 'a' });
    const wait = waiting();
    await look.settled();
    for (let step = 0; step < 9; step++) look.timers.advance(QUIET_STEP_MS);
    await look.send('orders', { body: 'b' });
    await look.settled();
    for (let step = 0; step < 9; step++) look.timers.advance(QUIET_STEP_MS);
    expect(await wait.isPending()).toBe(true);
    const atTheEnd = look.send('orders', { body: 'c' });
    look.timers.advance(QUIET_STEP_MS);
    await atTheEnd;
    expect(await wait.isPending()).toBe(true);
    await passQuietTime();
    await wait.ended;
  });

  it('when a client has read what was written to it', async () => {
    const duplex = look.emulator.connect();
    const client = await LinkClient.open(duplex, 'orders');
    await client.openReceiver(1, undefined, { isSettled: true });
    client.give({ credit: 10 });
    await look.settled();
    duplex.pause();
    await look.send('orders', ...Array.from({ length: 10 }, () => ({ body: 'x'.repeat(20_000) })));
    const wait = waiting();
    expect(await wait.isPending()).toBe(true);
    duplex.resume();
    await wait.ended;
  });

  it('when a message has come in full', async () => {
    const client = await LinkClient.open(look.emulator.connect(), 'orders');
    await client.openSender();
    const message = dataSection('x'.repeat(100));
    const piece = (payload: Buffer, more: Encoded) =>
      client.session.send('transfer', { ...FIRST_TRANSFER, more }, { payload });
    piece(message.subarray(0, 50), TRUE);
    await look.settled();
    const wait = waiting();
    expect(await wait.isPending()).toBe(true);
    piece(message.subarray(50), FALSE);
    await look.settled();
    await passQuietTime();
    await wait.ended;
  });
});

it('the recording of what happens ends with the wait, unless somebody has turned it on meanwhile', async () => {
  const { activity } = look.emulator;
  await look.send('orders', { body: 'a' });
  const first = await look.lockOne('orders');
  const [wait, other] = [waiting(), waiting()];
  expect([await wait.isPending(), activity.isOn]).toEqual([true, true]);
  expect(activity.counts).toBe(undefined); // `/metrics` has no counters that go away again
  await look.settle('orders', first, COMPLETE);
  await Promise.all([wait.ended, other.ended]);
  expect([activity.isOn, activity.nextId]).toEqual([false, 1]);
  const last = waiting();
  activity.turnOn();
  await last.ended;
  expect(activity.isOn).toBe(true);
});

it('an option of another name is refused', async () => {
  const options = { timeout: 100 } as Parameters<typeof waitForIdle>[1];
  const text = "idle has no option 'timeout'; it has timeoutMs, signal. Did you mean 'timeoutMs'?";
  await expect(waitForIdle(look.context, options)).rejects.toThrow(new TypeError(text));
});

describe('an emulator that is not idle in time', () => {
  it('says which messages are locked, until when and by which client', async () => {
    await look.send('orders', { body: 'a' }, { body: 'b' });
    const client = await LinkClient.open(look.emulator.connect(), 'orders');
    await client.openReceiver();
    client.give({ credit: 2 });
    await client.takeTexts(2);
    expect(await messageOfTimeout(waiting())).toMatch(
      /^The emulator was not idle within 5000 ms: 'orders' has 2 messages locked, #1 until 2026-01-01T00:01:00.000Z by connection 1, .+\.$/,
    );
  });

  it('says what is on the way to another entity', async () => {
    await look.send('first', { body: 'a' });
    expect(await messageOfTimeout(waiting())).toContain(": 'second' has 1 message on the way to 'target'.");
  });

  it('says that a delivery is not written yet', async () => {
    const { engine } = look.emulator;
    const sink = { isReady: () => false, deliver() {}, dropped() {}, drained() {}, detached() {} };
    const linkId = engine.openLink(sink);
    const receiveMode = 'receive-and-delete';
    await look.execute({ kind: 'attach-receiver', linkId, entityPath: 'orders', receiveMode });
    await look.execute({ kind: 'set-credit', linkId, deliveryLimit: 1, drain: false });
    await look.send('orders', { body: 'a' });
    expect(await messageOfTimeout(waiting())).toContain(': deliveries that are not written yet: 1.');
  });

  it('says that a transaction is open', async () => {
    const client = await LinkClient.open(look.emulator.connect());
    await client.openControl();
    await client.declare();
    expect(await messageOfTimeout(waiting())).toContain(': open transactions: 1.');
  });

  it('says where messages are left, when there was no quiet', async () => {
    await look.send('orders', { body: 'a' });
    const wait = waiting({ timeoutMs: 100 });
    await look.settled();
    look.timers.advance(100);
    await expect(wait.ended).rejects.toThrow(
      "The emulator was not idle within 100 ms: 'orders' has 1 message and 0 receivers, and there was no quiet time of 250 ms.",
    );
  });

  it('ends with the reason of its signal, and with the emulator', async () => {
    await look.send('orders', { body: 'a' });
    await look.lockOne('orders');
    const controller = new AbortController();
    const aborted = waiting({ signal: controller.signal });
    const stopped = waiting();
    await look.settled();
    controller.abort(new Error('the test is over'));
    await expect(aborted.ended).rejects.toThrow('the test is over');
    look.context.waits.endAll(notRunning());
    await expect(stopped.ended).rejects.toMatchObject({ kind: 'not-running' });
  });
});
