// A stored message for people who look at it: decoded with the broker's changes, and where its sections lie.

import type { BrokerProperties } from '../broker/contract/message-properties.js';
import { asBuffer } from '../codec/types.js';
import { type DecodedMessage, decodeMessage, typedEntriesIn } from './decode-message.js';
import { findHead, splitSections } from './sections.js';
import { encodeForDelivery } from './splice.js';

/**
 * Decodes a content that `readMessage` has accepted, with the changes of the broker and of settlements. Annotations are those
 * of the sender.
 */
export function inspectContent(content: Uint8Array, properties: BrokerProperties): DecodedMessage {
  const delivery = { properties, lockToken: undefined, lockedUntil: undefined };
  const bytes = Buffer.concat(encodeForDelivery(content, delivery, 'peeked'));
  const sent = asBuffer(content);
  return { ...decodeMessage(bytes), annotations: typedEntriesIn(sent, findHead(sent).messageAnnotations) };
}

/** The sections of a content as it is stored, in their order. Those of a body in several sections are one. */
export function sectionsOf(
  content: Uint8Array,
): readonly { readonly name: string; readonly start: number; readonly end: number }[] {
  const { body, headEnd: _, isInOrder: __, ...others } = splitSections(content);
  return Object.entries({ ...others, ...(body && { [body.kind]: body }) })
    .flatMap(([name, section]) => (section === undefined ? [] : [{ name, ...section }]))
    .map(({ name, start, end }) => ({ name, start, end }))
    .sort((a, b) => a.start - b.start);
}
