// Reads from a sender's message the few fields the broker decides by, each at its place; all else stays closed.

import type { NewMessage } from '../broker/message/message-properties.js';
import { DecodeError } from '../codec/decode-error.js';
import { givenField, isStringAt, itemOffsets, ownBytes, textAt } from './items.js';
import { type Section, splitSections } from './sections.js';

/** Places in the properties section (AMQP 3.2.4). */
const FIELD = { messageId: 0, groupId: 10 } as const;

/** A message-id is a string, ulong, uuid or binary (MSG-04, AMQP 3.2.11-14). */
const MESSAGE_ID_CODES: readonly number[] = [0xa1, 0xb1, 0x44, 0x53, 0x80, 0x98, 0xa0, 0xb0];

/** What the properties section tells the broker. */
type SenderProperties = Pick<NewMessage, 'hasMessageId' | 'sessionId'>;

/**
 * Checks an encoded message and reads what the broker needs of it; throws DecodeError when it is malformed. `bytes` are
 * copied unless they are all of their memory: those must not be written to afterwards.
 */
export function readMessage(bytes: Uint8Array): NewMessage {
  const { properties } = splitSections(bytes);
  const { hasMessageId, sessionId } = readProperties(bytes, properties);
  return { content: ownBytes(bytes), hasMessageId, sessionId };
}

function readProperties(bytes: Uint8Array, section: Section | undefined): SenderProperties {
  if (section === undefined) return { hasMessageId: false, sessionId: undefined };
  const offsets = itemOffsets(bytes, section.value);
  return {
    hasMessageId: isMessageId(bytes, givenField(bytes, offsets, FIELD.messageId)),
    sessionId: readSessionId(bytes, givenField(bytes, offsets, FIELD.groupId)),
  };
}

function isMessageId(bytes: Uint8Array, offset: number | undefined): boolean {
  if (offset === undefined) return false;
  if (MESSAGE_ID_CODES.includes(bytes[offset] as number)) return true;
  throw new DecodeError('a message-id is not a string, ulong, uuid or binary', 'amqp:invalid-field');
}

function readSessionId(bytes: Uint8Array, offset: number | undefined): string | undefined {
  if (offset === undefined) return undefined;
  if (isStringAt(bytes, offset)) return textAt(bytes, offset);
  throw new DecodeError('a group-id is not a string', 'amqp:invalid-field');
}
