// Receivers of message sessions through the whole server, frame by frame: from the attach to the end of the session's lock.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { array, described, FALSE, list, map, str, sym, TRUE, uint, ulong } from '../support/frame-encoder.js';
import { receiverFields } from '../support/frame-fields.js';
import { composite, readList } from '../support/frame-lists.js';
import { notation } from '../support/frame-notation.js';
import { turns } from '../support/rhea-client.js';
import { LARGEST_DATE, SessionClient } from '../support/session-client.js';
import { VirtualTimers } from '../support/virtual-timers.js';

const LOCK_MS = 30_000;
const QUEUES = ['q?requiresSession=true&lockDuration=PT30S', 'plain'];

let emulator: EmulatorUnderTest;
let timers: VirtualTimers;
let client: SessionClient;

beforeEach(async () => {
  timers = new VirtualTimers();
  emulator = await openEmulatorUnderTest({ queues: QUEUES, startTimer: timers.startTimer });
  client = await connect();
});
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  expect(timers.delays).toEqual([]);
  await emulator.stop();
});

const connect = () => SessionClient.open(emulator.connect());

async function send(sessionId: string, ...texts: readonly string[]): Promise<void> {
  await (await connect()).send(sessionId, ...texts);
}

async function takeTexts(count: number): Promise<string[]> {
  const texts: string[] = [];
  while (texts.length < count) texts.push((await client.take()).text);
  return texts;
}

describe('a session that is accepted by its id', () => {
  test.each([
    ['of a customer', 'customer 7'],
    ['that is empty', ''],
    ['in any script', 'Kundin Ä 客户 🧺'],
    ['of 128 characters', '客'.repeat(128)],
  ])(
    '%s is granted at once, with messages or without, and named in the answer [SES-06, SES-10, X3]',
    async (_, id) => {
      const granted = await client.accept(id);
      expect(granted.sessionId).toBe(id);
      expect(granted.lockedUntil).toBe(emulator.clock.now() + LOCK_MS);
      expect(granted.attach.positions).toHaveLength(14);
    },
  );

  test('is refused and released when its id does not fit into a frame of the client [SES-10]', async () => {
    await send('客'.repeat(128), 'a');
    const small = await SessionClient.open(emulator.connect(), { maxFrameSize: 512 });
    small.ask(null);
    const { condition, description } = await small.refused();
    expect(condition).toBe('amqp:frame-size-too-small');
    expect(description).toContain('128 characters');
    expect((await client.accept(null)).sessionId).toBe('客'.repeat(128));
  });

  test('is answered with the other fields of the attach as they came, and no other filter [SES-10]', async () => {
    const filter = map([
      [sym('no-local'), described(ulong(0x468c00000003n), list([]))],
      [sym('com.microsoft:session-filter'), str('one')],
    ]);
    const source = {
      address: str('q'),
      timeout: uint(5),
      filter,
      outcomes: array([sym('amqp:accepted:list')]),
    };
    client.channel.send('attach', receiverFields(0, { source: composite('source', source) }));
    const { attach } = await client.granted();
    expect(notation(attach.field('source'))).toBe(
      `source["q", null, null, uint 5, null, null, null, {'com.microsoft:session-filter: "one"}, null, array ['amqp:accepted:list]]`,
    );
    expect(notation(attach.field('target'))).toBe('target[]');
    expect(notation(attach.field('sndSettleMode'))).toBe('ubyte 0');
    expect(notation(attach.field('rcvSettleMode'))).toBe('ubyte 1');
    expect(notation(attach.field('initialDeliveryCount'))).toBe('uint 0');
    // 2026-01-01T00:00:30Z
    expect(notation(attach.field('properties'))).toBe(
      `{'com.microsoft:locked-until-utc: long 639028224300000000}`,
    );
  });

  test('gives its messages in order as far as the credit goes, each locked until the largest date [SES-04, SES-05, RCV-05, X7, X8]', async () => {
    await send('one', 'a', 'b');
    await send('two', 'not mine');
    await client.accept('one');
    client.give(3);
    const lockedUntil = LARGEST_DATE;
    expect(await client.take()).toMatchObject({ text: 'a', lockedUntil, deliveryCount: 0, isSettled: false });
    expect(await takeTexts(1)).toEqual(['b']);
    await send('one', 'c', 'd');
    expect(await takeTexts(1)).toEqual(['c']);
    await client.expectSilence();
    client.give(1, { used: 3 });
    expect(await takeTexts(1)).toEqual(['d']);
  });

  test('delivers for the credit that came in one write with the attach [SES-04]', async () => {
    await send('one', 'a');
    client.ask('one');
    client.give(1);
    const attach = await client.channel.expect('attach');
    expect(attach.field('source')?.type).toBe('described');
    expect(await takeTexts(1)).toEqual(['a']);
  });

  test('is received and deleted where the sender settles [RCV-01, RCV-02]', async () => {
    await send('one', 'a', 'b');
    await client.accept('one', { isSettled: true });
    client.give(1);
    expect(await client.take()).toMatchObject({ text: 'a', isSettled: true, lockedUntil: undefined });
    await client.close();
    await client.accept('one');
    client.give(2);
    expect(await client.take()).toMatchObject({ text: 'b', deliveryCount: 0 });
    await client.expectSilence();
  });
});

