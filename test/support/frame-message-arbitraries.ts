// Random AMQP messages, put together without any code of src: in their parts and as bytes, or with fields of the right types.

import fc from 'fast-check';
import {
  anyBinary,
  anyEntries,
  anyList,
  anyScalar,
  anySentPropertyValue,
  anyStringKey,
  anySymbolKey,
  anyValue,
} from './frame-arbitraries.js';
import {
  big,
  bin,
  described,
  type Encoded,
  fixed,
  hex,
  list,
  map,
  NULL,
  str,
  sym,
  timestamp,
  uint,
  ulong,
  uuid,
  variable,
  wideUlong,
} from './frame-encoder.js';
import { type SectionName, sectionDescriptors } from './frame-message.js';

export type Entry = readonly [key: Buffer, value: Buffer];

/** The encoded items of each section, undefined when it is left out; body and footer as whole sections. */
export type Message = {
  readonly header: readonly Buffer[] | undefined;
  readonly deliveryAnnotations: readonly Entry[] | undefined;
  readonly messageAnnotations: readonly Entry[] | undefined;
  readonly properties: readonly Buffer[] | undefined;
  readonly applicationProperties: readonly Entry[] | undefined;
  readonly body: Buffer;
  readonly footer: Buffer;
  readonly bytes: Buffer;
};

export const RESERVED = [
  'x-opt-sequence-number',
  'x-opt-enqueued-time',
  'x-opt-locked-until',
  'x-opt-deadletter-source',
  'x-opt-enqueue-sequence-number',
  'x-opt-message-state',
  'x-opt-partition-id',
  'x-opt-lock-token',
] as const;

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

/** A section under its usual descriptor, a wide one, or its symbol. */
function section(name: SectionName, value: fc.Arbitrary<Encoded>): fc.Arbitrary<Encoded> {
  const [usual, ...others] = sectionDescriptors(name);
  return fc
    .tuple(
      fc.oneof(
        { weight: 6, arbitrary: fc.constant(usual) },
        { weight: 2, arbitrary: fc.constantFrom(...others) },
      ),
      value,
    )
    .map(([descriptor, each]) => described(descriptor, each));
}

