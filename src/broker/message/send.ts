// Messages come in: all checks first, then all are stored (SND-11), except those that repeat one accepted before.

import type { MessageStore } from '../entity/message-store.js';
import { entityDisabled } from '../entity/queue.js';
import type { Result } from '../result.js';
import { ServiceBusError } from '../service-bus-error.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { type AcceptResources, accept, type Luggage } from './accept.js';
import type { NewMessage } from './message-properties.js';
import { checkMessages } from './send-check.js';

export type SendResources = AcceptResources & { readonly nextGuid: () => string };

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
export function checkMaySend({ queue, isDeadLetterQueue, path }: MessageStore): void {
  if (isDeadLetterQueue) {
    throw new ServiceBusError('not-allowed', `Nothing can be sent to the dead-letter queue '${path}'.`, path);
  }
  if (queue.subscription !== undefined) {
    const text = `Cannot create a message sender for a subscription: send to the topic of '${path}'.`;
    throw new ServiceBusError('not-allowed', text, path);
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
  const { queue } = store;
  checkMessages(queue, messages, resources.limits); // SND-11; no number is taken before (SEQ-04)
  const { nextGuid } = resources;
  const sequenceNumbers = messages.map((message) => {
    // MSG-04
    const luggage =
      message.messageId === undefined ? { ...NOTHING_SAID, inventedMessageId: nextGuid() } : NOTHING_SAID;
    const arriving = { message, luggage, contentId: undefined, comesBack: false };
    return accept(queue, arriving, resources, turn).sequenceNumber;
  });
  return { kind: 'sent', sequenceNumbers };
}
