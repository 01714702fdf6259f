// Where a message goes on to by itself, forwarded or transferred: the queue or topic that takes it now, or why none does.

import type { BrokerParts } from '../broker-parts.js';
import { entityNotFound, type Namespace } from '../entity/namespace.js';
import { entityDisabled, type Queue } from '../entity/queue.js';
import { type ErrorReason, ServiceBusError } from '../service-bus-error.js';
import { reasonOf } from './dead-letter.js';
import type { NewMessage, PropertyChange } from './message-properties.js';
import { checkMessages } from './send-check.js';

const EXCEPTIONS: Partial<Readonly<Record<ErrorReason, string>>> = {
  'entity-not-found': 'MessagingEntityNotFoundException',
  'entity-disabled': 'MessagingEntityDisabledException',
  'quota-exceeded': 'QuotaExceededException',
  'message-size-exceeded': 'MessageSizeExceededException',
};

/** Those of the destination itself: no other message would do better. */
const FOR_ALL: ReadonlySet<ErrorReason> = new Set(['entity-not-found', 'entity-disabled', 'quota-exceeded']);

export type Refused = {
  readonly changes: readonly PropertyChange[];
  readonly isForAll: boolean;
  /** It would be taken when there is room again. */
  readonly isFull: boolean;
};

/** As if the message were sent there now. */
export function takerOf(destination: string, message: NewMessage, parts: BrokerParts): Queue | Refused {
  try {
    const queue = openDestination(destination, parts.namespace);
    checkMessages(queue, [message], parts);
    return queue;
  } catch (cause) {
    if (!(cause instanceof ServiceBusError)) throw cause;
    return refusal(cause);
  }
}

function openDestination(destination: string, namespace: Namespace): Queue {
  const queue = namespace.findQueue(destination) ?? namespace.findTopic(destination)?.intake;
  if (queue === undefined) throw entityNotFound(destination);
  if (!queue.canSend) throw entityDisabled(destination);
  return queue;
}

/** FWD-08; of a missing session id the text is the reason (SES-19). */
function refusal({ reason, message }: ServiceBusError): Refused {
  return {
    changes: reasonOf(EXCEPTIONS[reason] ?? message, message),
    isForAll: FOR_ALL.has(reason),
    isFull: reason === 'quota-exceeded',
  };
}
