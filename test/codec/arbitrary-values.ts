// Random well-formed AMQP values of every type and encoding, as bytes.

import fc from 'fast-check';
import { arrayOf, described, hex, list, map, str, sym, variable } from '../support/frame-encoder.js';

type Encoded = fc.Arbitrary<Buffer>;

/** The constructors of a fixed width, and how many bytes follow each. */
const FIXED: readonly (readonly [code: number, width: number])[] = [
  [0x40, 0], // null
  [0x41, 0], // true
  [0x42, 0], // false
  [0x43, 0], // uint0
  [0x44, 0], // ulong0
  [0x50, 1], // ubyte
  [0x51, 1], // byte
  [0x52, 1], // smalluint
  [0x53, 1], // smallulong
  [0x54, 1], // smallint
  [0x55, 1], // smalllong
  [0x60, 2], // ushort
  [0x61, 2], // short
  [0x70, 4], // uint
  [0x71, 4], // int
  [0x72, 4], // float
  [0x73, 4], // char
  [0x74, 4], // decimal32
  [0x80, 8], // ulong
  [0x81, 8], // long
  [0x82, 8], // double
  [0x83, 8], // timestamp
  [0x84, 8], // decimal64
  [0x94, 16], // decimal128
  [0x98, 16], // uuid
];

const bytes = (width: number): Encoded =>
  fc.uint8Array({ minLength: width, maxLength: width }).map((each) => Buffer.from(each));

const fixedScalar: Encoded = fc
  .constantFrom(...FIXED)
  .chain(([code, width]) => bytes(width).map((value) => Buffer.concat([Buffer.from([code]), value])));

const boolean: Encoded = fc.constantFrom(hex('56 00'), hex('56 01'));

const variableScalar: Encoded = fc
  .tuple(
    fc.constantFrom(0xa0, 0xa1, 0xa3),
    fc.oneof(
      { weight: 9, arbitrary: fc.string({ maxLength: 40 }) },
      { weight: 1, arbitrary: fc.string({ minLength: 256, maxLength: 400 }) },
    ),
    fc.boolean(),
  )
  .map(([code, text, isWide]) => {
    const payload = Buffer.from(text);
    return variable(code, payload, isWide || payload.length > 255);
  });

/** A value that is not made of values. */
export const scalar: Encoded = fc.oneof(
  { weight: 5, arbitrary: fixedScalar },
  { weight: 3, arbitrary: variableScalar },
  { weight: 1, arbitrary: boolean },
);

const descriptor: Encoded = fc.oneof(
  fc.constantFrom('com.microsoft:timespan', 'com.microsoft:uri', 'constructor', '__proto__').map(sym),
  fc.integer({ min: 0, max: 255 }).map((code) => Buffer.from([0x53, code])),
  bytes(8).map((code) => Buffer.concat([hex('80'), code])),
);

export const key: Encoded = fc
  .tuple(fc.string({ minLength: 1, maxLength: 20 }), fc.boolean())
  .map(([text, isSymbol]) => (isSymbol ? sym(text) : str(text)));

const arrayOfFixed: Encoded = fc
  .tuple(fc.constantFrom(...FIXED), fc.nat({ max: 5 }), fc.boolean(), fc.option(descriptor))
  .chain(([[code, width], count, isWide, described]) =>
    fc.array(bytes(width), { minLength: count, maxLength: count }).map((elements) => {
      const prefix = described === null ? Buffer.alloc(0) : Buffer.concat([hex('00'), described]);
      return arrayOf(Buffer.concat([prefix, Buffer.from([code])]), elements, isWide);
    }),
  );

const arrayOfStrings: Encoded = fc
  .tuple(fc.array(fc.string({ maxLength: 10 }), { maxLength: 5 }), fc.constantFrom(0xa0, 0xa1, 0xa3))
  .map(([texts, code]) =>
    arrayOf(
      Buffer.from([code]),
      texts.map((text) => variable(code, Buffer.from(text)).subarray(1)),
    ),
  );

const arrayOfArrays: Encoded = fc
  .array(fc.oneof(arrayOfFixed, arrayOfStrings), { maxLength: 3 })
  .map((arrays) =>
    arrayOf(
      hex('f0'),
      arrays.map((each) => widened(each).subarray(1)),
    ),
  );

/** An array with the 32-bit constructor, whichever it has. */
function widened(encoded: Buffer): Buffer {
  if (encoded[0] === 0xf0) return encoded;
  const bytes = Buffer.alloc(encoded.length + 6);
  bytes.writeUInt8(0xf0, 0);
  bytes.writeUInt32BE(encoded.readUInt8(1) + 3, 1);
  bytes.writeUInt32BE(encoded.readUInt8(2), 5);
  bytes.set(encoded.subarray(3), 9);
  return bytes;
}

/** Every value: scalars, and lists, maps, arrays and described values of them inside each other. */
export const anyValue: Encoded = fc.letrec<{ value: Buffer; list: Buffer }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    { weight: 4, arbitrary: scalar },
    { weight: 1, arbitrary: arrayOfFixed },
    { weight: 1, arbitrary: arrayOfStrings },
    { weight: 1, arbitrary: arrayOfArrays },
    {
      weight: 1,
      arbitrary: fc.tuple(descriptor, tie('value')).map(([name, value]) => described(name, value)),
    },
    { weight: 1, arbitrary: tie('list') },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }), fc.boolean())
        .map(([entries, isWide]) => map(entries, isWide)),
    },
    {
      weight: 1,
      arbitrary: fc.array(fc.array(tie('value'), { maxLength: 3 }), { maxLength: 3 }).map((lists) =>
        arrayOf(
          hex('d0'),
          lists.map((each) => list(each, true).subarray(1)),
        ),
      ),
    },
  ),
  list: fc
    .tuple(fc.array(tie('value'), { maxLength: 4 }), fc.boolean())
    .map(([each, wide]) => list(each, wide)),
})).value;
