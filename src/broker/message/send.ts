// Messages come in: all are stored or none (SND-11), except those that repeat one accepted before.

import type { BrokerParts } from '../broker-parts.js';
import type { MessageStore } from '../entity/message-store.js';
import { entityDisabled } from '../entity/queue.js';
import { type CommandOf, inStore } from '../handler.js';
import type { Result } from '../result.js';
import { ServiceBusError } from '../service-bus-error.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { type Arriving, accept, type Luggage } from './accept.js';
import type { NewMessage } from './message-properties.js';
import { checkMessages } from './send-check.js';

/** What the broker keeps of a message that has just been sent. */
const NOTHING_SAID: Luggage = {
  inventedMessageId: undefined,
  propertyChanges: undefined,
  systemChanges: undefined,
  isShared: false,
  enqueuedSequenceNumber: undefined,
  hopCount: 0,
  deadLetterSource: undefined,
};

/** SND-09 and ENT-07, when a sender attaches and with every send. */
export function checkMaySend(store: MessageStore): void {
  checkTakesSends(store);
  if (!store.queue.canSend) throw entityDisabled(store.path);
}

/** SND-09: whether it is a queue or a topic; it may be disabled now. */
export function checkTakesSends({ queue, isDeadLetterQueue, path }: MessageStore): void {
  if (isDeadLetterQueue) {
    const text = `Nothing can be sent to the dead-letter queue '${path}'.`;
    throw new ServiceBusError('not-allowed', text, { entityPath: path, about: 'dead-letter-queue' });
  }
  if (queue.subscription !== undefined) {
    const text = `Cannot create a message sender for a subscription: send to the topic of '${path}'.`;
    throw new ServiceBusError('not-allowed', text, { entityPath: path, about: 'subscription' });
  }
}

export const SEND = inStore(checkSend, applySend);

function checkSend(store: MessageStore, { messages }: CommandOf<'send'>, parts: BrokerParts): void {
  checkMaySend(store);
  checkMessages(store.queue, messages, parts); // SND-11; no number is taken before (SEQ-04)
}

function applySend(
  { queue }: MessageStore,
  _change: unknown,
  { messages, numbers }: CommandOf<'send'>,
  parts: BrokerParts,
  turn: TurnInProgress,
): Result {
  const sequenceNumbers: number[] = [];
  let arriving: Arriving | undefined; // one for all of them
  let index = 0;
  for (const message of messages) {
    const luggage = luggageOf(message, parts);
    arriving ??= {
      message,
      luggage,
      contentId: undefined,
      comesBack: false,
      sequenceNumber: undefined,
      isKept: false,
    };
    arriving.message = message;
    arriving.luggage = luggage;
    const reserved = numbers?.[index++];
    // One that is due already is activated at once, and has a new number like any other then: SCH-03, TXN-07.
    arriving.sequenceNumber = (message.scheduledEnqueueTime ?? 0) > turn.now ? reserved : undefined;
    sequenceNumbers.push(accept(queue, arriving, parts, turn));
  }
  return { kind: 'sent', sequenceNumbers };
}

/** MSG-04. */
export function luggageOf({ messageId }: NewMessage, { nextGuid }: BrokerParts): Luggage {
  return messageId === undefined ? { ...NOTHING_SAID, inventedMessageId: nextGuid() } : NOTHING_SAID;
}
