// POST .../messages: sends one message, or a batch, which is stored as a whole or not at all.

import { ServiceBusError } from '../../broker/contract/service-bus-error.js';
import type { GatheredBytes } from '../../codec/gathered-bytes.js';
import { encodeGathered, encodeMessage, type SentHead } from '../../content/encode-message.js';
import type { PropertyParts, SentParts } from '../../content/message-parts.js';
import { readMessage } from '../../content/read-message.js';
import { named } from '../../description/value-error.js';
import { expectResult, type HttpCall, type HttpRequest, type RoutedCall } from '../http-context.js';
import { gatherBody } from '../request-body.js';
import { checkContentType, parseBrokerProperties } from './broker-properties.js';
import { emptyAnswer } from './empty-answer.js';
import { readHeaderText, readPropertyValue } from './header-values.js';
import { isUserProperty } from './reserved-headers.js';
import { isBatch, readBatch } from './sent-batch.js';

/** A batch is JSON: escapes and Base64 expand each byte of a body to at most two. */
const JSON_BYTES_PER_BYTE = 2;
/** The most bytes of JSON around the bodies of a batch. */
const JSON_ROOM_BYTES = 64 * 1024;

/** Sends the messages of a request. Throws a ServiceBusError, a RequestProblem or a ValueError. */
export async function sendMessages(call: RoutedCall): Promise<Response> {
  const { engine, autoCreate } = call.context;
  const entityPath = call.names.entity;
  await autoCreate?.forSender(entityPath);
  const found = await engine.ask({ kind: 'find-entity', entityPath });
  const { maxMessageSizeBytes, maxBatchSizeBytes } = expectResult(found, 'entity');
  const isOfMany = isBatch(call.request);
  const { maxBytes, encode } = isOfMany
    ? { maxBytes: JSON_BYTES_PER_BYTE * maxBatchSizeBytes + JSON_ROOM_BYTES, encode: encodeBatch }
    : { maxBytes: maxMessageSizeBytes, encode: encoderOf(readSentHeaders(call)) };
  const messages = encode(await gatherBody(call, { maxBytes, tooLarge })).map((message) =>
    readMessage(message),
  );
  expectResult(await engine.ask({ kind: 'send', entityPath, messages, isBatch: isOfMany }), 'sent');
  return emptyAnswer(201);
}

/** Encodes the body of a request, with its headers, as a message. The broker checks the size of the whole message. */
function encoderOf(head: SentHead): (body: GatheredBytes) => Uint8Array[] {
  return (body) => [encodeGathered(head, body, creationTime())];
}

function encodeBatch(body: GatheredBytes): Uint8Array[] {
  const parts = readBatch(body.take());
  const now = creationTime();
  return parts.map((each) => encodeMessage(each, now));
}

/** The creation time, which an SDK would take from its own clock. Only its distance to the expiry matters (TTL-01). */
function creationTime(): number {
  return Date.now();
}

/** SND-10, with the same text as over AMQP. */
function tooLarge(size: string, maxBytes: number): ServiceBusError {
  const text = `The received message (size: ${size}) exceeds the limit (${maxBytes} bytes) currently allowed on the link.`;
  return new ServiceBusError('message-size-exceeded', text, { property: 'message', limit: maxBytes });
}

/** The properties in the headers: `BrokerProperties`, and every header that is not reserved. Throws a ValueError. */
function readSentHeaders(call: HttpCall): SentHead {
  return { properties: readProperties(call.request), applicationProperties: readUserProperties(call) };
}

/** The Content-Type header takes precedence over the one in `BrokerProperties`. */
function readProperties({ headers }: HttpRequest): PropertyParts {
  const json = headers.get('brokerproperties') ?? '';
  const properties = named('BrokerProperties', () =>
    parseBrokerProperties(json === '' ? '{}' : readHeaderText(json)),
  );
  const contentType = headers.get('content-type') ?? '';
  if (contentType === '') return properties;
  named('Content-Type', () => checkContentType(contentType));
  return { ...properties, contentType };
}

function readUserProperties({ request, headerNames = [] }: HttpCall): SentParts['applicationProperties'] {
  const spellings = new Map(headerNames.map((name) => [name.toLowerCase(), name]));
  return [...request.headers]
    .filter(([name]) => isUserProperty(name))
    .map(([name, value]) => ({ name: spellings.get(name) ?? name, value: readPropertyValue(value) }));
}
