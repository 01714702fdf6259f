// Random AMQP values in every encoding that AMQP 1.0 allows.

import fc from 'fast-check';
import {
  array,
  arrayOf as arrayOfBodies,
  described,
  type Encoded,
  fixed,
  list,
  map,
  smallUlong,
  str,
  sym,
  variable,
} from './frame-encoder.js';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

/** Constructors with no body, or with one of fixed size whose every bit pattern is a value. */
const FIXED_WIDTHS: readonly (readonly [code: number, width: number])[] = [
  [0x40, 0],
  [0x41, 0],
  [0x42, 0],
  [0x43, 0],
  [0x44, 0],
  [0x50, 1],
  [0x51, 1],
  [0x52, 1],
  [0x53, 1],
  [0x54, 1],
  [0x55, 1],
  [0x60, 2],
  [0x61, 2],
  [0x70, 4],
  [0x71, 4],
  [0x72, 4],
  [0x73, 4], // also characters that Unicode does not have
  [0x74, 4],
  [0x80, 8],
  [0x81, 8],
  [0x82, 8],
  [0x83, 8],
  [0x84, 8],
  [0x94, 16],
  [0x98, 16],
];

const fixedWidth = fc
  .constantFrom(...FIXED_WIDTHS)
  .chain(([code, width]) => bytes(width).map((body) => fixed(code, body)));

const booleanWithBody = fc.constantFrom(fixed(0x56, Buffer.of(0)), fixed(0x56, Buffer.of(1)));

/** Now and then longer than the narrow form allows. */
const unicode = fc.oneof(
  { weight: 9, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ minLength: 256, maxLength: 400 }) },
);
const ascii = fc.string({ unit: 'grapheme-ascii', maxLength: 20 });
/** Short and long forms, also where the short one would do. */
const narrowOrWide = (code: number, content: fc.Arbitrary<Uint8Array>) =>
  fc.tuple(fc.constantFrom(code, code + 0x10), content).map(([each, body]) => variable(each, body));

const anyString: fc.Arbitrary<Encoded> = narrowOrWide(
  0xa1,
  unicode.map((text) => Buffer.from(text, 'utf8')),
);
const anySymbol: fc.Arbitrary<Encoded> = narrowOrWide(
  0xa3,
  ascii.map((text) => Buffer.from(text, 'ascii')),
);
export const anyBinary: fc.Arbitrary<Encoded> = narrowOrWide(0xa0, fc.uint8Array({ maxLength: 40 }));

/** MSG-11: a property of bytes is refused. */
export const anySentScalar: fc.Arbitrary<Encoded> = fc.oneof(
  { weight: 6, arbitrary: fixedWidth },
  booleanWithBody,
  anyString,
  anySymbol,
);

/** Every primitive type that is no list, map or array, in every width. */
export const anyScalar: fc.Arbitrary<Encoded> = fc.oneof({ weight: 9, arbitrary: anySentScalar }, anyBinary);

const anyDescriptor = fc.oneof(
  fc.constantFrom(
    sym('com.microsoft:timespan'),
    sym('com.microsoft:uri'),
    sym('com.microsoft:datetime-offset'),
  ),
  anySymbol,
  fc.constantFrom(sym('constructor'), sym('__proto__')),
  fc.nat({ max: 255 }).map(smallUlong),
  bytes(8).map((code) => fixed(0x80, code)),
);

const describedOnce = (scalar: fc.Arbitrary<Encoded>) =>
  fc.tuple(anyDescriptor, scalar).map(([descriptor, value]) => described(descriptor, value));
const propertyValue = (scalar: fc.Arbitrary<Encoded>) =>
  fc.oneof({ weight: 4, arbitrary: scalar }, describedOnce(scalar));

/** What .NET, Java and JavaScript put into application properties. */
export const anySentPropertyValue: fc.Arbitrary<Encoded> = propertyValue(anySentScalar);

/** What a settlement may set as one. */
export const anyPropertyValue: fc.Arbitrary<Encoded> = propertyValue(anyScalar);

const MAX_ITEMS = 4;

/** Any value: scalars, lists, maps and arrays of anything, described ones too. */
export const anyValue: fc.Arbitrary<Encoded> = fc.letrec<{ value: Encoded }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    anyScalar,
    describedOnce(anyScalar),
    listOf(tie('value')),
    mapOf(tie('value')),
    arrayOf(tie('value')),
    fc.tuple(anyDescriptor, tie('value')).map(([descriptor, value]) => described(descriptor, value)),
  ),
})).value;

