// Splits a request to a node such as `$management` into the fields that its response repeats and the encoded arguments.

import { asBuffer } from '../codec/types.js';
import { givenField, itemOffsets, textAt } from './encoded-values.js';
import { PROPERTIES_FIELD } from './message-format.js';
import { splitSections } from './sections.js';

type RequestParts = {
  /** The encoded value: a response repeats it with the same type. */
  readonly messageId: Buffer | undefined;
  readonly replyTo: string | undefined;
  /** The encoded map. */
  readonly applicationProperties: Buffer | undefined;
  /** The encoded value of a value body. */
  readonly value: Buffer | undefined;
};

/** Throws DecodeError when the bytes are not a message. */
export function readRequestParts(bytes: Uint8Array): RequestParts {
  const { properties, applicationProperties, body } = splitSections(bytes);
  const offsets = properties === undefined ? [] : itemOffsets(bytes, properties.value);
  const messageId = givenField(bytes, offsets, PROPERTIES_FIELD.messageId);
  const replyTo = givenField(bytes, offsets, PROPERTIES_FIELD.replyTo);
  return {
    messageId:
      messageId === undefined
        ? undefined
        : slice(bytes, messageId, offsets[PROPERTIES_FIELD.messageId + 1] as number),
    replyTo: replyTo === undefined ? undefined : textAt(bytes, replyTo),
    applicationProperties:
      applicationProperties && slice(bytes, applicationProperties.value, applicationProperties.end),
    value: body?.kind === 'value' ? slice(bytes, body.value, body.end) : undefined,
  };
}

function slice(bytes: Uint8Array, start: number, end: number): Buffer {
  return asBuffer(bytes).subarray(start, end);
}