const name = fc.oneof(
  { weight: 4, arbitrary: fc.string({ minLength: 1, maxLength: 12 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('DeadLetterReason', 'x-opt-lock-tokens', '__proto__', 'constructor'),
  },
  { weight: 1, arbitrary: fc.constantFrom(...RESERVED) },
  { weight: 1, arbitrary: fc.string({ minLength: 256, maxLength: 260 }) },
);

const entries = (encodeKey: (text: string) => Buffer, value: fc.Arbitrary<Buffer>): fc.Arbitrary<Entry[]> =>
  fc
    .uniqueArray(fc.tuple(name, value), { selector: ([text]) => text, maxLength: 6 })
    .map((each) => each.map(([text, encoded]) => [encodeKey(text), encoded] as const));

const given = (value: fc.Arbitrary<Buffer>) => fc.oneof({ weight: 3, arbitrary: value }, fc.constant(NULL));
const text = fc
  .tuple(fc.string({ maxLength: 20 }), fc.boolean())
  .map(([each, isWide]) => variable(0xa1, Buffer.from(each), isWide));

/** Times whose differences are before nothing, of 32 bits, of more, and up to the last date there is. */
const time = fc
  .constantFrom(
    ...[
      -1,
      0,
      1_763_700_000_000,
      1_763_700_060_000,
      1_763_700_000_000 + 2 ** 32 - 1,
      1_763_700_000_000 + 2 ** 32,
    ],
    ...[253_370_764_799_999, 253_370_764_800_000, 253_402_214_400_000, 253_402_300_799_999],
  )
  .map((ms) => timestamp(BigInt(ms)));
const ttl = fc.oneof(
  fc.constantFrom(0, 1, 255, 256, 60_000, 2 ** 32 - 2, 2 ** 32 - 1).map(uint),
  fc.constantFrom(hex('70 00000000'), hex('70 00000007')),
);

/** What the broker reads among the message annotations, each with its type. */
const readAnnotations = fc
  .record({
    'x-opt-partition-key': optional(given(text)),
    'x-opt-via-partition-key': optional(given(text)),
    'x-opt-scheduled-enqueue-time': optional(given(time)),
  })
  .map((each) =>
    Object.entries(each).flatMap(([key, value]): Entry[] => (value === undefined ? [] : [[sym(key), value]])),
  );

const symbolKey = (text: string) => variable(0xa3, Buffer.from(text));
const stringKey = (text: string) => variable(0xa1, Buffer.from(text));

const messageId = fc.oneof(
  fc.string({ maxLength: 40 }).map(str),
  fc.bigInt(0n, 2n ** 64n - 1n).map(wideUlong),
  fc.constantFrom(hex('44'), hex('5307'), hex('98 00112233445566778899aabbccddeeff'), hex('a0 02 0102')),
  fc.constant(NULL),
);

/** The first so many of the fields: trailing ones may be left out. */
const some = (...fields: fc.Arbitrary<Buffer>[]) =>
  fc
    .tuple(fc.tuple(...fields), fc.oneof(fc.constant(fields.length), fc.nat({ max: fields.length })))
    .map(([all, count]) => all.slice(0, count));

const header = some(anyScalar, anyScalar, given(ttl), anyScalar, anyScalar);
const unread = new Array<fc.Arbitrary<Buffer>>(7).fill(anyScalar);
const properties = some(messageId, ...unread, given(time), given(time), given(text), anyScalar, given(text));

const data = fc
  .tuple(fc.uint8Array({ maxLength: 300 }), fc.boolean())
  .map(([content, isWide]) => variable(0xa0, content, isWide || content.length > 255));
const sequence = fc
  .tuple(fc.array(anyValue, { maxLength: 3 }), fc.boolean())
  .map(([each, wide]) => list(each, wide));
const several = (name: SectionName, value: fc.Arbitrary<Buffer>) =>
  fc.array(section(name, value), { minLength: 1, maxLength: 3 }).map((each) => Buffer.concat(each));
const body = fc.oneof(
  fc.constant(Buffer.alloc(0)),
  several('data', data),
  several('sequence', sequence),
  section('value', anyValue),
);
const nothing = fc.constant(Buffer.alloc(0));
const footer = fc.oneof(
  nothing,
  section(
    'footer',
    entries(symbolKey, anyValue).map((each) => map(each)),
  ),
);

const encoded = <T>(
  name: SectionName,
  items: T | undefined,
  encode: (items: T, isWide: boolean) => Buffer,
) =>
  items === undefined
    ? nothing
    : fc.boolean().chain((isWide) => section(name, fc.constant(encode(items, isWide))));

export const anyMessage: fc.Arbitrary<Message> = fc
  .record({
    header: optional(header),
    deliveryAnnotations: optional(entries(symbolKey, anyValue)),
    messageAnnotations: optional(
      fc.tuple(entries(symbolKey, anyValue), readAnnotations).map(([others, read]) => [...others, ...read]),
    ),
    properties: optional(properties),
    applicationProperties: optional(entries(stringKey, anyValue)),
    body,
    footer,
  })
  .chain((parts) =>
    fc
      .tuple(
        encoded('header', parts.header, list),
        encoded('deliveryAnnotations', parts.deliveryAnnotations, map),
        encoded('messageAnnotations', parts.messageAnnotations, map),
        encoded('properties', parts.properties, list),
        encoded('applicationProperties', parts.applicationProperties, map),
      )
      .map((head) => ({ ...parts, bytes: Buffer.concat([...head, parts.body, parts.footer]) })),
  );

const bytes = (count: number) => fc.uint8Array({ minLength: count, maxLength: count });
const typedText = fc.string({ unit: 'binary', maxLength: 30 }).map(str);
const symbol = fc.string({ unit: 'grapheme-ascii', maxLength: 30 }).map(sym);
const truth = fc.constantFrom(fixed(0x41), fixed(0x42), fixed(0x56, Buffer.of(1)), fixed(0x56, Buffer.of(0)));
const instant = fc.nat().map((seconds) => fixed(0x83, big(seconds * 1000, 8)));
const never = fc.constant(NULL);
const typedId = fc.oneof(
  typedText,
  bytes(16).map(uuid),
  bytes(8).map((body) => fixed(0x80, body)),
  fc.nat(255).map(ulong),
  bytes(12).map(bin),
);

// Time to live and expiry follow rules of their own, so they are left out of both lists.
const typedHeader = fieldList([
  truth,
  fc.nat(255).map((priority) => fixed(0x50, Buffer.of(priority))),
  never,
  truth,
  fc.nat(9).map((deliveryCount) => fixed(0x52, Buffer.of(deliveryCount))),
]);
const typedProperties = fieldList([
  typedId,
  anyBinary,
  typedText,
  typedText,
  typedText,
  typedId,
  symbol,
  symbol,
  never,
  instant,
  typedText,
  bytes(4).map((groupSequence) => fixed(0x70, groupSequence)),
  typedText,
]);
const annotations = anyEntries(anySymbolKey, anyValue).map(map);
const typedApplicationProperties = anyEntries(anyStringKey, anySentPropertyValue).map(map);

const typedBody = fc.oneof(
  several('data', anyBinary),
  several('sequence', anyList),
  section('value', anyValue),
);

/** A message whose fields have the types of the standard, and none that the broker gives a meaning to. */
export const typedMessage: fc.Arbitrary<Buffer> = fc
  .tuple(
    maybe('header', typedHeader),
    maybe('deliveryAnnotations', annotations),
    maybe('messageAnnotations', annotations),
    maybe('properties', typedProperties),
    maybe('applicationProperties', typedApplicationProperties),
    typedBody,
    maybe('footer', annotations),
  )
  .map((sections) => Buffer.concat(sections));

/** A list that may end anywhere, each field a value or null. */
function fieldList(fields: readonly fc.Arbitrary<Encoded>[]): fc.Arbitrary<Encoded> {
  const items = fc.tuple(...fields.map((field) => fc.option(field, { nil: NULL })));
  const isWide = fc.boolean();
  return fc
    .tuple(items, fc.nat(fields.length), isWide)
    .map(([each, length, form]) => list(each.slice(0, length), form));
}

function maybe(name: SectionName, value: fc.Arbitrary<Encoded>): fc.Arbitrary<Encoded> {
  return fc.option(section(name, value), { nil: Buffer.alloc(0), freq: 2 });
}
