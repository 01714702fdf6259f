// Receivers that want the next message session there is, and wait for it: who gets which, who gives up, and what is left of them.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startRealTimer } from '../../src/engine/timer.js';
import { MemoryJournal } from '../../src/journal/memory-journal.js';
import {
  type EmulatorUnderTest,
  openEmulatorUnderTest,
  type UnderTestOptions,
} from '../support/emulator-under-test.js';
import { uint } from '../support/frame-encoder.js';
import { HeldJournal } from '../support/held-journal.js';
import { turns, until } from '../support/rhea-client.js';
import { SessionClient } from '../support/session-client.js';
import { VirtualTimers } from '../support/virtual-timers.js';

const DEFAULT_MS = 65_000;
const TIMED_OUT =
  /^The operation did not complete within the allotted timeout of 00:01:05\. TrackingId:[0-9a-f-]{36}, SystemTracker:\S+:Queue:q, Timestamp:\S+$/;

let emulator: EmulatorUnderTest;
let timers: VirtualTimers;
let client: SessionClient;
let sender: SessionClient;

beforeEach(() => open({}));
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  expect(timers.delays).toEqual([]);
  await emulator.stop();
});

async function open(options: Omit<UnderTestOptions, 'queues'>): Promise<void> {
  timers = new VirtualTimers();
  const queues = ['q?requiresSession=true&lockDuration=PT30S'];
  emulator = await openEmulatorUnderTest({ queues, startTimer: timers.startTimer, ...options });
  client = await connect();
  sender = await connect();
}

const connect = () => SessionClient.open(emulator.connect());

describe('a receiver that wants the next session', () => {
  test('gets no answer until there is one, and the frames it has sent meanwhile count [SES-07, X1, X6]', async () => {
    client.ask(null);
    client.give(1);
    await client.expectSilence();
    await sender.send('one', 'a', 'b');
    expect((await client.granted()).sessionId).toBe('one');
    expect((await client.take()).text).toBe('a');
    await client.expectSilence();
  });

  test('is refused when the time is up: 65 seconds, unless it says otherwise [SES-09, X6]', async () => {
    client.ask(null, { handle: 0 });
    client.ask(null, { handle: 1, timeout: uint(4969) });
    await turns();
    timers.advance(4968);
    await client.expectSilence();
    timers.advance(1);
    const early = await client.refused();
    expect(early.condition).toBe('com.microsoft:timeout');
    expect(early.description).toMatch(
      /^The operation .* allotted timeout of 00:00:04\.9690000\. TrackingId:/,
    );
    timers.advance(DEFAULT_MS - 4969 - 1);
    await client.expectSilence();
    timers.advance(1);
    const late = await client.refused();
    expect(late.condition).toBe('com.microsoft:timeout');
    expect(late.description).toMatch(TIMED_OUT);
  });

  test('waits in real time, whatever passes on the clock of the messages [SES-09]', async () => {
    client.ask(null);
    await turns();
    emulator.clock.advance(10 * DEFAULT_MS);
    await client.expectSilence();
    timers.advance(DEFAULT_MS);
    expect((await client.refused()).condition).toBe('com.microsoft:timeout');
  });

  test('with a timeout of zero still gets a session that is there [SES-07, SES-09]', async () => {
    client.ask(null, { timeout: uint(0) });
    await turns();
    timers.advance(0);
    expect((await client.refused()).condition).toBe('com.microsoft:timeout');
    await sender.send('one', 'a');
    expect((await client.accept(null, { handle: 1, timeout: uint(0) })).sessionId).toBe('one');
  });
});

describe('the waiting', () => {
  test('ends when the emulator stops', async () => {
    client.ask(null);
    await turns();
    await emulator.stop();
    expect(timers.delays).toEqual([]);
  });

  test('keeps no process alive when a real timer ends it', () => {
    const timerCount = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timerCount();
    const cancel = startRealTimer(DEFAULT_MS, () => {});
    expect(timerCount()).toBe(before);
    cancel();
  });
});