describe('a session that is held', () => {
  test('is refused at once, to its own connection and to others [SES-06, X5]', async () => {
    await client.accept('one');
    for (const asking of [client, await connect()]) {
      asking.ask('one', { handle: 1 });
      expect((await asking.refused()).condition).toBe('com.microsoft:session-cannot-be-locked');
    }
    expect((await client.accept('two', { handle: 2 })).sessionId).toBe('two');
  });

  const ends: readonly [string, () => Promise<void> | void][] = [
    ['its link is closed', () => client.close()],
    ['its AMQP session ends', () => client.end()],
    ['its connection is lost', () => client.vanish()],
  ];
  test.each(ends)('is free at once when %s, and no delivery counts [SES-14, LNK-05, X12]', async (_, end) => {
    await send('one', 'a', 'b');
    await client.accept('one');
    client.give(2);
    await takeTexts(2);
    await end();
    await turns();
    const next = await connect();
    await next.accept('one');
    next.give(2);
    expect(await next.take()).toMatchObject({ text: 'a', deliveryCount: 0 });
    expect(await next.take()).toMatchObject({ text: 'b', deliveryCount: 0 });
  });

  test('is lost when its lock ends: the detach says why, and its deliveries count [SES-12, SES-13, X11]', async () => {
    await send('one', 'a');
    await client.accept('one');
    client.give(2);
    await takeTexts(1);
    emulator.clock.advance(LOCK_MS - 1);
    await client.expectSilence();
    emulator.clock.advance(1);
    const detach = await client.channel.take('detach');
    expect(detach.field('closed')?.value).toBe(true);
    const error = readList(detach.field('error'));
    expect(notation(error.field('condition'))).toBe("'com.microsoft:session-lock-lost");
    expect(String(error.field('description')?.value)).toMatch(
      /^The session lock has expired on the MessageSession\. Accept a new MessageSession\. TrackingId:/,
    );
    client.channel.send('detach', { handle: uint(0), closed: FALSE });
    await client.accept('one', { handle: 1 });
    client.give(1, { handle: 1 });
    expect(await client.take()).toMatchObject({ text: 'a', deliveryCount: 1 });
  });

  test('is lost to a settlement that crosses the detach, and that settlement is answered [SES-12, X13]', async () => {
    await send('one', 'a');
    await client.accept('one');
    client.give(1);
    const message = await client.take();
    emulator.clock.advance(LOCK_MS);
    const disposition = await client.settle(message);
    const rejected = readList(disposition.field('state'));
    expect(rejected.name).toBe('rejected');
    expect(rejected.field('error')?.type === 'described' && disposition.text).toContain(
      'com.microsoft:session-lock-lost',
    );
    client.channel.send('detach', { handle: uint(0), closed: TRUE });
    await client.accept('one', { handle: 1 });
    client.give(1, { handle: 1 });
    expect(await client.take()).toMatchObject({ text: 'a', deliveryCount: 1 });
  });
});

describe('a receiver is refused', () => {
  const SESSIONS_NEEDED =
    /^It is not possible for an entity that requires sessions to create a non-sessionful message receiver\./;
  const NO_SESSIONS =
    /^A sessionful message receiver cannot be created on an entity that does not require sessions\./;

  test('without a session where sessions are required [RCV-10]', async () => {
    client.channel.send('attach', receiverFields(0));
    const { condition, description } = await client.refused();
    expect(condition).toBe('amqp:not-allowed');
    expect(description).toMatch(SESSIONS_NEEDED);
  });

  test.each([
    ['one', 'plain'],
    [null, 'plain'],
    ['one', 'q/$DeadLetterQueue'],
    [null, 'q/$DeadLetterQueue'],
  ])('that wants session %j of %s, which has none [RCV-10]', async (id, path) => {
    client.ask(id, { path });
    const { condition, description } = await client.refused();
    expect(condition).toBe('amqp:not-allowed');
    expect(description).toMatch(NO_SESSIONS);
  });
});
