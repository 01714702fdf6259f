// Requests to `$cbs` and `$management` and their responses, as AMQP messages.

import { ByteWriter } from '../../codec/byte-writer.js';
import { entryOf, textOf } from '../../codec/read-value.js';
import { type AmqpValue, amqp, decodeValue } from '../../codec/types.js';
import { readRequestParts } from '../../content/request-parts.js';
import type { Membership } from '../links/transactions.js';

export type Request = {
  /** Encoded, as the response repeats it with the same type. */
  readonly messageId: Buffer | undefined;
  readonly replyTo: string | undefined;
  /** The application-properties map. */
  readonly properties: AmqpValue | undefined;
  readonly operation: string | undefined;
  readonly body: AmqpValue | undefined;
  /** The body as the client encoded it. */
  readonly encodedBody: Buffer | undefined;
  /** The transaction of the request, if any. */
  readonly membership?: Membership;
};

/** Writes the encoded value of a body. */
export type BodyWriter = (writer: ByteWriter) => void;

export type Response = {
  readonly status: number;
  readonly description: string;
  /** The condition of a failure, or of a success that found nothing. SDKs guess it from the status when it is missing (ERR-05). */
  readonly condition?: string;
  readonly body?: AmqpValue | BodyWriter;
};

const PROPERTIES_SECTION = 0x73;
const APPLICATION_PROPERTIES_SECTION = 0x74;
const VALUE_SECTION = 0x77;
const TRACKING_ID = 'com.microsoft:tracking-id';
/** The index in the properties section (AMQP 3.2.4). */
const CORRELATION_ID_INDEX = 5;

/** Throws DecodeError when the bytes are no message. */
export function readRequest(bytes: Buffer): Request {
  const { messageId, replyTo, applicationProperties, value } = readRequestParts(bytes);
  const properties = applicationProperties && decodeValue(applicationProperties);
  return {
    messageId,
    replyTo,
    properties,
    operation: textOf(entryOf(properties, 'operation')),
    body: value && decodeValue(value),
    encodedBody: value,
  };
}

/** Writes the status in both spellings: `$cbs` clients read one, `$management` clients the other, and some clients either. */
export function writeResponse(request: Request, response: Response): Buffer {
  const writer = new ByteWriter(512);
  writer.descriptor(PROPERTIES_SECTION);
  writer.compound32(0xd0, () => {
    for (let index = 0; index < CORRELATION_ID_INDEX; index++) writer.null();
    if (request.messageId === undefined) writer.null();
    else writer.bytes(request.messageId);
    return CORRELATION_ID_INDEX + 1;
  });
  writer.descriptor(APPLICATION_PROPERTIES_SECTION);
  writer.value(amqp.map(statusEntries(request, response)));
  writer.descriptor(VALUE_SECTION);
  const { body = amqp.map([]) } = response;
  if (typeof body === 'function') body(writer);
  else writer.value(body);
  return writer.take();
}

function statusEntries(request: Request, { status, description, condition }: Response) {
  const entries: [AmqpValue, AmqpValue][] = [
    [amqp.string('statusCode'), amqp.int(status)], // ERR-05
    [amqp.string('status-code'), amqp.int(status)],
    [amqp.string('statusDescription'), amqp.string(description)],
    [amqp.string('status-description'), amqp.string(description)],
  ];
  if (condition !== undefined) {
    entries.push([amqp.string('errorCondition'), amqp.symbol(condition)]); // ERR-05
    entries.push([amqp.string('error-condition'), amqp.symbol(condition)]);
  }
  const trackingId = textOf(entryOf(request.properties, TRACKING_ID));
  if (trackingId !== undefined) entries.push([amqp.string(TRACKING_ID), amqp.string(trackingId)]);
  return entries;
}
