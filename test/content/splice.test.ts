// What a receiver gets: the sender's bytes, and the broker's fields among them.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NEVER } from '../../src/broker/contract/instant.js';
import type {
  BrokerProperties,
  PropertyChange,
  SystemChanges,
} from '../../src/broker/contract/message-properties.js';
import type { DeliveryForm } from '../../src/content/annotations-splice.js';
import { readMessage } from '../../src/content/read-message.js';
import { encodeForDelivery } from '../../src/content/splice.js';
import { anyValue } from '../support/frame-arbitraries.js';
import { items, values } from '../support/frame-decoder.js';
import {
  bin,
  described,
  hex,
  list,
  map,
  NULL,
  str,
  sym,
  timestamp,
  uint,
  wideLong,
} from '../support/frame-encoder.js';
import { section } from '../support/frame-message.js';
import { anyMessage, type Entry, type Message, RESERVED } from '../support/frame-message-arbitraries.js';
import { countFor } from '../support/thorough.js';
import {
  deliver,
  entriesOf,
  fieldsOf,
  INVENTED,
  type Lock,
  NO_LOCK,
  sentSection,
  textOf,
  UNTOUCHED,
} from './delivered.js';

const LAST_TIMESTAMP = 253_402_300_799_999;
const TOKEN = '00112233445566778899aabbccddeeff';

const change: fc.Arbitrary<PropertyChange> = fc.record({
  name: fc.oneof(
    fc.constantFrom('DeadLetterReason', '__proto__', 'constructor'),
    fc.string({ minLength: 1, maxLength: 3 }),
  ),
  value: fc.oneof(fc.string({ maxLength: 300 }), anyValue, fc.constant(null)),
});
const instant = fc.integer({ min: 0, max: LAST_TIMESTAMP });
const span = fc.constantFrom(0, 1, 255, 60_000, 2 ** 32 - 1, 2 ** 32, 10 ** 15, NEVER);
const changedText = fc.option(fc.string({ maxLength: 20 }));
const systemChanges: fc.Arbitrary<SystemChanges> = fc.record(
  {
    contentType: changedText,
    correlationId: changedText,
    messageId: changedText,
    replyTo: changedText,
    replyToSessionId: changedText,
    sessionId: changedText,
    subject: changedText,
    to: changedText,
    timeToLiveMs: fc.option(fc.constantFrom(0, 60_000, 2 ** 32 - 1, 2 ** 32)),
    scheduledEnqueueTime: fc.option(instant),
  },
  { requiredKeys: [] },
);
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const anyBroker: fc.Arbitrary<BrokerProperties> = fc
  .record({
    sequenceNumber: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    enqueuedTime: instant,
    timeToLiveMs: span,
    deliveryCount: fc.oneof(fc.nat({ max: 300 }), fc.constant(0xffffffff)),
    state: fc.constantFrom(0, 1, 2),
    wasScheduled: fc.boolean(),
    propertyChanges: optional(fc.array(change, { maxLength: 4 })),
    systemChanges: optional(systemChanges),
    enqueuedSequenceNumber: optional(fc.nat()),
    deadLetterSource: optional(fc.string({ maxLength: 30 })),
    partitionId: optional(fc.nat({ max: 0xffff })),
  })
  .map(({ timeToLiveMs, ...broker }) => ({
    ...broker,
    expiresAt: broker.enqueuedTime + timeToLiveMs,
    generatedMessageId: undefined,
  }));
const anyLock = fc.record({
  lockedUntil: optional(instant),
  lockToken: optional(fc.constant(TOKEN)),
});
const anyWay = fc.constantFrom<DeliveryForm>('delivered', 'received-by-number', 'peeked');

