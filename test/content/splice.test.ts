// What a receiver gets: the sender's bytes, and the broker's fields among them.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BrokerProperties, PropertyChange } from '../../src/broker/message/message-properties.js';
import { readMessage } from '../../src/content/properties.js';
import { type DeliveredProperties, encodeForDelivery } from '../../src/content/splice.js';
import { anyValue } from '../codec/arbitrary-values.js';
import {
  bin,
  described,
  endOf,
  hex,
  items,
  list,
  long,
  map,
  NULL,
  section,
  smallUlong,
  str,
  sym,
  timestamp,
  uint,
  values,
} from '../codec/wire.js';
import { anyMessage, type Entry, type Message, RESERVED } from './arbitrary-message.js';

const INVENTED = '0123456789abcdef0123456789abcdef';
const UNTOUCHED: BrokerProperties = {
  sequenceNumber: 7,
  enqueuedTime: 1_763_700_000_123,
  deliveryCount: 0,
  state: 0,
  inventedMessageId: undefined,
  propertyChanges: undefined,
};

const CODES = [0x70, 0x71, 0x72, 0x73, 0x74] as const;
const SYMBOLS = [
  'header',
  'delivery-annotations',
  'message-annotations',
  'properties',
  'application-properties',
];

type Delivered = {
  /** The whole sections before the body, by code. */
  readonly head: ReadonlyMap<number, Buffer>;
  readonly rest: Buffer;
  readonly pieces: readonly Buffer[];
};

function deliver(
  bytes: Uint8Array,
  broker: Partial<BrokerProperties> = {},
  lockedUntil?: DeliveredProperties['lockedUntil'],
): Delivered {
  const pieces = encodeForDelivery(readMessage(bytes).content, {
    properties: { ...UNTOUCHED, ...broker },
    lockedUntil,
  });
  const whole = Buffer.concat(pieces);
  const head = new Map<number, Buffer>();
  let restLength = whole.length;
  for (const each of values(whole)) {
    const code = codeOf(each);
    if (code > 0x74) break;
    expect([...head.keys()].every((earlier) => earlier < code)).toBe(true);
    head.set(code, each);
    restLength -= each.length;
  }
  return { head, rest: whole.subarray(whole.length - restLength), pieces };
}

function codeOf(encoded: Buffer): number {
  const descriptor = encoded.subarray(1, endOf(encoded, 1));
  if (descriptor[0] === 0x53) return descriptor[1] as number;
  if (descriptor[0] === 0x80) return Number(descriptor.readBigUInt64BE(1));
  const index = SYMBOLS.findIndex((name) => descriptor.toString('utf8', 2).startsWith(`amqp:${name}:`));
  return CODES[index] ?? 0x75;
}

const entriesOf = (encoded: Buffer | undefined): Entry[] => {
  const each = encoded === undefined ? [] : items(encoded);
  return each.flatMap((key, index) => (index % 2 === 0 ? [[key, each[index + 1] ?? NULL] as const] : []));
};
const textOf = (key: Buffer) => key.toString('utf8', key[0] === 0xb1 || key[0] === 0xb3 ? 5 : 2);
const sent = (code: number, message: Message) => values(message.bytes).find((each) => codeOf(each) === code);
const brokersAnnotations = (broker: BrokerProperties, lockedUntil: number | undefined): Entry[] => [
  [sym('x-opt-sequence-number'), long(BigInt(broker.sequenceNumber))],
  [sym('x-opt-enqueued-time'), timestamp(BigInt(broker.enqueuedTime))],
  [sym('x-opt-message-state'), Buffer.from([0x54, broker.state])],
  ...(lockedUntil === undefined
    ? []
    : ([[sym('x-opt-locked-until'), timestamp(BigInt(lockedUntil))]] as Entry[])),
];

const change: fc.Arbitrary<PropertyChange> = fc.record({
  name: fc.oneof(
    fc.constantFrom('DeadLetterReason', '__proto__', 'constructor'),
    fc.string({ minLength: 1, maxLength: 3 }),
  ),
  value: fc.oneof(fc.string({ maxLength: 300 }), anyValue),
});
const anyBroker: fc.Arbitrary<BrokerProperties> = fc.record({
  sequenceNumber: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  enqueuedTime: fc.integer({ min: 0, max: 253_402_300_799_999 }),
  deliveryCount: fc.oneof(fc.nat({ max: 300 }), fc.constant(0xffffffff)),
  state: fc.constantFrom(0, 1, 2),
  inventedMessageId: fc.constant(undefined),
  propertyChanges: fc.option(fc.array(change, { maxLength: 4 }), { nil: undefined }),
});
const lock = fc.option(fc.integer({ min: 0, max: 253_402_300_799_999 }), { nil: undefined });

