// Checks messages before a queue or topic accepts them: sizes, ids, properties, session, partition key and quota.

import type { Limits } from '../contract/limits.js';
import type { NewMessage } from '../contract/message-properties.js';
import { type ErrorReason, type RefusalData, ServiceBusError } from '../contract/service-bus-error.js';
import { keyOf } from '../store/partition.js';
import type { Queue } from '../store/queue.js';
import type { BrokerParts } from '../turn/broker-parts.js';

/** The most messages of a batch without the limits of a tier: a batch is one turn, which takes 0.5 s for so many. */
const MAX_BATCH = 100_000;

type IdField = 'messageId' | 'sessionId' | 'replyToSessionId' | 'partitionKey' | 'viaPartitionKey';

const ID_FIELDS: readonly IdField[] = [
  'messageId',
  'sessionId',
  'replyToSessionId',
  'partitionKey',
  'viaPartitionKey',
];

/** Throws for the first message that cannot be accepted, or if the quota is exceeded. */
export function checkMessages(queue: Queue, messages: readonly NewMessage[], parts: BrokerParts): void {
  checkAcceptable(queue, messages, parts.limits);
  checkQuota(queue, parts);
  const { claims } = parts;
  if (claims.isOpen && storesSends(queue)) claims.addBytes(queue, bytesOf(messages));
}

/** A topic without subscriptions stores no messages. */
function storesSends({ owner }: Queue): boolean {
  return owner?.kind !== 'topic' || owner.subscriptions.size > 0;
}

/** Throws for the first message that this queue would not accept even without a quota. */
export function checkAcceptable(queue: Queue, messages: readonly NewMessage[], limits: Limits): void {
  checkBatch(queue, messages, limits);
  for (const message of messages) {
    checkSize(queue, message, limits);
    checkIds(queue, message, limits);
    checkProperties(queue, message, limits);
    checkSession(queue, message);
    checkPartitionKey(queue, message);
    if (message.timeToLiveMs !== undefined && message.timeToLiveMs < 0) {
      const text = 'The absolute expiry time of the message is before its creation time.';
      throw refused('argument', text, queue, {
        property: 'timeToLiveMs',
        value: message.timeToLiveMs,
        least: 0,
      });
    }
  }
}

function bytesOf(messages: readonly NewMessage[]): number {
  let bytes = 0;
  for (const { content } of messages) bytes += content.byteLength;
  return bytes;
}

/** SND-12: the standard size limits a batch even where a single message may be larger (LIM-02). */
function checkBatch(queue: Queue, messages: readonly NewMessage[], limits: Limits): void {
  const limit = Math.min(limits.maxBatchCount, MAX_BATCH);
  if (messages.length > limit) {
    const text = `A batch may hold up to ${limit} messages; this one holds ${messages.length}.`;
    const data = { property: 'messages', value: messages.length, limit };
    throw refused('not-allowed', text, queue, data);
  }
  if (messages.length <= 1) return;
  const bytes = bytesOf(messages);
  if (bytes > limits.maxMessageSizeBytes) {
    throw sizeExceeded('batch', bytes, limits.maxMessageSizeBytes, queue);
  }
}

/** SND-10, LIM-01. */
function checkSize(queue: Queue, { content }: NewMessage, limits: Limits): void {
  const maxBytes = queue.maxMessageSizeBytes(limits);
  if (content.byteLength <= maxBytes) return;
  throw sizeExceeded('message', content.byteLength, maxBytes, queue);
}

function sizeExceeded(what: 'message' | 'batch', bytes: number, maxBytes: number, queue: Queue) {
  const text = `The received ${what} (size:${bytes} bytes) exceeds the limit (${maxBytes} bytes) currently allowed on the link.`;
  return refused('message-size-exceeded', text, queue, { property: what, value: bytes, limit: maxBytes });
}

/** MSG-07, LIM-04. */
function checkIds(queue: Queue, message: NewMessage, { maxIdLength }: Limits): void {
  for (const field of ID_FIELDS) {
    const length = message[field]?.length ?? 0;
    if (length <= maxIdLength) continue;
    const text = `The ${field} of a message may be up to ${maxIdLength} characters long; this one has ${length}.`;
    throw refused('not-allowed', text, queue, { property: field, value: length, limit: maxIdLength });
  }
}

