// Encodes a message for delivery: the sender's sections byte for byte, with the fields the broker sets spliced in.

import { ByteWriter } from '../codec/byte-writer.js';
import {
  type AnnotatedDelivery,
  type Way,
  writeDeliveryAnnotations,
  writeMessageAnnotations,
  writePeekedAnnotations,
} from './annotations-splice.js';
import { writeApplicationProperties } from './application-properties-splice.js';
import { writeHeader } from './header-splice.js';
import { changesProperties, writeProperties } from './properties-splice.js';
import { findHead, splitSections } from './sections.js';

/** Ample for what is added to most messages; the writer grows when it is not. */
const ADDED_BYTES = 320;

/**
 * The encoded message in two pieces: a head written for this delivery, and the rest of `content`, which is not copied.
 * `content` has passed `readMessage` when it was sent. Peeked without its body it has no footer either, and says the size
 * of the body in an annotation (PEEK-09).
 */
export function encodeForDelivery(
  content: Uint8Array,
  delivery: AnnotatedDelivery,
  way: Way = 'delivered',
): Buffer[] {
  const { properties, lockToken } = delivery;
  const { propertyChanges } = properties;
  const omitsBody = way === 'peeked-without-body';
  const head = findHead(content);
  const writer = new ByteWriter(head.headEnd + ADDED_BYTES);
  writeHeader(writer, content, head.header, properties);
  if (omitsBody || way === 'peeked') {
    const omittedBodyBytes = omitsBody ? bodyBytes(content) : undefined;
    writePeekedAnnotations(writer, content, head.deliveryAnnotations, omittedBodyBytes);
  } else writeDeliveryAnnotations(writer, content, head.deliveryAnnotations, lockToken);
  writeMessageAnnotations(writer, content, head.messageAnnotations, delivery, way);
  const applicationPropertiesStart = head.applicationProperties?.start ?? head.headEnd;
  let rest = head.properties?.start ?? applicationPropertiesStart;
  if (changesProperties(properties, head.properties)) {
    writeProperties(writer, content, head.properties, properties);
    rest = applicationPropertiesStart;
  }
  if (propertyChanges !== undefined && propertyChanges.length > 0) {
    writer.bytes(content.subarray(rest, applicationPropertiesStart));
    writeApplicationProperties(writer, content, head.applicationProperties, propertyChanges);
    rest = head.headEnd;
  }
  if (!omitsBody) return [writer.take(), restOf(content, rest)]; // MSG-01
  writer.bytes(content.subarray(rest, head.headEnd)); // PEEK-09
  return [writer.take()];
}

/** Of all its sections together, as encoded. */
function bodyBytes(content: Uint8Array): number {
  const { body } = splitSections(content);
  return body === undefined ? 0 : body.end - body.start;
}

function restOf(content: Uint8Array, start: number): Buffer {
  return Buffer.from(content.buffer, content.byteOffset + start, content.length - start);
}
