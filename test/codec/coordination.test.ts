// What clients write to a transaction coordinator, by code and by symbol.

import { describe, expect, it } from 'vitest';
import { decodeCoordination } from '../../src/codec/coordination.js';
import { DecodeError } from '../../src/codec/decode-error.js';
import {
  bin,
  described,
  hex,
  list,
  NULL,
  smallUlong,
  str,
  sym,
  wideUlong,
} from '../support/frame-encoder.js';

const transactionId = hex('0102');
const FALSE = hex('42');
const TRUE = hex('41');

const DECLARE = [smallUlong(0x31), wideUlong(0x31n), sym('amqp:declare:list')];
const DISCHARGE = [smallUlong(0x32), wideUlong(0x32n), sym('amqp:discharge:list')];

describe('a declare', () => {
  it.each(DECLARE)('is read by its descriptor %#, with its null and without it', (descriptor) => {
    for (const fields of [[], [NULL]]) {
      const asked = decodeCoordination(described(descriptor, list(fields)));
      expect(asked).toEqual({ kind: 'declare', isGlobal: false });
    }
  });

  it('with a global id says so', () => {
    const asked = decodeCoordination(described(smallUlong(0x31), list([str('global')])));
    expect(asked).toEqual({ kind: 'declare', isGlobal: true });
  });
});

describe('a discharge', () => {
  it.each(DISCHARGE)('is read by its descriptor %#, and commits unless it says fail', (descriptor) => {
    const read = (fields: Buffer[]) => decodeCoordination(described(descriptor, list(fields)));
    const committed = { kind: 'discharge', transactionId, isFailed: false };
    for (const fields of [[], [NULL], [FALSE], [hex('5600')]]) {
      expect(read([bin(transactionId), ...fields])).toEqual(committed);
    }
    for (const fail of [TRUE, hex('5601')]) {
      expect(read([bin(transactionId), fail])).toEqual({ ...committed, isFailed: true });
    }
  });
});

describe('a message to the coordinator', () => {
  it.each([
    ['of another type', described(smallUlong(0x33), list([bin(transactionId)])), '51 is neither a declare'],
    ['that is not described', list([NULL]), 'a described value is expected'],
    ['that is no list', described(smallUlong(0x31), str('x')), 'declare is not a list'],
    ['with a field too many', described(smallUlong(0x31), list([NULL, NULL])), 'declare has 2 fields'],
    ['without an id', described(smallUlong(0x32), list([])), 'discharge lacks its mandatory field'],
    ['with a text as id', described(smallUlong(0x32), list([str('x')])), 'has type 0xa1'],
    [
      'with a fail that is none',
      described(smallUlong(0x32), list([bin(transactionId), str('no')])),
      'discharge.fail has type 0xa1',
    ],
    ['that ends too soon', described(smallUlong(0x32), hex('c0 05 01 a0 09')), 'is cut short'],
  ])('is refused: %s', (_name, bytes, message) => {
    expect(() => decodeCoordination(bytes)).toThrow(DecodeError);
    expect(() => decodeCoordination(bytes)).toThrow(message);
  });
});
