// The writer's encodings, its growth, and that what was taken stays as it was.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteWriter } from '../../src/codec/byte-writer.js';
import { decodeValue } from '../../src/codec/types.js';
import {
  arrayOf,
  bin,
  hex,
  list,
  map,
  str,
  sym,
  timestamp,
  uint,
  wideLong,
  wideUlong,
} from '../support/frame-encoder.js';

function written(write: (writer: ByteWriter) => void, initialBytes?: number): Buffer {
  const writer = new ByteWriter(initialBytes);
  write(writer);
  expect(writer.length).toBeGreaterThan(0);
  return writer.take();
}

describe('the byte writer', () => {
  it.each<[string, (writer: ByteWriter) => void, Buffer]>([
    ['null', (w) => w.null(), hex('40')],
    ['true', (w) => w.boolean(true), hex('41')],
    ['false', (w) => w.boolean(false), hex('42')],
    ['ubyte', (w) => w.ubyte(255), hex('50 ff')],
    ['ushort', (w) => w.ushort(65_535), hex('60 ffff')],
    ['uint 0', (w) => w.uint(0), hex('43')],
    ['uint 255', (w) => w.uint(255), hex('52 ff')],
    ['uint 256', (w) => w.uint(256), hex('70 00000100')],
    ['largest uint', (w) => w.uint(0xffffffff), hex('70 ffffffff')],
    ['int -128', (w) => w.int(-128), hex('54 80')],
    ['int 127', (w) => w.int(127), hex('54 7f')],
    ['int 128', (w) => w.int(128), hex('71 00000080')],
    ['int -129', (w) => w.int(-129), hex('71 ffffff7f')],
    ['ulong 0', (w) => w.ulong(0), hex('44')],
    ['ulong 255', (w) => w.ulong(255), hex('53 ff')],
    ['ulong 256', (w) => w.ulong(256), hex('80 0000000000000100')],
    ['ulong 2^63', (w) => w.ulong(2 ** 63), hex('80 8000000000000000')],
    ['empty string', (w) => w.string(''), hex('a1 00')],
    ['string', (w) => w.string('é'), str('é')],
    ['string of 256 bytes', (w) => w.string('é'.repeat(128)), str('é'.repeat(128))],
    ['symbol', (w) => w.symbol('a:b'), sym('a:b')],
    ['binary', (w) => w.binary(new Uint8Array([1])), bin(hex('01'))],
    ['no symbols', (w) => w.symbols([]), arrayOf(hex('b3'), [], true)],
    [
      'symbols',
      (w) => w.symbols(['a', 'bc']),
      arrayOf(hex('b3'), [hex('00000001 61'), hex('00000002 6263')], true),
    ],
    ['descriptor', (w) => w.descriptor(0x70), hex('00 53 70')],
  ])('writes %s', (_name, write, bytes) => {
    expect(written(write)).toEqual(bytes);
  });

  it('writes longs and timestamps exactly, negative ones too', () => {
    const edges = [0, 1, -1, 2 ** 32 - 1, 2 ** 32, -(2 ** 32), -(2 ** 32) - 1, 2 ** 53 - 1, -(2 ** 53) + 1];
    for (const edge of edges) {
      expect(
        written((w) => w.long(edge)),
        `${edge}`,
      ).toEqual(wideLong(BigInt(edge)));
      expect(written((w) => w.timestamp(edge))).toEqual(timestamp(BigInt(edge)));
    }
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        expect(written((w) => w.long(value))).toEqual(wideLong(BigInt(value)));
      }),
    );
    fc.assert(
      fc.property(
        fc.maxSafeNat().map((value) => Math.max(value, 256)),
        (value) => {
          expect(written((w) => w.ulong(value))).toEqual(wideUlong(BigInt(value)));
        },
      ),
    );
  });

  it('writes lists and maps inside each other with their sizes and counts', () => {
    const bytes = written((writer) => {
      writer.compound32(0xd0, () => {
        writer.uint(1);
        writer.compound32(0xd1, () => {
          writer.symbol('k');
          writer.string('v');
          return 2;
        });
        return 2;
      });
    }, 1);
    expect(bytes).toEqual(list([uint(1), map([[sym('k'), str('v')]], true)], true));
    expect(decodeValue(bytes).type.name).toBe('List32');
  });

  it('writes the same whatever its first size', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 40_000 }), { maxLength: 6 }),
        fc.nat({ max: 64 }),
        (parts, size) => {
          const writer = new ByteWriter(size);
          for (const part of parts) {
            writer.byte(part.length);
            writer.bytes(part);
          }
          const expected = parts.flatMap((part) => [Buffer.from([part.length & 0xff]), Buffer.from(part)]);
          expect(writer.take().equals(Buffer.concat(expected))).toBe(true);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('leaves what was taken alone when it writes on, and begins anew', () => {
    const writer = new ByteWriter(40);
    const takes: Buffer[] = [];
    for (let round = 0; round < 1000; round++) {
      writer.uint32(round);
      writer.string(`round ${round}`);
      takes.push(writer.take());
      expect(writer.length).toBe(0);
    }
    for (const [round, taken] of takes.entries()) {
      expect(taken.readUInt32BE(0)).toBe(round);
      expect(taken.subarray(4)).toEqual(str(`round ${round}`));
    }
    expect(new ByteWriter().take()).toHaveLength(0);
  });

  it('overwrites what was written before, also after it has grown', () => {
    const writer = new ByteWriter(8);
    writer.uint32(0);
    writer.byte(7);
    writer.bytes(Buffer.alloc(100_000));
    writer.patchUint32(0, 0xdeadbeef);
    writer.patchByte(4, 9);
    expect(writer.take().subarray(0, 5)).toEqual(hex('deadbeef 09'));
  });
});
