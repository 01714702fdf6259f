// The reader by hand takes the frames that clients write for every message, and reads what the table of performatives reads.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readHotFrame } from '../../src/codec/hot-frame-reader.js';
import { readPerformative } from '../../src/codec/performatives.js';
import { described, hex, list, NULL, smallUlong, uint, variable } from '../support/frame-encoder.js';
import { writeByRhea } from './rhea-frames.js';

const UINT_MAX = 0xffffffff;
const number = fc.oneof(fc.constantFrom(0, 1, 255, 256, UINT_MAX), fc.integer({ min: 0, max: UINT_MAX }));
const optionalNumber = fc.option(number, { nil: undefined });
const flag = fc.boolean();
const optionalFlag = fc.option(flag, { nil: undefined });
const tag = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
const performatives = {
  transfer: fc.record(
    {
      handle: number,
      delivery_id: optionalNumber,
      delivery_tag: fc.option(tag, { nil: undefined }),
      message_format: optionalNumber,
      settled: optionalFlag,
      more: optionalFlag,
      batchable: optionalFlag,
    },
    // A field that is named, even as undefined, makes rhea write all before it.
    { requiredKeys: ['handle'] },
  ),
  disposition: fc.record(
    { role: flag, first: number, last: optionalNumber, settled: optionalFlag, batchable: optionalFlag },
    { requiredKeys: ['role', 'first'] },
  ),
  flow: fc.record(
    {
      next_incoming_id: optionalNumber,
      incoming_window: number,
      next_outgoing_id: number,
      outgoing_window: number,
      handle: optionalNumber,
      delivery_count: optionalNumber,
      link_credit: optionalNumber,
      available: optionalNumber,
      drain: optionalFlag,
      echo: optionalFlag,
    },
    { requiredKeys: ['next_incoming_id', 'incoming_window', 'next_outgoing_id', 'outgoing_window'] },
  ),
} as const;

/** The same list with a size and a count of one byte; rhea writes four bytes for each. */
function inShortList(body: Buffer): Buffer | undefined {
  const items = body.subarray(12);
  if (items.length > 254) return undefined;
  return Buffer.concat([body.subarray(0, 3), Buffer.of(0xc0, items.length + 1, body.readUInt32BE(8)), items]);
}

describe('the reader of frames by hand', () => {
  it.each(['transfer', 'disposition', 'flow'] as const)('takes each %s that rhea writes', (kind) => {
    fc.assert(
      fc.property(performatives[kind] as fc.Arbitrary<Record<string, unknown>>, (values) => {
        const body = writeByRhea(kind, values).subarray(8);
        const payload = hex('005375a00161');
        for (const each of [body, inShortList(body)]) {
          if (each === undefined) continue;
          const read = readHotFrame(Buffer.concat([each, payload]));
          expect(read).toBeDefined();
          expect(read).toEqual(readPerformative(each));
          expect(read?.next).toBe(each.length);
        }
      }),
    );
  });

  const accepted = described(smallUlong(0x24), hex('45'));
  const modified = described(smallUlong(0x27), list([hex('41'), hex('42')]));
  const usual: Readonly<Record<string, readonly [code: number, fields: readonly Buffer[]]>> = {
    transfer: [
      0x14,
      [
        uint(1),
        uint(300),
        variable(0xa0, hex('0102')),
        hex('43'),
        hex('5601'),
        hex('41'),
        hex('5001'),
        modified,
        hex('42'),
        hex('5600'),
        hex('41'),
      ],
    ],
    disposition: [0x15, [hex('41'), uint(7), uint(70_000), hex('41'), accepted, hex('42')]],
    flow: [
      0x13,
      [uint(1), uint(2), uint(3), uint(4), uint(5), uint(6), uint(7), uint(8), hex('42'), hex('41'), NULL],
    ],
  };
  const required: Readonly<Record<string, number>> = { transfer: 1, disposition: 2, flow: 4 };

  it.each(Object.keys(usual))('takes a %s of any length, its fields of any width or null', (kind) => {
    const [code, fields] = usual[kind] as (typeof usual)[string];
    for (let count = required[kind] as number; count <= fields.length; count++) {
      for (const isWide of [false, true]) {
        const body = described(smallUlong(code), list(fields.slice(0, count), isWide));
        expect(readHotFrame(body), `${count} fields`).toEqual(readPerformative(body));
        const nulls = fields.slice(0, count).map((field, index) => {
          const isOptional = index >= (required[kind] as number) || (kind === 'flow' && index === 0);
          return isOptional ? NULL : field;
        });
        const withNulls = described(smallUlong(code), list(nulls, isWide));
        expect(readHotFrame(withNulls), `${count} nulls`).toEqual(readPerformative(withNulls));
      }
    }
  });

  it('takes a delivery tag with a size of four bytes', () => {
    const body = described(smallUlong(0x14), list([uint(1), uint(1), variable(0xa0, hex('01'), true)]));
    expect(readHotFrame(body)).toEqual(readPerformative(body));
  });

  it('leaves everything unusual or malformed to the table', () => {
    const [, fields] = usual.transfer as (typeof usual)[string];
    const unusual: Readonly<Record<string, Buffer>> = {
      'no handle': described(smallUlong(0x14), list([NULL])),
      'no field': described(smallUlong(0x14), hex('45')),
      'a descriptor of eight bytes': described(hex('80 0000000000000014'), list(fields)),
      'another performative': described(smallUlong(0x16), list([uint(1), hex('41')])),
      'a twelfth field': described(smallUlong(0x14), list([...fields, NULL])),
      'a boolean that is neither 0 nor 1': described(smallUlong(0x15), list([hex('5602'), uint(1)])),
      'a string as handle': described(smallUlong(0x14), list([variable(0xa1, hex('61'))])),
      'a state that is cut short': hex('005315 c0 06 05 41 43 43 41 0053'),
      'properties in a flow': described(
        smallUlong(0x13),
        list([NULL, ...Array(3).fill(uint(1)), ...Array(6).fill(NULL), hex('c10100')]),
      ),
      'a size beyond the frame': hex('005314 c0 ff 01 43'),
      'a size of four bytes beyond the frame': hex('005314 d0 000000ff 00000001 43'),
      'a list cut short within its size': hex('005314 d0 0000'),
      'a size smaller than its items': hex('005314 c0 03 02 5201 5201'),
      'a size larger than its items': hex('005314 c0 05 01 5201 5201'),
      'a count larger than its items': hex('005314 c0 03 02 5201'),
      'a tag that reaches beyond the list': hex('005314 c0 06 03 43 43 a0 09 00 00 00 00 00 00 00 00 00'),
      'a number that reaches beyond the list': hex('005314 c0 03 01 70 00 00 00 01'),
      nothing: hex(''),
    };
    for (const [name, body] of Object.entries(unusual)) expect(readHotFrame(body), name).toBeUndefined();
  });

  it.each(Object.keys(usual))('never takes a %s that the table refuses, and reads what it reads', (kind) => {
    const [code, fields] = usual[kind] as (typeof usual)[string];
    const counts = { taken: 0, left: 0 };
    const mutation = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }), flag);
    fc.assert(
      fc.property(mutation, ([at, value, isWide]) => {
        const body = Buffer.from(described(smallUlong(code), list(fields, isWide)));
        body[at % body.length] = value;
        const read = readHotFrame(body);
        counts[read === undefined ? 'left' : 'taken']++;
        if (read !== undefined) expect(read).toEqual(readPerformative(body));
      }),
      { numRuns: 3000 },
    );
    expect(Math.min(counts.taken, counts.left)).toBeGreaterThan(100);
  });
});
