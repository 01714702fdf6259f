// What the broker is told of a stored content, and its properties as rules see them.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HeaderField } from '../../src/broker/rules/message-view.js';
import type { SystemProperty } from '../../src/broker/rules/property-name.js';
import { contentReader } from '../../src/content/message-reader.js';
import { readMessage } from '../../src/content/read-message.js';
import { splitSections } from '../../src/content/sections.js';
import {
  bin,
  hex,
  list,
  map,
  NULL,
  str,
  sym,
  timestamp,
  uint,
  wideLong,
  wideUlong,
} from '../support/frame-encoder.js';
import { section } from '../support/frame-message.js';
import { anyMessage, type Entry } from '../support/frame-message-arbitraries.js';

const UUID = '00112233445566778899aabbccddeeff';
const propertiesOf = (...sections: Buffer[]) => contentReader.read(Buffer.concat(sections)).properties;
const nulls = (count: number) => new Array<Buffer>(count).fill(NULL);
const userOf = (...entries: Entry[]) => propertiesOf(section(0x74, map(entries)));

it('the empty content is a message that can be sent, without properties and with an empty data section', () => {
  const { content, messageId, headBytes } = readMessage(Buffer.from(contentReader.empty));
  expect([messageId, headBytes]).toEqual([undefined, 0]);
  const { body } = splitSections(content);
  expect(body).toMatchObject({ kind: 'data', start: 0 });
  expect(Buffer.from(content)).toEqual(section(0x75, bin(new Uint8Array())));
});

describe('a stored content', () => {
  it('says what was read of it when it was sent, and is not copied', () => {
    fc.assert(
      fc.property(anyMessage, ({ bytes }) => {
        const sent = readMessage(bytes);
        const { properties, ...read } = contentReader.read(sent.content);
        expect(read).toEqual(sent);
        expect(read.content).toBe(sent.content);
      }),
    );
  });

  it('is opened up to its body and no further [TOP-07]', () => {
    const head = section(0x73, list([str('id')]));
    const body = section(0x75, bin(Buffer.alloc(1000)));
    const damaged = Buffer.concat([head, body.subarray(0, 10)]);
    expect(contentReader.read(damaged)).toMatchObject({ messageId: 'id', headBytes: head.length });
  });

  it('may be a part of a larger buffer, and any kind of bytes', () => {
    const bytes = Buffer.concat([
      section(0x73, list([str('id')])),
      section(0x74, map([[str('a'), uint(1)]])),
    ]);
    const page = new Uint8Array(Buffer.concat([hex('ffff'), bytes, hex('ff')]));
    const { messageId, properties } = contentReader.read(page.subarray(2, 2 + bytes.length));
    expect([messageId, properties.system('MessageId'), properties.user('a')]).toEqual(['id', 'id', 1n]);
  });
});

describe('the system properties of a content', () => {
  it('are the fields and annotations they are named after [SQL-07, MSG-10]', () => {
    const head = [
      section(0x70, list([NULL, NULL, uint(60_000)])),
      section(
        0x72,
        map([
          [sym('x-opt-partition-key'), str('p')],
          [sym('x-opt-via-partition-key'), str('v')],
          [sym('x-opt-scheduled-enqueue-time'), timestamp(1_763_700_000_000n)],
        ]),
      ),
      section(
        0x73,
        list([
          ...[str('id'), bin(hex('01')), str('to'), str('label'), str('reply'), str('corr'), sym('type')],
          ...[sym('gzip'), NULL, NULL, str('s'), uint(1), str('rs')],
        ]),
      ),
    ];
    const content = Buffer.concat([...head, section(0x75, bin(Buffer.alloc(99)))]);
    const { properties } = contentReader.read(content);
    const expected: Partial<Record<SystemProperty, unknown>> = {
      ContentType: 'type',
      CorrelationId: 'corr',
      Label: 'label',
      MessageId: 'id',
      PartitionKey: 'p',
      ReplyTo: 'reply',
      ReplyToSessionId: 'rs',
      ScheduledEnqueueTimeUtc: { kind: 'timestamp', ms: 1_763_700_000_000 },
      SessionId: 's',
      Size: BigInt(content.length),
      TimeToLive: 60_000n,
      To: 'to',
      ViaPartitionKey: 'v',
    };
    for (const [property, value] of Object.entries(expected)) {
      expect(properties.system(property as SystemProperty), property).toEqual(value);
    }
  });

  it('are null where they are not set, whichever way [SQL-12]', () => {
    const names = [
      ...(['ContentType', 'CorrelationId', 'Label', 'MessageId', 'PartitionKey', 'ReplyTo'] as const),
      ...(['ReplyToSessionId', 'ScheduledEnqueueTimeUtc', 'SessionId', 'TimeToLive', 'To'] as const),
      'ViaPartitionKey' as const,
    ];
    for (const properties of [
      propertiesOf(),
      propertiesOf(section(0x70, hex('45')), section(0x73, hex('45'))),
      propertiesOf(section(0x73, list(nulls(13)))),
    ]) {
      for (const name of names) expect(properties.system(name), name).toBeNull();
    }
    expect(propertiesOf().system('Size')).toBe(0n);
  });

  it('are null where only the broker knows them, whatever the sender wrote [SQL-07, SEQ-03]', () => {
    const forged = [
      [sym('x-opt-sequence-number'), wideLong(1n)],
      [sym('x-opt-deadletter-source'), str('forged')],
    ] as const;
    const properties = propertiesOf(section(0x70, list([...nulls(4), uint(9)])), section(0x72, map(forged)));
    for (const name of [
      ...(['DeadLetterSource', 'DeliveryCount', 'EnqueuedSequenceNumber', 'EnqueuedTimeUtc'] as const),
      ...(['ExpiresAtUtc', 'ForcePersistence', 'LockToken', 'LockedUntilUtc'] as const),
      ...(['SequenceNumber', 'State'] as const),
    ]) {
      expect(properties.system(name), name).toBeNull();
    }
  });

  it('keep the type of an id that is no text [MSG-04, COR-04]', () => {
    for (const [encoded, value] of [
      [wideUlong(2n ** 63n), 2n ** 63n],
      [hex(`98 ${UUID}`), { kind: 'uuid', hex: UUID }],
      [bin(hex('0102')), { kind: 'other', encoded: bin(hex('0102')) }],
    ] as const) {
      const properties = propertiesOf(section(0x73, list([encoded, ...nulls(4), encoded])));
      expect(properties.system('MessageId')).toEqual(value);
      expect(properties.system('CorrelationId')).toEqual(value);
    }
  });

  it('have a time to live in whole milliseconds, beyond 49 days too [TTL-01, SQL-07]', () => {
    const header = section(0x70, list([NULL, NULL, uint(2 ** 32 - 1)]));
    const timeToLive = (expiry: bigint, creation: bigint) =>
      propertiesOf(header, section(0x73, list([...nulls(8), timestamp(expiry), timestamp(creation)]))).system(
        'TimeToLive',
      );
    expect(timeToLive(2n ** 33n + 5n, 5n)).toBe(2n ** 33n);
    expect(timeToLive(5n, 6n)).toBe(-1n);
  });
});