describe('a delivered message', () => {
  it('is what was sent, byte for byte, but for the fields the broker splices in [MSG-01, MSG-03, MSG-05, MSG-06, MSG-11, DLV-05, TTL-12, ACT-04, TOP-10]', () => {
    const met = { sentProperties: 0, ownProperties: 0, sentEntries: 0, noEntries: 0, ownEntries: 0 };
    fc.assert(
      fc.property(anyMessage, anyBroker, anyLock, anyWay, fc.nat(7), (message, given, lock, way, lot) => {
        const hasMessageId = readMessage(message.bytes).messageId !== undefined;
        const broker = {
          ...given,
          generatedMessageId: hasMessageId ? undefined : INVENTED,
          // One in eight loses all of its properties.
          propertyChanges: lot === 0 ? removalOfAll(message) : given.propertyChanges,
        };
        const delivered = deliver(message.bytes, broker, lock, way);

        expect(fieldsOf(delivered, 0x70)).toEqual(expectedHeader(message, broker));
        expectDeliveryAnnotations(delivered.head.get(0x71), message, lock, way);
        const own = entriesBut(message.messageAnnotations, RESERVED);
        expect(entriesOf(delivered, 0x72)).toEqual([...own, ...brokersAnnotations(broker, lock, way)]);
        const properties = expectedProperties(message, broker);
        met[properties === undefined ? 'sentProperties' : 'ownProperties']++;
        if (properties === undefined) expect(delivered.head.get(0x73)).toEqual(sentSection(0x73, message));
        else expect(fieldsOf(delivered, 0x73)).toEqual(properties);
        const entries = merged(message, broker.propertyChanges ?? []);
        met[entries === undefined ? 'sentEntries' : entries.length === 0 ? 'noEntries' : 'ownEntries']++;
        if (entries === undefined) expect(delivered.head.get(0x74)).toEqual(sentSection(0x74, message));
        else if (entries.length === 0) expect(delivered.head.has(0x74)).toBe(false);
        else expect(entriesOf(delivered, 0x74)).toEqual(entries);
        expect(delivered.rest).toEqual(Buffer.concat([message.body, message.footer]));
      }),
      { numRuns: countFor(150, 500) },
    );
    expect(Math.min(...Object.values(met)), JSON.stringify(met)).toBeGreaterThan(0);
  });

  it('can be read and delivered again from what was delivered', () => {
    fc.assert(
      fc.property(anyMessage, anyBroker, anyLock, anyWay, (message, broker, lock, way) => {
        const again = (bytes: Buffer) => Buffer.concat(deliver(bytes, broker, lock, way).pieces);
        // A short map into which something is spliced has become a long one.
        const twice = again(again(message.bytes));
        expect(again(twice)).toEqual(twice);
      }),
      { numRuns: countFor(20, 100) },
    );
  });

  it('may have a body of any kind, or none at all [MSG-01, MSG-02]', () => {
    const data = section(0x75, bin(hex('01')));
    const sequence = section(0x76, list([uint(1), NULL]));
    const value = section(0x77, described(sym('d'), map([[str('k'), wideLong(1n)]])));
    for (const body of [
      data,
      Buffer.concat([data, data]),
      Buffer.concat([sequence, sequence]),
      value,
      hex(''),
    ]) {
      expect(deliver(body).rest).toEqual(body);
    }
  });

  it('has a head of any size, whose sections and fields are found by sizes of four bytes [MSG-03]', () => {
    const large = str('x'.repeat(0x01020304));
    const head = Buffer.concat([
      section(0x72, map([[sym('k'), large]])),
      section(0x74, map([[str('k'), NULL]])),
    ]);
    const delivered = deliver(Buffer.concat([head, section(0x77, NULL)]), {
      propertyChanges: [{ name: 'k', value: large }],
    });
    expect(entriesOf(delivered, 0x72)[0]?.[1].equals(large)).toBe(true);
    expect(entriesOf(delivered, 0x74)[0]?.[1].equals(large)).toBe(true);
    expect(delivered.rest).toEqual(section(0x77, NULL));
  });

  it('without its body has no body section, the size of what is left out, and everything else [PEEK-09]', () => {
    fc.assert(
      fc.property(anyMessage, anyBroker, (message, broker) => {
        const full = deliver(message.bytes, broker, NO_LOCK, 'peeked');
        const bare = deliver(message.bytes, broker, NO_LOCK, 'peeked-without-body');
        expect(bare.rest).toEqual(hex(''));
        for (const code of [0x70, 0x72, 0x73, 0x74]) expect(bare.head.get(code)).toEqual(full.head.get(code));
        const own = deliveryAnnotationsOf(message, NO_LOCK);
        const size = entriesOf(bare, 0x71).at(-1);
        expect(entriesOf(bare, 0x71).slice(0, -1)).toEqual(own);
        expect(size?.[0]).toEqual(sym('omitted-message-body-size'));
        expect(intOf(size?.[1])).toBe(message.body.length);
      }),
    );
  });

  it("says only the broker's size of a body that is left out, and not of one that is there [PEEK-09]", () => {
    const key = sym('omitted-message-body-size');
    const bytes = Buffer.concat([
      section(0x71, map([[key, uint(9)]])),
      section(0x75, bin(Buffer.alloc(1000))),
    ]);
    const size = Buffer.from([0x71, 0, 0, 0x03, 0xf0]); // 1008: the data, and 8 bytes that say that it is data.
    expect(entriesOf(deliver(bytes, {}, NO_LOCK, 'peeked-without-body'), 0x71)).toEqual([[key, size]]);
    expect(entriesOf(deliver(bytes, {}, NO_LOCK, 'peeked'), 0x71)).toEqual([[key, uint(9)]]);
    expect(deliver(section(0x77, str('v')), {}, NO_LOCK, 'peeked').head.has(0x71)).toBe(false);
  });
});