export const anyList: fc.Arbitrary<Encoded> = listOf(anyValue);

function listOf(item: fc.Arbitrary<Encoded>): fc.Arbitrary<Encoded> {
  const emptyWithSize = fc.constant(variable(0xc0, Buffer.of(0)));
  const items = fc.array(item, { maxLength: MAX_ITEMS });
  return fc.oneof(
    { weight: 9, arbitrary: fc.tuple(items, fc.boolean()).map(([each, isWide]) => list(each, isWide)) },
    emptyWithSize,
  );
}

function mapOf(item: fc.Arbitrary<Encoded>): fc.Arbitrary<Encoded> {
  return fc
    .tuple(fc.array(fc.tuple(anyScalar, item), { maxLength: MAX_ITEMS }), fc.boolean())
    .map(([entries, isWide]) => map(distinct(entries), isWide));
}

/** Items of one constructor, plain or described; none, too. */
function arrayOf(item: fc.Arbitrary<Encoded>): fc.Arbitrary<Encoded> {
  const empty = fc.constantFrom(
    variable(0xe0, Buffer.of(0, 0x71)),
    variable(0xf0, Buffer.of(0, 0, 0, 0, 0xa1)),
  );
  const alike = fc
    .tuple(item, fc.nat(MAX_ITEMS))
    .map(([first, more]) => array([first, ...new Array<Encoded>(more).fill(first)], constructorOf(first)));
  const ofFixedWidth = fc
    .tuple(fc.constantFrom(...FIXED_WIDTHS), fc.nat(MAX_ITEMS), fc.boolean())
    .chain(([[code, width], count, isWide]) =>
      fc
        .array(
          bytes(width).map((body) => Buffer.from(body)),
          { minLength: count, maxLength: count },
        )
        .map((bodies) => arrayOfBodies(Buffer.of(code), bodies, isWide)),
    );
  const ofStrings = fc.array(fc.string({ maxLength: 10 }), { maxLength: MAX_ITEMS }).map((texts) =>
    arrayOfBodies(
      Buffer.of(0xb1),
      texts.map((text) => variable(0xb1, Buffer.from(text)).subarray(1)),
    ),
  );
  const ofLists = fc.array(fc.array(item, { maxLength: 3 }), { maxLength: 3 }).map((lists) =>
    arrayOfBodies(
      Buffer.of(0xd0),
      lists.map((each) => list(each, true).subarray(1)),
    ),
  );
  return fc.oneof(empty, alike, ofFixedWidth, ofStrings, ofLists);
}

/** A map with keys from `key`, none twice. */
export function anyEntries(
  key: fc.Arbitrary<Encoded>,
  value: fc.Arbitrary<Encoded>,
): fc.Arbitrary<(readonly [Encoded, Encoded])[]> {
  return fc.array(fc.tuple(key, value), { maxLength: 5 }).map(distinct);
}

/** Of the same type and content, whatever the width, keys are one. */
function distinct<T extends readonly [Encoded, Encoded]>(entries: T[]): T[] {
  const seen = new Set<string>();
  return entries.filter(([key]) => {
    const content = key.subarray(1).toString('hex').replace(/^0+/, '');
    return !seen.has(content) && seen.add(content) !== undefined;
  });
}

/** The constructor of a value: its first byte, or for a described one everything before its body. */
function constructorOf(value: Encoded): Encoded {
  if (value[0] !== 0x00) return value.subarray(0, 1);
  const inner = 1 + sizeOfDescriptor(value);
  return value.subarray(0, inner + constructorOf(value.subarray(inner)).length);
}

function sizeOfDescriptor(value: Encoded): number {
  const code = value.readUInt8(1);
  if (code === 0xa3) return 2 + value.readUInt8(2);
  if (code === 0xb3) return 5 + value.readUInt32BE(2);
  return code === 0x80 ? 9 : 2;
}

/** A key that the broker gives no meaning to. */
export const anyStringKey: fc.Arbitrary<Encoded> = unicode.map((text) => str(`k${text}`));
export const anySymbolKey: fc.Arbitrary<Encoded> = ascii.map((text) => sym(`k${text}`));