describe('a delivered message', () => {
  it('is what was sent, byte for byte, but for the fields the broker splices in', () => {
    fc.assert(
      fc.property(anyMessage, anyBroker, lock, (message, given, lockedUntil) => {
        const { hasMessageId } = readMessage(message.bytes);
        const broker = { ...given, inventedMessageId: hasMessageId ? undefined : INVENTED };
        const { head, rest } = deliver(message.bytes, broker, lockedUntil);

        const header = [...(message.header ?? []).slice(0, 4), NULL, NULL, NULL, NULL].slice(0, 4);
        expect(items(head.get(0x70) ?? NULL)).toEqual([...header, uint(broker.deliveryCount)]);
        expect(head.get(0x71)).toEqual(sent(0x71, message));
        const own = (message.messageAnnotations ?? []).filter(
          ([key]) => !RESERVED.includes(textOf(key) as never),
        );
        expect(entriesOf(head.get(0x72))).toEqual([...own, ...brokersAnnotations(broker, lockedUntil)]);
        if (hasMessageId) expect(head.get(0x73)).toEqual(sent(0x73, message));
        else
          expect(items(head.get(0x73) ?? NULL)).toEqual([
            str(INVENTED),
            ...(message.properties ?? []).slice(1),
          ]);
        expect(entriesOf(head.get(0x74))).toEqual(merged(message, broker.propertyChanges ?? []));
        if ((broker.propertyChanges ?? []).length === 0) expect(head.get(0x74)).toEqual(sent(0x74, message));
        expect(rest).toEqual(Buffer.concat([message.body, message.footer]));
      }),
      { numRuns: 300 },
    );
  });

  it('can be read and delivered again from what was delivered', () => {
    fc.assert(
      fc.property(anyMessage, anyBroker, lock, (message, broker, lockedUntil) => {
        const once = Buffer.concat(deliver(message.bytes, broker, lockedUntil).pieces);
        const twice = Buffer.concat(deliver(once, broker, lockedUntil).pieces);
        expect(twice).toEqual(once);
      }),
      { numRuns: 100 },
    );
  });

  function merged(message: Message, changes: readonly PropertyChange[]): Entry[] {
    const result = [...(message.applicationProperties ?? [])];
    for (const { name, value } of changes) {
      const encoded = typeof value === 'string' ? str(value) : Buffer.from(value);
      const at = result.findIndex(([key]) => textOf(key) === name);
      if (at < 0) result.push([str(name), encoded]);
      else result[at] = [result[at]?.[0] ?? NULL, encoded];
    }
    return result;
  }
});

describe('a section into which something is spliced', () => {
  it('keeps the descriptor it was sent with', () => {
    const sections: readonly (readonly [number, string, Buffer])[] = [
      [0x70, 'amqp:header:list', list([])],
      [0x72, 'amqp:message-annotations:map', map([])],
      [0x73, 'amqp:properties:list', list([])],
      [0x74, 'amqp:application-properties:map', map([])],
    ];
    const bytes = Buffer.concat(sections.map(([, symbol, value]) => described(sym(symbol), value)));
    const broker = { inventedMessageId: INVENTED, propertyChanges: [{ name: 'k', value: 'v' }] };
    const { head, rest } = deliver(bytes, broker);
    for (const [code, symbol] of sections) {
      const descriptor = Buffer.concat([hex('00'), sym(symbol)]);
      expect(head.get(code)?.subarray(0, descriptor.length), symbol).toEqual(descriptor);
    }
    expect(rest).toHaveLength(0);
  });
});

describe('the header', () => {
  const headerOf = (bytes: Buffer, deliveryCount = 0) => deliver(bytes, { deliveryCount }).head.get(0x70);

  it('is made when there was none, with delivery-count 0 on the first delivery', () => {
    expect(items(headerOf(hex('')) ?? NULL)).toEqual([NULL, NULL, NULL, NULL, hex('43')]);
  });

  it("keeps the sender's fields and replaces the sender's delivery-count", () => {
    const header = section(
      0x70,
      list([hex('41'), hex('5009'), hex('70 0001d4c0'), hex('56 01'), hex('70 00000003')]),
    );
    expect(items(headerOf(header, 300) ?? NULL)).toEqual([
      hex('41'),
      hex('5009'),
      hex('70 0001d4c0'),
      hex('56 01'),
      hex('70 0000012c'),
    ]);
  });
});

describe('the message annotations', () => {
  it("keep the sender's, lose what only the broker may set, and end with the broker's", () => {
    const forged = RESERVED.map((name) => [sym(name), long(99n)] as const);
    const own = [
      [sym('x-opt-partition-key'), str('p')],
      [sym('custom'), described(sym('d'), hex('51ff'))],
    ] as const;
    const bytes = section(0x72, map([...forged, ...own], true));
    expect(entriesOf(deliver(bytes, {}, 1_763_700_060_123).head.get(0x72))).toEqual([
      ...own,
      [sym('x-opt-sequence-number'), hex('81 0000000000000007')],
      [sym('x-opt-enqueued-time'), timestamp(1_763_700_000_123n)],
      [sym('x-opt-message-state'), hex('54 00')],
      [sym('x-opt-locked-until'), timestamp(1_763_700_060_123n)],
    ]);
  });

  it('say nothing of a lock where there is none', () => {
    const keys = entriesOf(deliver(hex('')).head.get(0x72)).map(([key]) => textOf(key));
    expect(keys).toEqual(['x-opt-sequence-number', 'x-opt-enqueued-time', 'x-opt-message-state']);
  });

  it('lose a reserved annotation also when its key is a string', () => {
    const bytes = section(0x72, map([[str('x-opt-sequence-number'), str('forged')]]));
    expect(entriesOf(deliver(bytes).head.get(0x72))).toHaveLength(3);
  });
});

