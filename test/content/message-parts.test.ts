// Messages made of parts and taken apart: what is encoded is what an SDK would have sent, and nothing is lost on the way.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NEVER } from '../../src/broker/contract/instant.js';
import { encodeMessage } from '../../src/content/encode-message.js';
import {
  NO_PROPERTIES,
  type PropertyParts,
  readParts,
  type SentParts,
} from '../../src/content/message-parts.js';
import { readMessage } from '../../src/content/read-message.js';
import { values } from '../support/frame-decoder.js';
import { hex } from '../support/frame-encoder.js';
import { section } from '../support/frame-message.js';
import { anyMessage } from '../support/frame-message-arbitraries.js';

const NOW = Date.UTC(2026, 0, 1);
const DAY = 24 * 60 * 60 * 1000;

function encode(given: Partial<PropertyParts> = {}, more: Partial<SentParts> = {}): Buffer {
  const properties = { ...NO_PROPERTIES, ...given };
  const parts = { properties, applicationProperties: [], body: new Uint8Array(), ...more };
  return Buffer.from(encodeMessage(parts, NOW));
}

test('a message of which nothing is said is its body alone', () => {
  expect(encode({}, { body: Buffer.from('hi') })).toEqual(section(0x75, hex('a0 02 6869')));
  expect(encode()).toEqual(section(0x75, hex('a0 00')));
});

test('each section is there only for what is said in it', () => {
  const codes = (bytes: Buffer) => values(bytes).map((each) => each[2]);
  expect(codes(encode({ timeToLiveMs: 1 }))).toEqual([0x70, 0x75]);
  expect(codes(encode({ viaPartitionKey: 'v' }))).toEqual([0x72, 0x75]);
  expect(codes(encode({ replyToSessionId: 's' }))).toEqual([0x73, 0x75]);
  expect(codes(encode({}, { applicationProperties: [{ name: 'a', value: null }] }))).toEqual([0x74, 0x75]);
});

test('the broker reads what is said [MSG-10]', () => {
  const said = {
    messageId: 'm',
    sessionId: 's',
    replyToSessionId: 'r',
    partitionKey: 'p',
    viaPartitionKey: 'v',
    timeToLiveMs: 5000,
    scheduledEnqueueTime: NOW + 1,
  };
  expect(readMessage(encode(said))).toMatchObject(said);
});

test.each([1, 0xffff_fffe, 0x1_0000_0000, 50 * DAY, 1000 * 365 * DAY])(
  'a time to live of %i ms is read as the same [TTL-01]',
  (timeToLiveMs) => {
    expect(readMessage(encode({ timeToLiveMs })).timeToLiveMs).toBe(timeToLiveMs);
  },
);

test.each([NEVER, undefined, 9000 * 365 * DAY])(
  'a time to live of %s ms is none [TTL-01]',
  (timeToLiveMs) => {
    expect(readMessage(encode({ timeToLiveMs })).timeToLiveMs).toBeUndefined();
  },
);

test.each([
  [5n, '54 05'],
  [-2147483648n, '71 80000000'],
  [2147483647n, '71 7fffffff'],
  [2147483648n, '81 0000000080000000'],
])('the integer %s is encoded as %s', (value, encoded) => {
  const bytes = encode({}, { applicationProperties: [{ name: 'n', value }] });
  const [properties] = values(bytes);
  expect(properties?.subarray(-hex(encoded).length)).toEqual(hex(encoded));
});

const text = fc.option(fc.string({ unit: 'grapheme', maxLength: 300 }), { nil: undefined });
const instant = fc.option(fc.integer({ min: 0, max: 2 ** 43 }), { nil: undefined });
const properties: fc.Arbitrary<PropertyParts> = fc.record({
  messageId: text,
  to: text,
  subject: text,
  replyTo: text,
  correlationId: text,
  sessionId: text,
  replyToSessionId: text,
  partitionKey: text,
  viaPartitionKey: text,
  scheduledEnqueueTime: instant,
  contentType: fc.option(fc.stringMatching(/^[ -~]{1,20}$/), { nil: undefined }),
  timeToLiveMs: fc.option(fc.integer({ min: 1, max: 2 ** 45 }), { nil: undefined }),
});
const value = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.boolean(),
  fc.double(),
  fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
  fc.constant(null),
  fc.integer().map((ms) => ({ kind: 'timestamp', ms }) as const),
);
const sent: fc.Arbitrary<SentParts> = fc.record({
  properties,
  applicationProperties: fc.uniqueArray(fc.record({ name: fc.string({ unit: 'grapheme' }), value }), {
    selector: ({ name }) => name,
    maxLength: 5,
  }),
  body: fc.uint8Array({ maxLength: 1000 }),
});

test('what is made of parts comes apart into the same', () => {
  fc.assert(
    fc.property(sent, (parts) => {
      const { body, ...received } = readParts(readMessage(encodeMessage(parts, NOW)).content);
      expect(received).toEqual({
        properties: parts.properties,
        applicationProperties: parts.applicationProperties,
      });
      expect(Buffer.from(body.kind === 'bytes' ? body.bytes : [])).toEqual(Buffer.from(parts.body));
      expect(body.kind).toBe('bytes');
    }),
  );
});

test('whatever message the broker takes can be taken apart', () => {
  fc.assert(
    fc.property(anyMessage, ({ bytes, applicationProperties }) => {
      const parts = readParts(readMessage(bytes).content);
      expect(parts.applicationProperties).toHaveLength(applicationProperties?.length ?? 0);
    }),
  );
});

test.each([
  ['a number', '53 07', '7'],
  ['a uuid', '98 00112233445566778899aabbccddeeff', '00112233-4455-6677-8899-aabbccddeeff'],
  ['a binary', 'a0 02 ff41', '\xffA'],
  ['a list', '45', undefined],
])('a correlation id that is %s is read as text', (_, encoded, id) => {
  const fields = Buffer.concat([hex('40 40 40 40 40'), hex(encoded)]);
  const list = Buffer.concat([Buffer.from([0xc0, fields.length + 1, 6]), fields]);
  expect(readParts(section(0x73, list)).properties.correlationId).toBe(id);
});
