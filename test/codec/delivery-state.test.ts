// Delivery states in both directions: every outcome, by code and by symbol.

import { describe, expect, it } from 'vitest';
import { ByteWriter } from '../../src/codec/byte-writer.js';
import { DecodeError } from '../../src/codec/decode-error.js';
import { type DeliveryState, decodeState, encodeState } from '../../src/codec/delivery-state.js';
import {
  bin,
  described,
  hex,
  list,
  map,
  NULL,
  smallUlong,
  str,
  sym,
  uint,
  wideUlong,
} from '../support/frame-encoder.js';

const annotations = map([[sym('k'), described(sym('com.microsoft:timespan'), hex('81 0000000000000001'))]]);
const error = described(smallUlong(0x1d), list([sym('com.microsoft:dead-letter'), NULL, annotations]));
const accepted = described(smallUlong(0x24), list([]));
const transactionId = hex('0102');

type Case = readonly [name: string, code: number, symbol: string, fields: Buffer[], state: DeliveryState];
const CASES: readonly Case[] = [
  ['received', 0x23, 'amqp:received:list', [uint(1), smallUlong(0)], { kind: 'received' }],
  ['accepted', 0x24, 'amqp:accepted:list', [], { kind: 'accepted' }],
  ['rejected', 0x25, 'amqp:rejected:list', [], { kind: 'rejected', error: undefined }],
  [
    'rejected with an error',
    0x25,
    'amqp:rejected:list',
    [error],
    {
      kind: 'rejected',
      error: { condition: 'com.microsoft:dead-letter', description: undefined, info: annotations },
    },
  ],
  ['released', 0x26, 'amqp:released:list', [], { kind: 'released' }],
  [
    'modified',
    0x27,
    'amqp:modified:list',
    [],
    { kind: 'modified', deliveryFailed: false, undeliverableHere: false, messageAnnotations: undefined },
  ],
  [
    'modified with everything',
    0x27,
    'amqp:modified:list',
    [hex('41'), hex('41'), annotations],
    { kind: 'modified', deliveryFailed: true, undeliverableHere: true, messageAnnotations: annotations },
  ],
  ['declared', 0x33, 'amqp:declared:list', [bin(transactionId)], { kind: 'declared', transactionId }],
  [
    'transactional',
    0x34,
    'amqp:transactional-state:list',
    [bin(transactionId)],
    { kind: 'transactional', transactionId, outcome: undefined },
  ],
  [
    'transactional with an outcome',
    0x34,
    'amqp:transactional-state:list',
    [bin(transactionId), accepted],
    { kind: 'transactional', transactionId, outcome: { kind: 'accepted' } },
  ],
];

describe('a delivery state', () => {
  it.each(CASES)(
    '%s is read by its code, its wide code and its symbol',
    (_name, code, symbol, fields, state) => {
      for (const descriptor of [smallUlong(code), wideUlong(BigInt(code)), sym(symbol)]) {
        expect(decodeState(described(descriptor, list(fields)))).toEqual(state);
      }
    },
  );

  it.each(CASES.filter(([name]) => name !== 'received'))(
    '%s is written as it is read',
    (_n, _c, _s, _f, state) => {
      const writer = new ByteWriter();
      encodeState(writer, state);
      expect(decodeState(writer.take())).toEqual(state);
    },
  );

  it('has the defaults of AMQP where booleans are null', () => {
    const modified = described(smallUlong(0x27), list([NULL, NULL, NULL]));
    expect(decodeState(modified)).toMatchObject({ deliveryFailed: false, undeliverableHere: false });
  });

  it('may be absent', () => {
    expect(decodeState(undefined)).toBeUndefined();
  });

  it('rejected without an error is written bare: SDKs take an error inside it for a failure', () => {
    const writer = new ByteWriter();
    encodeState(writer, { kind: 'rejected', error: undefined });
    expect(writer.take()).toEqual(hex('005325 d0 00000004 00000000'));
  });

  it.each([
    ['a code that is none', described(smallUlong(0x28), list([])), '40 is not a delivery state'],
    [
      'a symbol named like a property of every object',
      described(sym('constructor'), list([])),
      'constructor is not a delivery state',
    ],
    ['the symbol __proto__', described(sym('__proto__'), list([])), '__proto__ is not a delivery state'],
    ['a bare list', list([NULL]), 'a described value is expected'],
    ['an accepted that is no list', described(smallUlong(0x24), str('x')), 'delivery state is not a list'],
    [
      'an accepted with a field',
      described(smallUlong(0x24), list([NULL])),
      'delivery state has 1 fields, 0 are known',
    ],
    [
      'annotations that are no map',
      described(smallUlong(0x27), list([NULL, NULL, list([NULL])])),
      'delivery state.messageAnnotations has type 0xc0',
    ],
    [
      'a transaction without an id',
      described(smallUlong(0x34), list([])),
      'delivery state lacks its mandatory field transactionId',
    ],
    [
      'a transaction with a string as id',
      described(smallUlong(0x34), list([str('x')])),
      'delivery state.transactionId has type 0xa1',
    ],
    [
      'a rejected with something else than an error',
      described(smallUlong(0x25), list([accepted])),
      '36 is not an error',
    ],
    [
      'a transactional outcome that is none',
      described(smallUlong(0x34), list([bin(transactionId), error])),
      '29 is not an outcome',
    ],
    [
      'a transaction in a transaction',
      described(
        smallUlong(0x34),
        list([bin(transactionId), described(smallUlong(0x34), list([bin(transactionId)]))]),
      ),
      '52 is not an outcome',
    ],
    [
      'a transactional outcome that is none yet',
      described(smallUlong(0x34), list([bin(transactionId), described(sym('amqp:received:list'), list([]))])),
      'amqp:received:list is not an outcome',
    ],
  ])('is refused: %s', (_name, bytes, message) => {
    expect(() => decodeState(bytes)).toThrow(DecodeError);
    expect(() => decodeState(bytes)).toThrow(message);
  });
});
