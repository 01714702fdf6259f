// Messages come in: all checks first, then all are stored (SND-11).

import type { MessageStore } from '../entity/message-store.js';
import { entityDisabled, type Queue } from '../entity/queue.js';
import type { Limits } from '../limits.js';
import type { NumberSeries } from '../number-series.js';
import type { Result } from '../result.js';
import { ServiceBusError } from '../service-bus-error.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import type { NewMessage } from './message-properties.js';
import { StoredMessage } from './stored-message.js';

export type SendResources = {
  readonly limits: Limits;
  readonly contentIds: NumberSeries;
  readonly nextGuid: () => string;
};

/** SND-09 and ENT-07, when a sender attaches and with every send. */
export function checkMaySend({ queue, isDeadLetterQueue, path }: MessageStore): void {
  if (isDeadLetterQueue) {
    throw new ServiceBusError('not-allowed', `Nothing can be sent to the dead-letter queue '${path}'.`, path);
  }
  if (!queue.canSend) throw entityDisabled(path);
}

export function send(
  store: MessageStore,
  messages: readonly NewMessage[],
  resources: SendResources,
  turn: TurnInProgress,
): Result {
  checkMaySend(store);
  checkSession(store.queue, messages);
  checkSizes(store.queue, messages, resources.limits);
  checkRoom(store.queue);
  const sequenceNumbers = messages.map((message) => accept(store.queue, message, resources, turn));
  if (messages.length > 0) {
    turn.sequencePut(store.queue);
    turn.touch(store);
  }
  return { kind: 'sent', sequenceNumbers };
}

/** SND-06. */
function checkSession({ description }: Queue, messages: readonly NewMessage[]): void {
  if (!description.requiresSession) return;
  if (messages.every((message) => message.sessionId !== undefined)) return;
  throw new ServiceBusError(
    'not-allowed',
    'The SessionId was not set on a message, and it cannot be sent to the entity. ' +
      'Entities that have session support enabled can only receive messages that have the SessionId set to a valid value.',
    description.name,
  );
}

/** SND-10, SND-12. */
function checkSizes(queue: Queue, messages: readonly NewMessage[], limits: Limits): void {
  const { name } = queue.description;
  if (messages.length > limits.maxBatchCount) {
    const text = `A batch may hold up to ${limits.maxBatchCount} messages; this one holds ${messages.length}.`;
    throw new ServiceBusError('not-allowed', text, name);
  }
  const maxBytes = queue.maxMessageSizeBytes(limits);
  let totalBytes = 0;
  for (const { content } of messages) {
    if (content.byteLength > maxBytes) throw sizeExceeded('message', content.byteLength, maxBytes, name);
    totalBytes += content.byteLength;
  }
  // A batch keeps to the standard size also where a single message may be larger.
  const maxBatchBytes = limits.maxMessageSizeBytes;
  if (messages.length > 1 && totalBytes > maxBatchBytes) {
    throw sizeExceeded('batch', totalBytes, maxBatchBytes, name);
  }
}

function sizeExceeded(
  what: 'message' | 'batch',
  bytes: number,
  maxBytes: number,
  name: string,
): ServiceBusError {
  const text = `The received ${what} (size:${bytes} bytes) exceeds the limit (${maxBytes} bytes) currently allowed on the link.`;
  return new ServiceBusError('message-size-exceeded', text, name);
}

/** SND-14. */
function checkRoom({ description, sizeBytes }: Queue): void {
  const maxBytes = description.maxSizeInMegabytes * 1024 * 1024;
  if (sizeBytes < maxBytes) return;
  throw new ServiceBusError(
    'quota-exceeded',
    `The maximum entity size has been reached or exceeded for Queue: '${description.name}'. ` +
      `Size of entity in bytes:${sizeBytes}, Max entity size in bytes:${maxBytes}.`,
    description.name,
  );
}

function accept(
  queue: Queue,
  { content, hasMessageId }: NewMessage,
  { contentIds, nextGuid }: SendResources,
  turn: TurnInProgress,
): number {
  const message = new StoredMessage({
    sequenceNumber: queue.sequenceNumbers.take(), // SEQ-02
    enqueuedTime: turn.now, // SEQ-08
    deliveryCount: 0, // DLV-01
    contentId: contentIds.take(),
    sizeBytes: content.byteLength,
    inventedMessageId: hasMessageId ? undefined : nextGuid(), // MSG-04
    propertyChanges: undefined,
  });
  queue.main.log.add(message);
  queue.sizeBytes += message.sizeBytes;
  turn.events.push({ kind: 'content-stored', contentId: message.contentId, content });
  turn.messagePut(queue.main, message);
  return message.sequenceNumber;
}
