// Every performative against rhea's frame codec in both directions, and the table's checks.

import { describe, expect, it } from 'vitest';
import { ByteWriter } from '../../src/codec/byte-writer.js';
import { DecodeError } from '../../src/codec/decode-error.js';
import { FRAME_TYPE, writeFrame } from '../../src/codec/frames.js';
import {
  decodeError,
  encodeError,
  type Performative,
  readPerformative,
} from '../../src/codec/performatives.js';
import { amqp, encodeValue } from '../../src/codec/types.js';
import { items } from '../support/frame-decoder.js';
import {
  arrayOf,
  described,
  hex,
  list,
  map,
  NULL,
  smallUlong,
  str,
  sym,
  uint,
  variable,
  wideUlong,
} from '../support/frame-encoder.js';
import { SAMPLES } from './performative-samples.js';
import { readByRhea, writeByRhea } from './rhea-frames.js';

const error = described(smallUlong(0x1d), list([sym('amqp:not-found'), str('gone')]));
const accepted = described(smallUlong(0x24), list([]));
const UINT_MAX = 0xffffffff;

const rheasName = (kind: string) => kind.replace('-', '_');
const named = SAMPLES.map((sample) => [sample.ours.kind, sample] as const);

function written(performative: Performative, channel = 0): Buffer {
  const writer = new ByteWriter();
  const type = performative.kind.startsWith('sasl') ? FRAME_TYPE.sasl : FRAME_TYPE.amqp;
  writeFrame(writer, { type, channel, performative });
  return writer.take();
}

/** What was given; rhea and we both fill in defaults. */
function given(performative: object): object {
  const known = Object.entries(performative).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known);
}

const read = (body: Buffer) => readPerformative(body).performative;
const body = (code: number, fields: readonly Buffer[]) => described(smallUlong(code), list(fields));

