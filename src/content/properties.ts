// Reads from a sender's message the few things the broker decides by, each at its place; all else stays closed.

import type { NewMessage } from '../broker/message/message-properties.js';
import { asBuffer } from '../codec/types.js';
import { readPropertyFacts } from './application-properties.js';
import { stringAt, timestampAt, uintAt } from './fields.js';
import { givenField, itemOffsets, ownBytes } from './items.js';
import { messageIdAt } from './message-id.js';
import { type Section, splitSections } from './sections.js';
import { readSenderAnnotations } from './sender-annotations.js';
import { timeToLiveOf } from './time-to-live.js';

/** Places in the header (AMQP 3.2.1) and in the properties section (AMQP 3.2.4): MSG-10. */
const HEADER_TTL = 2;
const FIELD = {
  messageId: 0,
  absoluteExpiryTime: 8,
  creationTime: 9,
  groupId: 10,
  replyToGroupId: 12,
} as const;
const NO_OFFSETS: readonly number[] = [];

/**
 * Checks an encoded message and reads what the broker needs of it; throws DecodeError when it is malformed, or when
 * something that is read has another type than it must have. `bytes` are copied unless they are all of their memory:
 * those must not be written to afterwards.
 */
export function readMessage(bytes: Uint8Array): NewMessage {
  const buffer = asBuffer(bytes);
  const { header, messageAnnotations, properties, applicationProperties, headEnd } = splitSections(buffer);
  const fields = offsetsOf(buffer, properties);
  const annotations = readSenderAnnotations(buffer, messageAnnotations);
  const facts = readPropertyFacts(buffer, applicationProperties);
  return {
    content: ownBytes(bytes),
    messageId: messageIdAt(buffer, givenField(buffer, fields, FIELD.messageId)),
    sessionId: stringAt(buffer, givenField(buffer, fields, FIELD.groupId), 'a group-id'), // MSG-10
    replyToSessionId: stringAt(
      buffer,
      givenField(buffer, fields, FIELD.replyToGroupId),
      'a reply-to-group-id',
    ),
    partitionKey: annotations.partitionKey,
    viaPartitionKey: annotations.viaPartitionKey,
    timeToLiveMs: timeToLiveOf({
      ttlMs: readHeaderTtl(buffer, header),
      creationTime: timestampAt(buffer, givenField(buffer, fields, FIELD.creationTime), 'a creation-time'),
      absoluteExpiryTime: timestampAt(
        buffer,
        givenField(buffer, fields, FIELD.absoluteExpiryTime),
        'an absolute-expiry-time',
      ),
    }),
    scheduledEnqueueTime: annotations.scheduledEnqueueTime,
    headBytes: headEnd,
    largestPropertyBytes: facts.largestPropertyBytes,
    unsupportedProperty: facts.unsupportedProperty,
  };
}

function readHeaderTtl(bytes: Buffer, section: Section | undefined): number | undefined {
  const offsets = offsetsOf(bytes, section);
  return uintAt(bytes, givenField(bytes, offsets, HEADER_TTL), 'the ttl of the header');
}

function offsetsOf(bytes: Buffer, section: Section | undefined): readonly number[] {
  return section === undefined ? NO_OFFSETS : itemOffsets(bytes, section.value);
}