describe('an invented message-id', () => {
  const propertiesOf = (bytes: Buffer) =>
    items(deliver(bytes, { inventedMessageId: INVENTED }).head.get(0x73) ?? NULL);

  it('makes the properties section when there was none', () => {
    expect(propertiesOf(section(0x75, bin(hex('01'))))).toEqual([str(INVENTED)]);
  });

  it('takes the place of a null or missing one and leaves the other fields as they were', () => {
    expect(propertiesOf(section(0x73, list([])))).toEqual([str(INVENTED)]);
    expect(propertiesOf(section(0x73, list([NULL])))).toEqual([str(INVENTED)]);
    expect(propertiesOf(section(0x73, list([NULL, NULL, sym('to'), hex('71 00000001')])))).toEqual([
      str(INVENTED),
      NULL,
      sym('to'),
      hex('71 00000001'),
    ]);
  });

  it('stands before the application properties and the body', () => {
    const bytes = Buffer.concat([section(0x74, map([[str('k'), str('v')]])), section(0x77, str('body'))]);
    const { head, rest } = deliver(bytes, { inventedMessageId: INVENTED });
    expect([...head.keys()]).toEqual([0x70, 0x72, 0x73, 0x74]);
    expect(rest).toEqual(section(0x77, str('body')));
  });
});

describe('property changes', () => {
  const text = (name: string, value: string): PropertyChange => ({ name, value });

  it('make the application properties when there were none', () => {
    const { head, rest } = deliver(section(0x75, bin(hex('01'))), {
      propertyChanges: [text('DeadLetterReason', 'why'), { name: 'n', value: hex('81 ffffffffffffffff') }],
    });
    expect(entriesOf(head.get(0x74))).toEqual([
      [str('DeadLetterReason'), str('why')],
      [str('n'), hex('81 ffffffffffffffff')],
    ]);
    expect(rest).toEqual(section(0x75, bin(hex('01'))));
  });

  it("replace the sender's property in its place and add the others behind", () => {
    const bytes = section(
      0x74,
      map([
        [str('a'), uint(1)],
        [str('b'), uint(2)],
        [str('c'), uint(3)],
      ]),
    );
    const { head } = deliver(bytes, { propertyChanges: [text('new', 'n'), text('b', 'changed')] });
    expect(entriesOf(head.get(0x74))).toEqual([
      [str('a'), uint(1)],
      [str('b'), str('changed')],
      [str('c'), uint(3)],
      [str('new'), str('n')],
    ]);
  });

  it('of the same name follow each other: the last one counts', () => {
    const { head } = deliver(hex(''), { propertyChanges: [text('k', 'first'), text('k', 'last')] });
    expect(entriesOf(head.get(0x74))).toEqual([[str('k'), str('last')]]);
  });

  it('may be longer than 255 bytes', () => {
    const { head } = deliver(hex(''), { propertyChanges: [text('k', 'é'.repeat(2000))] });
    expect(entriesOf(head.get(0x74))).toEqual([[str('k'), str('é'.repeat(2000))]]);
  });

  it('leave the application properties as encoded when there are none', () => {
    const bytes = described(smallUlong(0x74), map([[str('k'), str('v')]]));
    expect(deliver(bytes, { propertyChanges: [] }).head.get(0x74)).toEqual(bytes);
  });
});

describe('the pieces of a delivered message', () => {
  it('hold the body uncopied', () => {
    const bytes = section(0x75, bin(Buffer.alloc(100_000, 1)));
    const { content } = readMessage(bytes);
    const pieces = encodeForDelivery(content, {
      properties: { ...UNTOUCHED, inventedMessageId: INVENTED, propertyChanges: [{ name: 'a', value: 'b' }] },
      lockedUntil: undefined,
    });
    const body = pieces.at(-1);
    expect(body?.buffer).toBe(content.buffer);
    expect(body).toHaveLength(bytes.length);
  });

  it('share nothing that is written to between two deliveries of one message', () => {
    const { content } = readMessage(section(0x73, list([str('id')])));
    const before = Buffer.from(content);
    const deliveries = [1, 2].map((deliveryCount) =>
      encodeForDelivery(content, { properties: { ...UNTOUCHED, deliveryCount }, lockedUntil: undefined }),
    );
    const counts = deliveries.map((pieces) => items(values(Buffer.concat(pieces))[0] ?? NULL)[4]);
    expect(counts).toEqual([uint(1), uint(2)]);
    expect(Buffer.from(content)).toEqual(before);
  });
});