describe('a section into which something is spliced', () => {
  it('keeps the descriptor it was sent with', () => {
    const sections: readonly (readonly [number, string, Buffer])[] = [
      [0x70, 'amqp:header:list', list([])],
      [0x71, 'amqp:delivery-annotations:map', map([])],
      [0x72, 'amqp:message-annotations:map', map([])],
      [0x73, 'amqp:properties:list', list([])],
      [0x74, 'amqp:application-properties:map', map([])],
    ];
    const bytes = Buffer.concat(sections.map(([, symbol, value]) => described(sym(symbol), value)));
    const broker = { generatedMessageId: INVENTED, propertyChanges: [{ name: 'k', value: 'v' }] };
    const { head, rest } = deliver(bytes, broker, NO_LOCK, 'peeked-without-body');
    for (const [code, symbol] of sections) {
      const descriptor = Buffer.concat([hex('00'), sym(symbol)]);
      expect(head.get(code)?.subarray(0, descriptor.length), symbol).toEqual(descriptor);
    }
    expect(rest).toEqual(hex(''));
  });
});

describe('the pieces of a delivered message', () => {
  const encode = (content: Uint8Array, broker: Partial<BrokerProperties>) =>
    encodeForDelivery(content, { properties: { ...UNTOUCHED, ...broker }, ...NO_LOCK });

  it('hold the body uncopied', () => {
    const bytes = section(0x75, bin(Buffer.alloc(100_000, 1)));
    const { content } = readMessage(bytes);
    const pieces = encode(content, {
      generatedMessageId: INVENTED,
      expiresAt: UNTOUCHED.enqueuedTime + 1,
      propertyChanges: [{ name: 'a', value: 'b' }],
    });
    const body = pieces.at(-1);
    expect(body?.buffer).toBe(content.buffer);
    expect(body).toHaveLength(bytes.length);
  });

  it('share nothing that is written to between two deliveries of one message [DLV-05]', () => {
    const { content } = readMessage(section(0x73, list([str('id')])));
    const before = Buffer.from(content);
    const deliveries = [1, 2].map((deliveryCount) => encode(content, { deliveryCount }));
    const counts = deliveries.map((pieces) => items(values(Buffer.concat(pieces))[0] ?? NULL)[4]);
    expect(counts).toEqual([uint(1), uint(2)]);
    expect(Buffer.from(content)).toEqual(before);
  });
});

function expectedHeader(message: Message, broker: BrokerProperties): Buffer[] {
  const { deliveryCount, enqueuedTime, expiresAt } = broker;
  const [durable = NULL, priority = NULL, sentTtl = NULL, firstAcquirer = NULL] = message.header ?? [];
  const span = expiresAt === NEVER ? broker.systemChanges?.timeToLiveMs : expiresAt - enqueuedTime;
  const ttl = span === undefined ? sentTtl : span === null ? NULL : uint(Math.min(span, 2 ** 32 - 1));
  return [durable, priority, ttl, firstAcquirer, uint(deliveryCount)];
}

const CHANGED_PLACES = {
  to: 2,
  subject: 3,
  replyTo: 4,
  correlationId: 5,
  contentType: 6,
  sessionId: 10,
  replyToSessionId: 12,
} as const;

/** Undefined when the section is as it was sent, or not there. */
function expectedProperties(message: Message, broker: BrokerProperties): Buffer[] | undefined {
  const { generatedMessageId, expiresAt, enqueuedTime, systemChanges = {} } = broker;
  const sent = message.properties;
  const fields = [...(sent ?? [])];
  const isSet = (place: number) => place < (sent ?? []).length;
  const set = (place: number, value: Buffer) => {
    while (fields.length <= place) fields.push(NULL);
    fields[place] = value;
  };
  if (generatedMessageId !== undefined) set(0, str(generatedMessageId));
  for (const [name, place] of Object.entries(CHANGED_PLACES)) {
    const value = systemChanges[name as keyof typeof CHANGED_PLACES];
    const encode = name === 'contentType' ? sym : str;
    if (typeof value === 'string') set(place, encode(value));
    else if (value === null && isSet(place)) set(place, NULL);
  }
  if (expiresAt !== NEVER) {
    set(8, timestamp(BigInt(Math.min(expiresAt, LAST_TIMESTAMP))));
    set(9, timestamp(BigInt(enqueuedTime)));
  } else if (systemChanges.timeToLiveMs !== undefined && isSet(8)) set(8, NULL);
  return isRewritten(sent, broker) ? fields : undefined;
}

