// Received messages that are sent again: the sender's part stays as it came, and the broker's goes.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeMessage } from '../../src/content/encode-message.js';
import { NO_PROPERTIES, readParts } from '../../src/content/message-parts.js';
import { readMessage } from '../../src/content/read-message.js';
import { encodeResent } from '../../src/content/resent-message.js';
import { items } from '../support/frame-decoder.js';
import { NULL } from '../support/frame-encoder.js';
import { anyMessage, type Entry, RESERVED } from '../support/frame-message-arbitraries.js';
import { type Delivered, deliver, entriesOf, fieldsOf, sentSection, textOf, UNTOUCHED } from './delivered.js';

const NOW = Date.UTC(2027, 0, 1);
const YEAR_9999 = Date.UTC(9999, 0);
const REASONS = [
  { name: 'DeadLetterReason', value: 'because' },
  { name: 'DeadLetterErrorDescription', value: 'of that' },
];
const REASON_NAMES = REASONS.map(({ name }) => name);
const DEAD = { deliveryCount: 3, propertyChanges: REASONS, enqueuedSequenceNumber: 4, wasScheduled: true };
const NOT_RESENT = [...RESERVED, 'x-opt-lock-token', 'x-opt-scheduled-enqueue-time', 'x-opt-delivery-time'];
const TIMES = [8, 9];

function asReceived(bytes: Uint8Array): Buffer {
  return Buffer.concat(deliver(bytes, DEAD, { lockToken: '00'.repeat(16), lockedUntil: 5 }).pieces);
}

/** The sections of encoded bytes, without what a delivery adds to them. */
function sectionsOf(bytes: Uint8Array): Delivered {
  return deliver(bytes, UNTOUCHED, {}, 'peeked');
}

/** The fields but for the two times; a field that is left out is null. */
function properties(message: Delivered): Buffer[] {
  const fields = message.head.has(0x73) ? fieldsOf(message, 0x73) : [];
  return Array.from({ length: 13 }, (_, index) => (TIMES.includes(index) ? NULL : (fields[index] ?? NULL)));
}

test('properties, annotations, body and footer of any sender stay byte for byte', () => {
  fc.assert(
    fc.property(anyMessage, ({ bytes }) => {
      const resent = encodeResent(asReceived(bytes), { now: NOW });
      const [before, after] = [sectionsOf(bytes), sectionsOf(resent)];
      expect(after.rest.equals(before.rest)).toBe(true);
      expect(properties(after)).toEqual(properties(before));
      const isReason = ([name]: Entry) => REASON_NAMES.includes(textOf(name));
      expect(entriesOf(after, 0x74)).toEqual(entriesOf(before, 0x74).filter((entry) => !isReason(entry)));
      const sent = (one: Delivered) =>
        entriesOf(one, 0x72).filter(([key]) => !NOT_RESENT.includes(textOf(key)));
      expect(sent(after)).toEqual(sent(before));
      const header = (one: Delivered) => fieldsOf(one, 0x70).slice(0, 3);
      expect(header(after)).toEqual(header(before));
    }),
  );
});

test('nothing of the broker is sent, nor the time of a schedule', () => {
  fc.assert(
    fc.property(anyMessage, (message) => {
      const resent = {
        ...message,
        bytes: Buffer.from(encodeResent(asReceived(message.bytes), { now: NOW })),
      };
      const names = (code: number) => {
        const section = sentSection(code, resent);
        return section === undefined
          ? []
          : items(section)
              .filter((_, index) => index % 2 === 0)
              .map(textOf);
      };
      expect(sentSection(0x71, resent)).toBeUndefined();
      expect(names(0x72).filter((name) => NOT_RESENT.includes(name))).toEqual([]);
      expect(names(0x74).filter((name) => REASON_NAMES.includes(name))).toEqual([]);
      const header = sentSection(0x70, resent);
      expect(header === undefined ? 0 : items(header).length).toBeLessThanOrEqual(3);
    }),
  );
});

test('the time to live begins again', () => {
  fc.assert(
    fc.property(anyMessage, ({ bytes }) => {
      const { timeToLiveMs } = readMessage(bytes);
      // An absolute expiry that is no later than the creation is left out, and only the header counts.
      fc.pre(timeToLiveMs !== undefined && timeToLiveMs > 0 && NOW + timeToLiveMs < YEAR_9999);
      expect(readMessage(encodeResent(asReceived(bytes), { now: NOW })).timeToLiveMs).toBe(timeToLiveMs);
    }),
  );
});

test.each([{}, { to: 'you' }])('a new message id replaces the one of a message with %j', (given) => {
  const sent = encodeMessage(
    { properties: { ...NO_PROPERTIES, ...given }, applicationProperties: [], body: Buffer.from('hi') },
    NOW,
  );
  const resent = encodeResent(asReceived(sent), { now: NOW, messageId: 'new' });
  expect(readParts(resent).properties).toEqual({ ...NO_PROPERTIES, ...given, messageId: 'new' });
});