describe('the application properties of a content', () => {
  it('are found in any case: the exact name first, then the first there is [SQL-05]', () => {
    const properties = userOf([str('COLOR'), str('first')], [str('Color'), str('second')], [sym('n'), NULL]);
    expect(properties.user('Color')).toBe('second');
    expect(properties.user('color')).toBe('first');
    expect(properties.spelling('color')).toBe('COLOR');
    expect(properties.spelling('Color')).toBe('Color');
    expect(properties.has('cOLOR')).toBe(true);
  });

  it('are there when they are null, and else are not [SQL-10, SQL-11]', () => {
    const properties = userOf([str('n'), NULL]);
    expect([properties.user('N'), properties.has('N')]).toEqual([null, true]);
    for (const missing of [userOf(), propertiesOf(), properties]) {
      expect([missing.user('m'), missing.has('m'), missing.spelling('m')]).toEqual([
        undefined,
        false,
        undefined,
      ]);
    }
  });

  it('may have any name, and one that is no text is none', () => {
    const properties = userOf([uint(1), str('no')], [str('__proto__'), str('p')], [sym('ä'), str('s')]);
    expect(properties.user('__proto__')).toBe('p');
    expect(properties.user('Ä')).toBe('s');
    expect([properties.has('constructor'), properties.has('1')]).toEqual([false, false]);
  });

  it('are decoded when one of them is first asked for, and never again', () => {
    const content = section(0x74, map([[str('a'), hex('50 01')]]));
    const { properties } = contentReader.read(content);
    properties.system('Label');
    content[content.length - 1] = 2;
    expect(properties.user('a')).toBe(2n);
    content[content.length - 1] = 3;
    expect([properties.user('a'), properties.user('A')]).toEqual([2n, 2n]);
  });
});

describe('a value that was set on a message after it was sent', () => {
  it("is a text of the broker's own, or what its encoding says [SET-07, DLQ-05]", () => {
    expect(contentReader.decode('why')).toBe('why');
    expect(contentReader.decode(str('why'))).toBe('why');
    expect(contentReader.decode(new Uint8Array(NULL))).toBeNull();
    expect(contentReader.decode(new Uint8Array(wideLong(-5n)))).toBe(-5n);
  });

  it('is what an action has stored before [ACT-03]', () => {
    for (const value of [null, true, 'text', 7n, 0.5, { kind: 'uuid', hex: UUID } as const]) {
      expect(contentReader.decode(contentReader.encode(value))).toEqual(value);
    }
  });
});

describe('the headers that selectors read', () => {
  const BINARY_ID = section(
    0x73,
    list([bin(hex('00ff')), bin(Buffer.from('ann')), ...nulls(3), wideUlong(7n)]),
  );

  it.each<[string, Buffer, object]>([
    [
      'a message without any',
      section(0x75, bin(new Uint8Array())),
      { messageId: null, correlationId: null, durable: null, priority: 4n },
    ],
    [
      'ids that are texts',
      section(0x73, list([str('ID:1'), ...nulls(4), str('c')])),
      { messageId: 'ID:1', correlationId: 'c' },
    ],
    ['an id without the prefix', section(0x73, list([str('m')])), { messageId: 'ID:AMQP_NO_PREFIX:m' }],
    [
      'ids and a user id that are bytes and numbers',
      BINARY_ID,
      { messageId: 'ID:AMQP_BINARY:00FF', userId: 'ann', correlationId: 'ID:AMQP_ULONG:7' },
    ],
    [
      'what the sender wrote of time and group',
      section(0x73, list([...nulls(9), timestamp(250), NULL, uint(3)])),
      { creationTime: { kind: 'timestamp', ms: 250 }, groupSequence: 3n },
    ],
    ['the header', section(0x70, list([hex('41'), hex('5009')])), { durable: true, priority: 9n }],
  ])('%s [JMS-84]', (_, content, headers) => {
    const properties = contentReader.read(content).properties;
    const seen = Object.keys(headers).map((field) => [field, properties.header(field as HeaderField)]);
    expect(Object.fromEntries(seen)).toEqual(headers);
  });
});
