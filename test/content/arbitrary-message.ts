// Random messages in their parts and as bytes, put together without any code of src.

import fc from 'fast-check';
import { anyValue, scalar } from '../codec/arbitrary-values.js';
import { described, hex, list, map, NULL, smallUlong, str, sym, ulong, variable } from '../codec/wire.js';

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
        { weight: 1, arbitrary: fc.constant(ulong(BigInt(code))) },
        { weight: 1, arbitrary: fc.constant(sym(SYMBOLS[code] ?? '')) },
      ),
      value,
    )
    .map(([descriptor, each]) => described(descriptor, each));

const name = fc.oneof(
  { weight: 4, arbitrary: fc.string({ minLength: 1, maxLength: 12 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('DeadLetterReason', 'x-opt-partition-key', '__proto__', 'constructor'),
  },
  { weight: 1, arbitrary: fc.constantFrom(...RESERVED) },
  { weight: 1, arbitrary: fc.string({ minLength: 256, maxLength: 260 }) },
);

const entries = (encodeKey: (text: string) => Buffer, value: fc.Arbitrary<Buffer>): fc.Arbitrary<Entry[]> =>
  fc
    .uniqueArray(fc.tuple(name, value), { selector: ([text]) => text, maxLength: 6 })
    .map((each) => each.map(([text, encoded]) => [encodeKey(text), encoded] as const));

const symbolKey = (text: string) => variable(0xa3, Buffer.from(text));
const stringKey = (text: string) => variable(0xa1, Buffer.from(text));

const messageId = fc.oneof(
  fc.string({ maxLength: 40 }).map(str),
  fc.bigInt(0n, 2n ** 64n - 1n).map(ulong),
  fc.constantFrom(hex('44'), hex('5307'), hex('98 00112233445566778899aabbccddeeff'), hex('a0 02 0102')),
  fc.constant(NULL),
);
const sessionId = fc.oneof(fc.constant(NULL), fc.string({ maxLength: 20 }).map(str));

const header = fc.array(fc.oneof(scalar, fc.constant(NULL)), { maxLength: 5 });
const properties = fc
  .tuple(
    messageId,
    fc.array(scalar, { minLength: 9, maxLength: 9 }),
    sessionId,
    fc.array(scalar, { maxLength: 2 }),
  )
  .chain(([id, before, session, after]) => {
    const fields = [id, ...before, session, ...after];
    return fc.nat({ max: fields.length }).map((count) => fields.slice(0, count));
  });

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
    messageAnnotations: optional(entries(symbolKey, anyValue)),
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