describe('60 receivers of one connection that wait', () => {
  test('get the 30 sessions that appear, the first 30 of them and in order; the others time out [SES-07, SES-09, X1, X6]', async () => {
    for (let handle = 0; handle < 60; handle++) client.ask(null, { handle });
    await turns();
    for (let index = 0; index < 30; index++) await sender.send(`s${index}`, `message ${index}`);
    for (let index = 0; index < 30; index++) {
      expect(await client.granted()).toMatchObject({ handle: index, sessionId: `s${index}` });
    }
    for (let handle = 29; handle >= 0; handle--) client.give(1, { handle });
    const texts: string[] = [];
    for (let count = 0; count < 30; count++) {
      const { handle, text } = await client.take();
      texts[handle] = text;
    }
    expect(texts).toEqual(Array.from({ length: 30 }, (_, index) => `message ${index}`));
    await client.expectSilence();
    timers.advance(DEFAULT_MS);
    for (let count = 0; count < 30; count++) {
      const { condition, description } = await client.refused();
      expect(condition).toBe('com.microsoft:timeout');
      expect(description).toMatch(TIMED_OUT);
    }
    await client.expectSilence();
    // Those who gave up hold nothing and wait for nothing.
    await sender.send('late', 'a message');
    expect((await (await connect()).accept(null)).sessionId).toBe('late');
  });
});

describe('a receiver that gives up waiting', () => {
  const ways: readonly [string, (waiting: SessionClient) => Promise<void> | void][] = [
    ['by closing its link', (waiting) => waiting.close()],
    ['by ending its AMQP session', (waiting) => waiting.end()],
    ['with its connection', (waiting) => waiting.vanish()],
    ['because its time is up', timeUp],
  ];

  async function timeUp(waiting: SessionClient): Promise<void> {
    timers.advance(DEFAULT_MS);
    await waiting.refused();
    waiting.channel.send('detach', { handle: uint(0) });
  }

  test.each(ways)('%s delays no other receiver [SES-09, X6]', async (_, giveUp) => {
    const next = await connect();
    client.ask(null);
    await turns();
    await giveUp(client);
    await turns();
    next.ask(null);
    await next.expectSilence();
    await sender.send('one', 'a');
    expect((await next.granted()).sessionId).toBe('one');
  });

  test.each(ways)('%s leaves no timer behind [SES-09, X6]', async (_, giveUp) => {
    client.ask(null);
    await turns();
    expect(timers.delays).toEqual([DEFAULT_MS]);
    await giveUp(client);
    await turns();
    expect(timers.delays).toEqual([]);
  });

  test('gets its attach and its detach answered, and no session that comes then [SES-09]', async () => {
    client.ask(null);
    await turns();
    client.channel.send('detach', { handle: uint(0), closed: Buffer.of(0x41) });
    expect((await client.channel.expect('attach')).field('source')?.type).toBe('null');
    const detach = await client.channel.expect('detach');
    expect(detach.field('closed')?.value).toBe(true);
    expect(detach.field('error')?.type).toBe('null');
    await sender.send('one', 'a');
    await client.expectSilence();
    expect((await client.accept(null)).sessionId).toBe('one');
  });

  test('by ending its AMQP session gets nothing but the end [SES-09]', async () => {
    client.ask(null);
    await turns();
    client.channel.send('end', {});
    await client.channel.expect('end');
    await sender.send('one', 'a');
    timers.advance(DEFAULT_MS);
    await client.expectSilence();
  });

  test('while a session is being granted to it does not get it: the next receiver does [SES-09, SES-14]', async () => {
    await emulator.stop();
    const journal = new HeldJournal(new MemoryJournal());
    await open({ journal });
    const next = await connect();
    client.ask(null);
    await turns();
    next.ask(null);
    await turns();
    journal.hold();
    const sent = sender.send('one', 'a');
    await until(() => journal.heldCount > 0, 'the message is on its way to the journal');
    await client.close();
    await client.channel.expect('attach');
    journal.release();
    await sent;
    expect((await next.granted()).sessionId).toBe('one');
    next.give(1);
    expect(await next.take()).toMatchObject({ text: 'a', deliveryCount: 0 });
    await client.expectSilence();
  });

  test('because its time is up while a session is being granted to it does not get it either [SES-09]', async () => {
    await emulator.stop();
    const journal = new HeldJournal(new MemoryJournal());
    await open({ journal });
    client.ask(null);
    await turns();
    journal.hold();
    const sent = sender.send('one', 'a');
    await until(() => journal.heldCount > 0, 'the message is on its way to the journal');
    timers.advance(DEFAULT_MS);
    expect((await client.refused()).condition).toBe('com.microsoft:timeout');
    journal.release();
    await sent;
    await client.expectSilence();
    expect((await (await connect()).accept(null)).sessionId).toBe('one');
  });
});
