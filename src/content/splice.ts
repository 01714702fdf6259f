// Encodes a message for delivery: the sender's sections byte for byte, with the fields the broker sets spliced in.

import { ByteWriter } from '../codec/byte-writer.js';
import {
  type AnnotatedDelivery,
  writeDeliveryAnnotations,
  writeMessageAnnotations,
} from './annotations-splice.js';
import { writeApplicationProperties } from './application-properties-splice.js';
import { writeHeader } from './header-splice.js';
import { changesProperties, writeProperties } from './properties-splice.js';
import { findHead, splitSections } from './sections.js';

/** What the broker says about one delivery of a message. */
export type DeliveredProperties = AnnotatedDelivery & {
  /** Instead of body and footer an empty data section, and the size of the body as an annotation (PEEK-09). */
  readonly omitBody?: boolean | undefined;
};

/** Ample for what is added to most messages; the writer grows when it is not. */
const ADDED_BYTES = 320;
const EMPTY_DATA = Buffer.from([0x00, 0x53, 0x75, 0xa0, 0x00]);

/**
 * The encoded message in two pieces: a head written for this delivery, and the rest of `content`, which is not copied.
 * `content` has passed `readMessage` when it was sent.
 */
export function encodeForDelivery(content: Uint8Array, delivery: DeliveredProperties): Buffer[] {
  const { properties } = delivery;
  const { propertyChanges } = properties;
  const omittedBodyBytes = delivery.omitBody === true ? bodyBytes(content) : undefined;
  const head = findHead(content);
  const writer = new ByteWriter(head.headEnd + ADDED_BYTES);
  writeHeader(writer, content, head.header, properties);
  writeDeliveryAnnotations(writer, content, head.deliveryAnnotations, {
    lockTokenAnnotation: delivery.lockTokenAnnotation,
    omittedBodyBytes,
  });
  writeMessageAnnotations(writer, content, head.messageAnnotations, delivery);
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
  if (omittedBodyBytes === undefined) return [writer.take(), restOf(content, rest)]; // MSG-01
  writer.bytes(content.subarray(rest, head.headEnd));
  writer.bytes(EMPTY_DATA); // PEEK-09
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