describe('a performative', () => {
  it.each(named)('%s that we write is read by rhea', (_kind, { ours, rheas }) => {
    const channel = ours.kind.startsWith('sasl') ? 0 : 513;
    const frame = readByRhea(written(ours, channel));
    expect(frame.channel).toBe(channel);
    expect(frame.performative).toMatchObject(rheas);
  });

  it.each(named)('%s that rhea writes is read by us', (kind, { ours, rheas }) => {
    const { source: _s, target: _t, state: _st, ...readable } = ours as Record<string, unknown>;
    const performative = read(writeByRhea(rheasName(kind), rheas).subarray(8));
    expect(withoutTypes(performative)).toMatchObject(withoutTypes(given(readable)));
  });

  it.each(named)(
    '%s that we write is read by us, source, target and state as they were encoded',
    (_kind, { ours }) => {
      expect(withoutTypes(read(written(ours).subarray(8)))).toMatchObject(withoutTypes(given(ours)));
    },
  );

  it.each(named)('%s has every field on the wire, absent ones as null', (kind, { ours }) => {
    const empty = { kind } as unknown as Performative;
    const fieldCount = kind === 'sasl-outcome' ? 2 : Object.keys(ours).length - 1;
    expect(items(written(empty).subarray(8))).toEqual(new Array(fieldCount).fill(NULL));
  });

  it('leaves what follows it to its reader', () => {
    const frame = Buffer.concat([body(0x14, [uint(1)]), hex('005375a00161')]);
    expect(readPerformative(frame).next).toBe(frame.length - 6);
  });

  it('may be described by its symbol, or by a ulong of any width', () => {
    const fields = list([str('c')]);
    for (const descriptor of [
      sym('amqp:open:list'),
      variable(0xa3, Buffer.from('amqp:open:list'), true),
      wideUlong(0x10n),
    ]) {
      expect(read(described(descriptor, fields))).toMatchObject({ kind: 'open', containerId: 'c' });
    }
  });

  it('may be an empty, a short or a wide list', () => {
    expect(read(body(0x18, []))).toMatchObject({ kind: 'close' });
    expect(read(described(smallUlong(0x18), list([], true)))).toMatchObject({ kind: 'close' });
    expect(read(described(smallUlong(0x15), list([hex('41'), uint(1)], true)))).toMatchObject({ first: 1 });
  });

  it.each([
    ['open', body(0x10, [str('c')]), { maxFrameSize: UINT_MAX, channelMax: 0xffff, idleTimeOut: undefined }],
    [
      'begin',
      body(0x11, [NULL, uint(0), uint(1), uint(1)]),
      { handleMax: UINT_MAX, remoteChannel: undefined },
    ],
    [
      'attach',
      body(0x12, [str('l'), uint(0), hex('42')]),
      { sndSettleMode: 2, rcvSettleMode: 0, incompleteUnsettled: false, maxMessageSize: undefined },
    ],
    [
      'flow',
      body(0x13, [NULL, uint(1), uint(0), uint(1), NULL]),
      { drain: false, echo: false, handle: undefined },
    ],
    [
      'transfer',
      body(0x14, [uint(0)]),
      { more: false, resume: false, aborted: false, batchable: false, settled: undefined },
    ],
    ['disposition', body(0x15, [hex('41'), uint(0)]), { settled: false, batchable: false, last: undefined }],
    ['detach', body(0x16, [uint(0), NULL]), { closed: false, error: undefined }],
  ])('%s has its defaults where fields are absent or null', (_kind, bytes, defaults) => {
    expect(read(bytes)).toMatchObject(defaults);
  });

  it.each([
    ['open without a container-id', body(0x10, []), 'open lacks its mandatory field containerId'],
    ['open with a null container-id', body(0x10, [NULL]), 'open lacks its mandatory field containerId'],
    [
      'attach without a name',
      body(0x12, [NULL, uint(0), hex('41')]),
      'attach lacks its mandatory field name',
    ],
    ['attach without a role', body(0x12, [str('l'), uint(0)]), 'attach lacks its mandatory field role'],
    ['transfer without a handle', body(0x14, []), 'transfer lacks its mandatory field handle'],
    [
      'open with a symbol as container-id',
      body(0x10, [sym('c')]),
      'open.containerId has type 0xa3, which is not string',
    ],
    [
      'transfer with an int as handle',
      body(0x14, [hex('5401')]),
      'transfer.handle has type 0x54, which is not uint',
    ],
    [
      'transfer with a ulong as handle',
      body(0x14, [smallUlong(1)]),
      'transfer.handle has type 0x53, which is not uint',
    ],
    [
      'disposition with a uint as role',
      body(0x15, [uint(1), uint(1)]),
      'disposition.role has type 0x52, which is not boolean',
    ],
    [
      'transfer with a string as tag',
      body(0x14, [uint(0), uint(0), str('t')]),
      'transfer.deliveryTag has type 0xa1, which is not binary',
    ],
    [
      'open with a list as properties',
      body(0x10, [str('c'), ...new Array(8).fill(NULL), list([NULL])]),
      'open.properties has type 0xc0, which is not map',
    ],
    [
      'open with string capabilities',
      body(0x10, [str('c'), ...new Array(6).fill(NULL), arrayOf(hex('a1'), [hex('0161')])]),
      'open.offeredCapabilities is an array of Str8, not of symbols',
    ],
  ])('%s is an invalid field', (_name, bytes, message) => {
    const refusal = refusalOf(bytes);
    expect(refusal.message).toBe(message);
    expect(refusal.condition).toBe('amqp:invalid-field');
  });

  it.each([
    ['one field too many', body(0x18, [NULL, NULL]), 'close has 2 fields, 1 are known'],
    ['a map instead of a list', described(smallUlong(0x18), map([])), 'close is not a list'],
    [
      'a list described twice',
      described(smallUlong(0x18), described(smallUlong(0x18), list([]))),
      'close is not a list',
    ],
    ['an unknown code', body(0x19, []), 'a frame holds 25, which is not a performative'],
    ['the code of a section', body(0x70, []), 'a frame holds 112, which is not a performative'],
    [
      'an unknown symbol',
      described(sym('constructor'), list([])),
      'a frame holds constructor, which is not a performative',
    ],
    [
      'the symbol __proto__',
      described(sym('__proto__'), list([])),
      'a frame holds __proto__, which is not a performative',
    ],
    [
      'a string as descriptor',
      described(str('amqp:open:list'), list([])),
      'a descriptor is a Str8, not a ulong or symbol',
    ],
    [
      'a described descriptor',
      described(described(sym('x'), wideUlong(0x18n)), list([])),
      'a descriptor is a Ulong, not a ulong or symbol',
    ],
    ['no descriptor', list([str('c')]), 'a described value is expected'],
    ['nothing', hex(''), 'a described value is expected'],
    ['a descriptor alone', hex('005310'), 'a value is cut short: its constructor is missing'],
    [
      'a list that claims twenty million nulls',
      described(smallUlong(0x18), hex('f0 00000005 01312d00 40')),
      'an array claims 20000000 elements that take no bytes',
    ],
  ])('%s is malformed', (_name, bytes, message) => {
    const refusal = refusalOf(bytes);
    expect(refusal.message).toBe(message);
    expect(refusal.condition).toBe('amqp:decode-error');
  });

  it('takes one capability as a bare symbol and several as an array', () => {
    const offered = (value: Buffer) => read(body(0x10, [str('c'), ...new Array(6).fill(NULL), value]));
    expect(offered(sym('a'))).toMatchObject({ offeredCapabilities: ['a'] });
    expect(offered(arrayOf(hex('a3'), [hex('0161'), hex('0162')]))).toMatchObject({
      offeredCapabilities: ['a', 'b'],
    });
    expect(offered(NULL)).toMatchObject({ offeredCapabilities: undefined });
  });

  it('takes every encoding of a number and of a boolean', () => {
    const handles = [hex('43'), hex('5200'), hex('70 00000000')].map((each) => read(body(0x16, [each])));
    for (const detach of handles) expect(detach).toMatchObject({ handle: 0 });
    const closed = [hex('41'), hex('56 01')].map((each) => read(body(0x16, [uint(1), each])));
    for (const detach of closed) expect(detach).toMatchObject({ closed: true });
    expect(read(body(0x16, [uint(1), hex('56 00')]))).toMatchObject({ closed: false });
  });

  it('may announce the largest ulong as its max-message-size, and may be written again', () => {
    const fields = [str('l'), uint(0), hex('41'), ...new Array(7).fill(NULL), wideUlong(2n ** 64n - 1n)];
    const attach = read(body(0x12, fields));
    expect(attach).toMatchObject({ maxMessageSize: 2 ** 64 });
    expect(read(written(attach).subarray(8))).toMatchObject({ maxMessageSize: 2 ** 64 - 2048 });
  });
});

