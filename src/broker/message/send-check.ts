// What a message must be to be accepted; everything is checked before anything is stored.

import type { BrokerParts } from '../broker-parts.js';
import type { Queue } from '../entity/queue.js';
import type { Limits } from '../limits.js';
import { ServiceBusError } from '../service-bus-error.js';
import type { NewMessage } from './message-properties.js';

type IdField = 'messageId' | 'sessionId' | 'replyToSessionId' | 'partitionKey' | 'viaPartitionKey';

const ID_FIELDS: readonly IdField[] = [
  'messageId',
  'sessionId',
  'replyToSessionId',
  'partitionKey',
  'viaPartitionKey',
];

/** Throws for the first message that cannot be accepted. */
export function checkMessages(queue: Queue, messages: readonly NewMessage[], parts: BrokerParts): void {
  const { limits, claims } = parts;
  checkBatch(queue, messages, limits);
  for (const message of messages) {
    checkSize(queue, message, limits);
    checkIds(queue, message, limits);
    checkProperties(queue, message, limits);
    checkSession(queue, message);
    checkPartitionKey(queue, message);
    if (message.timeToLiveMs !== undefined && message.timeToLiveMs < 0) {
      const text = 'The absolute expiry time of the message is before its creation time.';
      throw new ServiceBusError('argument', text, queue.description.name);
    }
  }
  checkRoom(queue, parts);
  if (claims.isOpen) claims.addBytes(queue, bytesOf(messages));
}

function bytesOf(messages: readonly NewMessage[]): number {
  let bytes = 0;
  for (const { content } of messages) bytes += content.byteLength;
  return bytes;
}

/** SND-12: a batch keeps to the standard size also where a single message may be larger (LIM-02). */
function checkBatch({ description }: Queue, messages: readonly NewMessage[], limits: Limits): void {
  if (messages.length > limits.maxBatchCount) {
    const text = `A batch may hold up to ${limits.maxBatchCount} messages; this one holds ${messages.length}.`;
    throw new ServiceBusError('not-allowed', text, description.name);
  }
  if (messages.length <= 1) return;
  const bytes = bytesOf(messages);
  if (bytes > limits.maxMessageSizeBytes) {
    throw sizeExceeded('batch', bytes, limits.maxMessageSizeBytes, description.name);
  }
}

/** SND-10, LIM-01. */
function checkSize(queue: Queue, { content }: NewMessage, limits: Limits): void {
  const maxBytes = queue.maxMessageSizeBytes(limits);
  if (content.byteLength <= maxBytes) return;
  throw sizeExceeded('message', content.byteLength, maxBytes, queue.description.name);
}

function sizeExceeded(what: 'message' | 'batch', bytes: number, maxBytes: number, name: string) {
  const text = `The received ${what} (size:${bytes} bytes) exceeds the limit (${maxBytes} bytes) currently allowed on the link.`;
  return new ServiceBusError('message-size-exceeded', text, name);
}

/** MSG-07, LIM-04. */
function checkIds({ description }: Queue, message: NewMessage, { maxIdLength }: Limits): void {
  for (const field of ID_FIELDS) {
    const length = message[field]?.length ?? 0;
    if (length <= maxIdLength) continue;
    const text = `The ${field} of a message may be up to ${maxIdLength} characters long; this one has ${length}.`;
    throw new ServiceBusError('not-allowed', text, description.name);
  }
}

/** MSG-08, LIM-03; SND-16. */
function checkProperties({ description }: Queue, message: NewMessage, limits: Limits): void {
  const { headBytes, largestPropertyBytes, unsupportedProperty } = message;
  if (headBytes > limits.maxHeadBytes) {
    const text = `The header and properties of the message take ${headBytes} bytes; the limit is ${limits.maxHeadBytes}.`;
    throw new ServiceBusError('message-size-exceeded', text, description.name);
  }
  if (largestPropertyBytes > limits.maxPropertyBytes) {
    const text = `A property of the message takes ${largestPropertyBytes} bytes; the limit is ${limits.maxPropertyBytes}.`;
    throw new ServiceBusError('message-size-exceeded', text, description.name);
  }
  if (unsupportedProperty === undefined) return;
  const { name, type } = unsupportedProperty;
  const text =
    `The application property '${name}' is a ${type}, and a property of that type cannot be serialized; ` +
    'send a number, string, boolean, date, uuid or binary.';
  throw new ServiceBusError('not-allowed', text, description.name);
}

/** SND-06, SCH-10; a queue without sessions takes any session id (SND-07). */
function checkSession({ description }: Queue, { sessionId }: NewMessage): void {
  if (!description.requiresSession || sessionId !== undefined) return;
  throw new ServiceBusError(
    'not-allowed',
    'The SessionId was not set on a message, and it cannot be sent to the entity. ' +
      'Entities that have session support enabled can only receive messages that have the SessionId set to a valid value.',
    description.name,
  );
}

/** PRT-02, DUP-06; any other entity takes a partition key as it comes (PRT-03). */
function checkPartitionKey({ description }: Queue, message: NewMessage): void {
  if (!description.enablePartitioning) return;
  const { messageId, sessionId, partitionKey } = message;
  if (sessionId !== undefined && partitionKey !== undefined && sessionId !== partitionKey) {
    const text = `The partition key '${partitionKey}' and the session id '${sessionId}' of a message must be equal in a partitioned entity.`;
    throw new ServiceBusError('not-allowed', text, description.name);
  }
  const hasKey = (sessionId ?? partitionKey ?? messageId) !== undefined;
  if (!description.requiresDuplicateDetection || hasKey) return;
  const text =
    'Message to a partitioned entity with duplicate detection enabled must have either PartitionKey or MessageId.';
  throw new ServiceBusError('not-allowed', text, description.name);
}

/** SND-14, LIM-05; with what earlier commands of a step bring. */
export function checkRoom(queue: Queue, { limits, claims }: BrokerParts): void {
  const { description, topic } = queue;
  const sizeBytes = queue.sizeBytes + claims.bytesFor(queue);
  const maxBytes = description.maxSizeInMegabytes * 1024 * 1024;
  if (sizeBytes < maxBytes || !limits.hasEntitySizes) return;
  throw new ServiceBusError(
    'quota-exceeded',
    `The maximum entity size has been reached or exceeded for ${topic === undefined ? 'Queue' : 'Topic'}: '${description.name}'. ` +
      `Size of entity in bytes:${sizeBytes}, Max entity size in bytes:${maxBytes}.`,
    description.name,
  );
}
