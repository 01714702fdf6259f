// Reads from a message of a JMS client to which entity it goes: the address in its properties, and the kind in its annotations.

import { endOfValue, equalsTextAt, firstItem, givenField, itemOffsets, stringAt } from './encoded-values.js';
import { PROPERTIES_FIELD } from './message-format.js';
import { findHead } from './sections.js';

export type MessageDestination = {
  /** Undefined if the message has no `to`. */
  readonly address: string | undefined;
  /** Undefined without the annotation; 0 queue, 1 topic, 2 temporary queue, 3 temporary topic. */
  readonly kind: number | undefined;
};

const KIND = Buffer.from('x-opt-jms-dest');
const BYTE = 0x51;

/** Throws DecodeError when the message is malformed or its `to` is no string. */
export function readDestination(bytes: Buffer): MessageDestination {
  const { properties, messageAnnotations } = findHead(bytes);
  const fields = properties === undefined ? [] : itemOffsets(bytes, properties.value);
  const address = stringAt(bytes, givenField(bytes, fields, PROPERTIES_FIELD.to), "a 'to'");
  if (messageAnnotations === undefined) return { address, kind: undefined };
  for (let key = firstItem(bytes, messageAnnotations.value); key < messageAnnotations.end; ) {
    const value = endOfValue(bytes, key);
    if (equalsTextAt(bytes, key, KIND) && bytes[value] === BYTE) return { address, kind: bytes[value + 1] };
    key = endOfValue(bytes, value);
  }
  return { address, kind: undefined };
}