/** MSG-08, LIM-03; SND-16, MSG-11. */
function checkProperties(queue: Queue, message: NewMessage, limits: Limits): void {
  const { headBytes, largestPropertyBytes, unsupportedProperty } = message;
  if (headBytes > limits.maxHeadBytes) {
    const text = `The header and properties of the message take ${headBytes} bytes; the limit is ${limits.maxHeadBytes}.`;
    const data = { property: 'headBytes', value: headBytes, limit: limits.maxHeadBytes };
    throw refused('message-size-exceeded', text, queue, data);
  }
  if (largestPropertyBytes > limits.maxPropertyBytes) {
    const text = `A property of the message takes ${largestPropertyBytes} bytes; the limit is ${limits.maxPropertyBytes}.`;
    const data = {
      property: 'largestPropertyBytes',
      value: largestPropertyBytes,
      limit: limits.maxPropertyBytes,
    };
    throw refused('property-size-exceeded', text, queue, data);
  }
  if (unsupportedProperty === undefined) return;
  const { name, type } = unsupportedProperty;
  if (type === 'binary') {
    const text =
      'Serialization operation failed due to unsupported type System.Byte[]. ' +
      `The application property '${name}' is a binary; send it as a string, such as Base64.`;
    throw refused('message-size-exceeded', text, queue, { property: name, value: type });
  }
  const text =
    `The application property '${name}' is a ${type}, and a property of that type cannot be serialized; ` +
    'send a number, string, boolean, date or uuid.';
  throw refused('not-allowed', text, queue, { property: name, value: type });
}

/** SND-06, SCH-10; a queue without sessions accepts any session id (SND-07). */
function checkSession(queue: Queue, { sessionId }: NewMessage): void {
  if (!queue.description.requiresSession || sessionId !== undefined) return;
  const text =
    'The SessionId was not set on a message, and it cannot be sent to the entity. ' +
    'Entities that have session support enabled can only receive messages that have the SessionId set to a valid value.';
  throw refused('not-allowed', text, queue, { about: 'requires-sessions', property: 'sessionId' });
}

/** PRT-03, also without partitions; DUP-06. */
function checkPartitionKey(queue: Queue, { messageId, sessionId, partitionKey }: NewMessage): void {
  const { enablePartitioning, requiresDuplicateDetection } = queue.description;
  if (sessionId !== undefined && partitionKey !== undefined && sessionId !== partitionKey) {
    const text = `The partition key '${partitionKey}' and the session id '${sessionId}' of a message must be equal.`;
    throw refused('not-allowed', text, queue, { property: 'partitionKey', value: partitionKey });
  }
  const hasKey = (sessionId ?? partitionKey ?? messageId) !== undefined;
  if (!enablePartitioning || !requiresDuplicateDetection || hasKey) return;
  const text =
    'Message to a partitioned entity with duplicate detection enabled must have either PartitionKey or MessageId.';
  throw refused('not-allowed', text, queue, { about: 'partitioned', property: 'partitionKey' });
}

/** PRT-06: throws unless all messages of a batch to a partitioned entity have the same key, or none. */
export function checkBatchKey(queue: Queue, messages: readonly NewMessage[]): void {
  const { description } = queue;
  const [first] = messages;
  if (!description.enablePartitioning || first === undefined) return;
  const key = keyOf(description, first);
  const other = messages.find((message) => keyOf(description, message) !== key);
  if (other === undefined) return;
  const [keys, features] = description.requiresDuplicateDetection
    ? ['SessionId, PartitionKey, or MessageId', 'partitioning and duplicate detection']
    : ['SessionId or PartitionKey', 'partitioning'];
  const otherKey = keyOf(description, other);
  const text =
    `Batching brokered messages with distinct ${keys} is not supported for an entity with ${features} enabled. ` +
    `This batch has ${shownKey(key)} and ${shownKey(otherKey)}: send a batch for each.`;
  const data = { about: 'partitioned', property: 'messages', value: otherKey } as const;
  throw refused('not-allowed', text, queue, data);
}

function shownKey(key: string | undefined): string {
  return key === undefined ? 'a message without any' : `'${key}'`;
}

/** The content bytes from which on a queue or topic takes no message. */
export function sizeLimitOf({ description }: Queue, { hasEntitySizes }: Limits): number {
  return hasEntitySizes ? description.maxSizeInMegabytes * 1024 * 1024 : Number.POSITIVE_INFINITY;
}

/** SND-14, LIM-05; includes the bytes of earlier commands of a step. */
export function checkQuota(queue: Queue, { limits, claims }: BrokerParts): void {
  const { description, owner } = queue;
  const sizeBytes = queue.sizeBytes + claims.bytesFor(queue);
  const maxBytes = sizeLimitOf(queue, limits);
  if (sizeBytes < maxBytes) return;
  const text =
    `The maximum entity size has been reached or exceeded for ${owner?.kind === 'topic' ? 'Topic' : 'Queue'}: '${description.name}'. ` +
    `Size of entity in bytes:${sizeBytes}, Max entity size in bytes:${maxBytes}.`;
  throw refused('quota-exceeded', text, queue, { property: 'sizeBytes', value: sizeBytes, limit: maxBytes });
}

function refused(
  reason: ErrorReason,
  text: string,
  { description }: Queue,
  data: RefusalData,
): ServiceBusError {
  return new ServiceBusError(reason, text, { entityPath: description.name, ...data });
}
