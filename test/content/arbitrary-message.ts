// Random messages in their parts and as bytes, put together without any code of src.

import fc from 'fast-check';
import { anyValue, scalar } from '../codec/arbitrary-values.js';
import {
  described,
  hex,
  list,
  map,
  NULL,
  smallUlong,
  str,
  sym,
  timestamp,
  uint,
  variable,
  wideUlong,
} from '../support/frame-encoder.js';

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

const SYMBOLS: Readonly<Record<number, string>> = {
  112: 'amqp:header:list',
  113: 'amqp:delivery-annotations:map',
  114: 'amqp:message-annotations:map',
  115: 'amqp:properties:list',
  116: 'amqp:application-properties:map',
  117: 'amqp:data:binary',
  118: 'amqp:amqp-sequence:list',
  119: 'amqp:amqp-value:*',
  120: 'amqp:footer:map',
};

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

/** A section under its usual descriptor, a wide one, or its symbol. */
const section = (code: number, value: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> =>
  fc
    .tuple(
      fc.oneof(
        { weight: 6, arbitrary: fc.constant(smallUlong(code)) },
        { weight: 1, arbitrary: fc.constant(wideUlong(BigInt(code))) },
        { weight: 1, arbitrary: fc.constant(sym(SYMBOLS[code] ?? '')) },
      ),
      value,
    )
    .map(([descriptor, each]) => described(descriptor, each));

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

const header = some(scalar, scalar, given(ttl), scalar, scalar);
const unread = new Array<fc.Arbitrary<Buffer>>(7).fill(scalar);
const properties = some(messageId, ...unread, given(time), given(time), given(text), scalar, given(text));

const data = fc
  .tuple(fc.uint8Array({ maxLength: 300 }), fc.boolean())
  .map(([content, isWide]) => variable(0xa0, content, isWide || content.length > 255));
const sequence = fc
  .tuple(fc.array(anyValue, { maxLength: 3 }), fc.boolean())
  .map(([each, wide]) => list(each, wide));
const several = (code: number, value: fc.Arbitrary<Buffer>) =>
  fc.array(section(code, value), { minLength: 1, maxLength: 3 }).map((each) => Buffer.concat(each));
const body = fc.oneof(
  fc.constant(Buffer.alloc(0)),
  several(0x75, data),
  several(0x76, sequence),
  section(0x77, anyValue),
);
const nothing = fc.constant(Buffer.alloc(0));
const footer = fc.oneof(
  nothing,
  section(
    0x78,
    entries(symbolKey, anyValue).map((each) => map(each)),
  ),
);

const encoded = <T>(code: number, items: T | undefined, encode: (items: T, isWide: boolean) => Buffer) =>
  items === undefined
    ? nothing
    : fc.boolean().chain((isWide) => section(code, fc.constant(encode(items, isWide))));

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
        encoded(0x70, parts.header, list),
        encoded(0x71, parts.deliveryAnnotations, map),
        encoded(0x72, parts.messageAnnotations, map),
        encoded(0x73, parts.properties, list),
        encoded(0x74, parts.applicationProperties, map),
      )
      .map((head) => ({ ...parts, bytes: Buffer.concat([...head, parts.body, parts.footer]) })),
  );
