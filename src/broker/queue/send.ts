// Sends messages: stores all or none (SND-11), except duplicates, which are dropped.

import { entityDisabled } from '../contract/entities/entity-errors.js';
import type { NewMessage } from '../contract/message-properties.js';
import type { Result } from '../contract/result.js';
import { ServiceBusError } from '../contract/service-bus-error.js';
import type { MessageMetadata } from '../store/accepted-message.js';
import type { MessageStore } from '../store/queue.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import { type CommandOf, inStore } from '../turn/handler.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import { type Arriving, accept, type CopiesToStore } from './accept.js';
import { checkBatchKey, checkMessages } from './send-check.js';

/** The metadata of a message that was just sent. */
const AS_SENT: MessageMetadata = { isShared: false, enqueuedSequenceNumber: undefined, details: undefined };

/** SND-09 and ENT-07: checked when a sender attaches and at every send. */
export function checkMaySend(store: MessageStore): void {
  checkTakesSends(store);
  if (!store.queue.allows('send')) throw entityDisabled(store.path);
}

/** SND-09: throws unless the entity is a queue or a topic. It may be disabled. */
export function checkTakesSends({ queue, isDeadLetterQueue, path }: MessageStore): void {
  if (isDeadLetterQueue) {
    const text = `Nothing can be sent to the dead-letter queue '${path}'.`;
    throw new ServiceBusError('not-allowed', text, { entityPath: path, about: 'dead-letter-queue' });
  }
  if (queue.owner?.kind === 'subscription') {
    const text = `Cannot create a message sender for a subscription: send to the topic of '${path}'.`;
    throw new ServiceBusError('not-allowed', text, { entityPath: path, about: 'subscription' });
  }
}

export const SEND = inStore(checkSend, applySend);

function checkSend(
  store: MessageStore,
  { messages, isBatch = false }: CommandOf<'send'>,
  parts: BrokerParts,
): void {
  checkMaySend(store);
  checkMessages(store.queue, messages, parts); // SND-11; numbers are only taken later (SEQ-04)
  if (isBatch) checkBatchKey(store.queue, messages);
}

function applySend(
  { queue }: MessageStore,
  _change: unknown,
  { messages, numbers }: CommandOf<'send'>,
  parts: BrokerParts,
  turn: TurnInProgress,
): Result {
  const sequenceNumbers: number[] = [];
  let arriving: Arriving | undefined; // one object, reused for all messages
  const copies: CopiesToStore[] = [];
  let index = 0;
  for (const message of messages) {
    const metadata = metadataOf(message, parts);
    arriving ??= {
      message,
      metadata,
      contentId: undefined,
      comesBack: false,
      sequenceNumber: undefined,
      copies,
      isContentUsed: false,
    };
    arriving.message = message;
    arriving.metadata = metadata;
    const reserved = numbers?.[index++];
    // A message that is already due is activated at once, and then gets a new number like any other: SCH-03, TXN-07.
    arriving.sequenceNumber = (message.scheduledEnqueueTime ?? 0) > turn.now ? reserved : undefined;
    sequenceNumbers.push(accept(queue, arriving, parts, turn));
  }
  if (copies.length > 0) parts.storeCopies(queue, copies, parts.limits, turn);
  return { kind: 'sent', sequenceNumbers };
}

/** MSG-04. */
export function metadataOf({ messageId }: NewMessage, { nextGuid }: BrokerParts): MessageMetadata {
  return messageId === undefined ? { ...AS_SENT, details: { generatedMessageId: nextGuid() } } : AS_SENT;
}