/** Where there is no section, only what is set makes one. */
function isRewritten(
  sent: Message['properties'],
  { generatedMessageId, expiresAt, systemChanges = {} }: BrokerProperties,
): boolean {
  const { messageId, scheduledEnqueueTime, ...effective } = systemChanges;
  const hasChange = Object.values(effective).some((value) =>
    sent === undefined ? typeof value === 'string' : value !== undefined,
  );
  return generatedMessageId !== undefined || expiresAt !== NEVER || hasChange;
}

function expectDeliveryAnnotations(
  delivered: Buffer | undefined,
  message: Message,
  lock: Lock,
  way: DeliveryForm,
): void {
  const { deliveryAnnotations: sent } = message;
  const expected = deliveryAnnotationsOf(message, way === 'peeked' ? NO_LOCK : lock);
  const isUntouched = sent !== undefined && expected.every((entry) => sent.includes(entry));
  if (sent === undefined && way === 'peeked') expect(delivered).toBeUndefined();
  else if (isUntouched && expected.length === sent.length)
    expect(delivered).toEqual(sentSection(0x71, message));
  else expect(items(delivered ?? NULL)).toEqual(expected.flat());
}

/** The sender's without a lock token, and behind them the token of this delivery. */
function deliveryAnnotationsOf(message: Message, { lockToken }: Lock): Entry[] {
  const kept = entriesBut(message.deliveryAnnotations, ['x-opt-lock-token']);
  return lockToken === undefined ? kept : [...kept, [sym('x-opt-lock-token'), hex(`98 ${lockToken}`)]];
}

function entriesBut(entries: readonly Entry[] = [], reserved: readonly string[]): Entry[] {
  return entries.filter(([key]) => !reserved.includes(textOf(key)));
}

function brokersAnnotations(
  broker: BrokerProperties,
  { lockedUntil, lockToken }: Lock,
  way: DeliveryForm,
): Entry[] {
  const { partitionId, enqueuedSequenceNumber, deadLetterSource } = broker;
  const received = broker.state === 0 && broker.wasScheduled ? 2 : broker.state;
  const state = way === 'peeked' ? broker.state : received;
  const hasToken = way === 'received-by-number' && lockToken !== undefined;
  const entries: readonly (readonly [string, Buffer | undefined])[] = [
    ['x-opt-sequence-number', wideLong(BigInt(broker.sequenceNumber))],
    ['x-opt-enqueued-time', timestamp(BigInt(broker.enqueuedTime))],
    ['x-opt-message-state', way === 'peeked' || state !== 0 ? Buffer.from([0x54, state]) : undefined],
    ['x-opt-locked-until', lockedUntil === undefined ? undefined : timestamp(BigInt(lockedUntil))],
    [
      'x-opt-partition-id',
      partitionId === undefined ? undefined : Buffer.from([0x61, partitionId >> 8, partitionId & 255]),
    ],
    [
      'x-opt-enqueue-sequence-number',
      enqueuedSequenceNumber === undefined ? undefined : wideLong(BigInt(enqueuedSequenceNumber)),
    ],
    ['x-opt-deadletter-source', deadLetterSource === undefined ? undefined : str(deadLetterSource)],
    ['x-opt-lock-token', hasToken ? hex(`98 ${lockToken}`) : undefined],
  ];
  return entries.flatMap(([name, value]): Entry[] => (value === undefined ? [] : [[sym(name), value]]));
}

function removalOfAll({ applicationProperties = [] }: Message): PropertyChange[] {
  return applicationProperties.map(([key]) => ({ name: textOf(key) ?? '', value: null }));
}

/** Undefined when the section is as it was sent, or not there. */
function merged(message: Message, changes: readonly PropertyChange[]): Entry[] | undefined {
  let result = [...(message.applicationProperties ?? [])];
  const isSent = (name: string) => result.some(([key]) => textOf(key) === name);
  const last = [...new Map(changes.map((each) => [each.name, each])).values()];
  if (last.every(({ name, value }) => value === null && !isSent(name))) return undefined;
  for (const { name, value } of last) {
    const encoded = typeof value === 'string' ? str(value) : Buffer.from(value ?? '');
    if (value === null) result = result.filter(([key]) => textOf(key) !== name);
    else if (!isSent(name)) result.push([str(name), encoded]);
    else result = result.map((each) => (textOf(each[0]) === name ? [each[0], encoded] : each));
  }
  return result;
}

/** Of an int of either width. */
function intOf(encoded = NULL): number {
  return encoded[0] === 0x54 ? encoded.readInt8(1) : encoded.readInt32BE(1);
}
