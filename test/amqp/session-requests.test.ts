// What a receiver may say when it asks for a message session: the shapes of the filter, the time it waits, and what is refused.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { decode } from '../support/frame-decoder.js';
import {
  bin,
  boolean,
  byte,
  described,
  double,
  type Encoded,
  int,
  list,
  long,
  map,
  NULL,
  short,
  str,
  sym,
  timestamp,
  ubyte,
  uint,
  ulong,
  ushort,
} from '../support/frame-encoder.js';
import { readList } from '../support/frame-lists.js';
import { notation } from '../support/frame-notation.js';
import { turns } from '../support/rhea-client.js';
import { SessionClient } from '../support/session-client.js';
import { VirtualTimers } from '../support/virtual-timers.js';

const FILTER = 'com.microsoft:session-filter';
const GO = ulong(0x137000000cn);
const LONGEST_MS = 2 ** 31 - 1;

let emulator: EmulatorUnderTest;
let timers: VirtualTimers;
let client: SessionClient;

beforeEach(async () => {
  timers = new VirtualTimers();
  emulator = await openEmulatorUnderTest({
    queues: ['q?requiresSession=true'],
    startTimer: timers.startTimer,
  });
  client = await SessionClient.open(emulator.connect());
});
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

const filterWith = (value: Encoded, key = sym(FILTER)) => map([[key, value]]);

async function send(sessionId: string): Promise<void> {
  await (await SessionClient.open(emulator.connect())).send(sessionId, 'a message');
}

describe('the filter of a session', () => {
  const descriptors: readonly [string, Encoded | undefined][] = [
    ['not described', undefined],
    ['described as by Go', GO],
    ['described by its symbol', sym('com.microsoft:session-filter:string')],
  ];
  const ids: readonly [string, Encoded][] = [
    ['an id', str('one')],
    ['null', NULL],
  ];
  const keys: readonly [string, Encoded][] = [
    ['a symbol', sym(FILTER)],
    ['a string', str(FILTER)],
  ];
  const shapes = descriptors.flatMap(([how, descriptor]) =>
    ids.flatMap(([what, id]) =>
      keys.map(([type, key]) => [what, how, type, { descriptor, id, key }] as const),
    ),
  );
  test.each(shapes)('that is %s, %s, its key %s, is answered in that shape [SES-10]', async (...shape) => {
    const { descriptor, id, key } = shape[3];
    const inShape = (value: Encoded) =>
      filterWith(descriptor === undefined ? value : described(descriptor, value), key);
    await send('one');
    const { attach } = await client.accept(null, { filter: inShape(id) });
    const answered = readList(attach.field('source')).field('filter');
    expect(notation(answered)).toBe(notation(decode(inShape(str('one')))));
  });

  test('is recognised by its descriptor, whatever its key [SES-10]', async () => {
    await send('one');
    const filter = filterWith(described(GO, str('one')), sym('mine'));
    const { attach } = await client.accept(null, { filter });
    const answered = readList(attach.field('source')).field('filter');
    expect(notation(answered)).toBe(notation(decode(filter)));
  });

  test.each<[string, Encoded]>([
    ['int 7', int(7)],
    ['symbol "one"', sym('one')],
    ['binary 6f6e65', bin(Buffer.from('one'))],
    ['true', boolean(true)],
    ['a list of 1: string "one"', list([str('one')])],
    ['a map of 1', map([[str('id'), str('one')]])],
    ['ulong 5', described(GO, ulong(5))],
  ])('that is %s is refused, and the error says what it should be', async (seen, value) => {
    client.ask(null, { filter: filterWith(value) });
    const { condition, description } = await client.refused();
    expect(condition).toBe('com.microsoft:argument-error');
    expect(description).toContain(
      `The filter 'com.microsoft:session-filter' is ${seen}; it must be the id of a session as a string, or null for the next session`,
    );
    expect(timers.delays).toEqual([]);
  });

  test('is refused for a session that would not be held exclusively', async () => {
    const filter = map([
      [
        sym('com.microsoft:non-exclusive-session-filter'),
        described(ulong(0x137000000en), list([str('one')])),
      ],
    ]);
    client.ask(null, { filter });
    const { condition, description } = await client.refused();
    expect(condition).toBe('amqp:not-implemented');
    expect(description).toContain('not held exclusively');
  });
});

describe('the time to wait for a session', () => {
  test.each<[string, Encoded | undefined, number]>([
    ['65 seconds unless it is given', undefined, 65_000],
    ['65 seconds when it is null', NULL, 65_000],
    ['what JavaScript writes', uint(4969), 4969],
    ['nothing', uint(0), 0],
    ['a ubyte', ubyte(200), 200],
    ['a ushort', ushort(60_000), 60_000],
    ['a ulong', ulong(60_000), 60_000],
    ['a byte', byte(100), 100],
    ['a short', short(30_000), 30_000],
    ['an int', int(60_000), 60_000],
    ['a long', long(60_000), 60_000],
    ['as long as a timer can be, for 49 days', uint(0xffff_ffff), LONGEST_MS],
    ['as long as a timer can be, for ever', ulong(0xffff_ffff_ffff_ffffn), LONGEST_MS],
  ])('is %s [SES-09]', async (_, timeout, timeoutMs) => {
    client.ask(null, timeout === undefined ? {} : { timeout });
    await turns();
    expect(timers.delays).toEqual([timeoutMs]);
    await client.close();
    await turns();
    expect(timers.delays).toEqual([]);
  });

  test.each<[string, Encoded]>([
    ['int -1', int(-1)],
    ['long -9223372036854775808', long(-(2n ** 63n))],
    ['double 1.5', double(1.5)],
    ['string "5000"', str('5000')],
    ['timestamp 5000', timestamp(5000)],
  ])('cannot be %s', async (seen, timeout) => {
    client.ask(null, { timeout });
    const { condition, description } = await client.refused();
    expect(condition).toBe('com.microsoft:argument-error');
    expect(description).toContain(
      `The link property 'com.microsoft:timeout' is ${seen}; it must be the milliseconds to wait`,
    );
  });

  test('is ignored for a session that is named: there is nothing to wait for', async () => {
    await client.accept('one', { timeout: int(-1) });
    expect(timers.delays).toEqual([]);
  });
});