describe('an error', () => {
  it('is read with its info as it was encoded, by code or symbol', () => {
    const info = map([[sym('k'), hex('94 000102030405060708090a0b0c0d0e0f')]]);
    for (const descriptor of [smallUlong(0x1d), sym('amqp:error:list')]) {
      const bytes = described(descriptor, list([sym('c:d'), str('why'), info]));
      expect(decodeError(bytes)).toEqual({ condition: 'c:d', description: 'why', info });
    }
    expect(decodeError(undefined)).toBeUndefined();
  });

  it('is written as it is read', () => {
    const writer = new ByteWriter();
    const info = encodeValue(amqp.map([[amqp.symbol('k'), amqp.long(1)]]));
    encodeError(writer, { condition: 'c:d', description: undefined, info });
    expect(decodeError(writer.take())).toEqual({ condition: 'c:d', description: undefined, info });
    expect(decodeError(error)).toEqual({ condition: 'amqp:not-found', description: 'gone', info: undefined });
  });

  it('is not something else, has a condition, and a map as its info', () => {
    const errorOf = (fields: Buffer[]) => described(smallUlong(0x1d), list(fields));
    expect(() => decodeError(accepted)).toThrow('36 is not an error');
    expect(() => decodeError(errorOf([]))).toThrow('error lacks its mandatory field condition');
    expect(() => decodeError(errorOf([sym('c'), NULL, list([])]))).toThrow('error.info has type 0x45');
  });
});

function refusalOf(bytes: Buffer): DecodeError {
  try {
    readPerformative(bytes);
  } catch (thrown) {
    if (thrown instanceof DecodeError) return thrown;
    throw thrown;
  }
  throw new Error('accepted');
}

/** Maps differ in the encodings that rhea and we choose: their values are compared, not their types. */
function withoutTypes(value: unknown): object {
  return JSON.parse(JSON.stringify(value)) as object;
}
