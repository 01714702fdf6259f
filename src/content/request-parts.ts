// The parts of a request to a node such as `$management`: what a response needs, and the encoded values of the question.

import { asBuffer } from '../codec/types.js';
import { givenField, itemOffsets, textAt } from './items.js';
import { PLACE } from './property-places.js';
import { splitSections } from './sections.js';

export type RequestParts = {
  /** As encoded: a response repeats it with the same type. */
  readonly messageId: Buffer | undefined;
  readonly replyTo: string | undefined;
  /** The encoded map. */
  readonly applicationProperties: Buffer | undefined;
  /** The encoded value of a value body. */
  readonly value: Buffer | undefined;
};

/** Throws DecodeError when the bytes are no message. */
export function readRequestParts(bytes: Uint8Array): RequestParts {
  const { properties, applicationProperties, body } = splitSections(bytes);
  const offsets = properties === undefined ? [] : itemOffsets(bytes, properties.value);
  const messageId = givenField(bytes, offsets, PLACE.messageId);
  const replyTo = givenField(bytes, offsets, PLACE.replyTo);
  return {
    messageId:
      messageId === undefined ? undefined : part(bytes, messageId, offsets[PLACE.messageId + 1] as number),
    replyTo: replyTo === undefined ? undefined : textAt(bytes, replyTo),
    applicationProperties:
      applicationProperties && part(bytes, applicationProperties.value, applicationProperties.end),
    value: body?.kind === 'value' ? part(bytes, body.value, body.end) : undefined,
  };
}

function part(bytes: Uint8Array, start: number, end: number): Buffer {
  return asBuffer(bytes).subarray(start, end);
}
