// Reads from a sender's message the few things the broker decides by, each at its place; all else stays closed.

import type { NewMessage } from '../broker/message/message-properties.js';
import { asBuffer } from '../codec/types.js';
import { readPropertyFacts } from './application-properties.js';
import { conform } from './conform.js';
import { stringAt, timestampAt, uintAt } from './fields.js';
import { givenField, itemOffsets, ownBytes } from './items.js';
import { messageIdAt } from './message-id.js';
import { PLACE } from './property-places.js';
import { findHead, type Head, type Section, splitSections } from './sections.js';
import { readSenderAnnotations } from './sender-annotations.js';
import { timeToLiveOf } from './time-to-live.js';

/** Its place in the header (AMQP 3.2.1, MSG-10). */
const HEADER_TTL = 2;
const NO_OFFSETS: readonly number[] = [];

/**
 * Checks an encoded message and reads what the broker needs of it; throws DecodeError when it is malformed, or when
 * something that is read has another type than it must have. `bytes` are copied unless they are all of their memory:
 * those must not be written to afterwards. A form that some receivers cannot read becomes one that all of them can.
 */
export function readMessage(bytes: Uint8Array): NewMessage {
  const buffer = asBuffer(bytes);
  const sections = splitSections(buffer);
  const conformed = conform(buffer, sections);
  if (conformed === undefined) return readHead(buffer, sections, ownBytes(bytes));
  return readHead(conformed, findHead(conformed), conformed);
}

/** The same of bytes whose head is found; `content` is what is kept of them. */
export function readHead(buffer: Buffer, head: Head, content: Uint8Array): NewMessage {
  const { header, messageAnnotations, properties, applicationProperties, headEnd } = head;
  const fields = offsetsOf(buffer, properties);
  const annotations = readSenderAnnotations(buffer, messageAnnotations);
  const facts = readPropertyFacts(buffer, applicationProperties);
  return {
    content,
    messageId: messageIdAt(buffer, givenField(buffer, fields, PLACE.messageId)),
    sessionId: stringAt(buffer, givenField(buffer, fields, PLACE.groupId), 'a group-id'), // MSG-10
    replyToSessionId: stringAt(
      buffer,
      givenField(buffer, fields, PLACE.replyToGroupId),
      'a reply-to-group-id',
    ),
    partitionKey: annotations.partitionKey,
    viaPartitionKey: annotations.viaPartitionKey,
    timeToLiveMs: timeToLiveOf({
      ttlMs: readHeaderTtl(buffer, header),
      creationTime: timestampAt(buffer, givenField(buffer, fields, PLACE.creationTime), 'a creation-time'),
      absoluteExpiryTime: timestampAt(
        buffer,
        givenField(buffer, fields, PLACE.absoluteExpiryTime),
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
