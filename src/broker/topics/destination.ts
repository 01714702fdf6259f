// Finds the queue or topic that a forwarded or transferred message goes to, or the reason why it does not accept the message.

import { entityDisabled, entityNotFound } from '../contract/entities/entity-errors.js';
import type { NewMessage, PropertyChange } from '../contract/message-properties.js';
import { type ErrorReason, ServiceBusError } from '../contract/service-bus-error.js';
import { reasonOf } from '../queue/outcomes.js';
import { checkMessages } from '../queue/send-check.js';
import type { Queue } from '../store/queue.js';
import type { BrokerParts } from '../turn/broker-parts.js';

const EXCEPTIONS: Partial<Readonly<Record<ErrorReason, string>>> = {
  'entity-not-found': 'MessagingEntityNotFoundException',
  'entity-disabled': 'MessagingEntityDisabledException',
  'quota-exceeded': 'QuotaExceededException',
  'message-size-exceeded': 'MessageSizeExceededException',
};

/** Reasons that lie with the destination and not with the message: it refuses all other messages too. */
const REASONS_FOR_ALL: ReadonlySet<ErrorReason> = new Set([
  'entity-not-found',
  'entity-disabled',
  'quota-exceeded',
]);

export type Refused = {
  readonly changes: readonly PropertyChange[];
  readonly isForAll: boolean;
  /** The destination would accept the message once it has room again. */
  readonly isFull: boolean;
};

/** Checks the message as if it were sent to the destination now. */
export function findAcceptingQueue(
  destination: string,
  message: NewMessage,
  parts: BrokerParts,
): Queue | Refused {
  try {
    const queue = openDestination(destination, parts);
    checkMessages(queue, [message], parts);
    return queue;
  } catch (cause) {
    if (!(cause instanceof ServiceBusError)) throw cause;
    return refusal(cause);
  }
}

function openDestination(destination: string, { namespace }: BrokerParts): Queue {
  const queue = namespace.findTopLevel(destination);
  if (queue === undefined) throw entityNotFound(destination);
  if (!queue.allows('arrive')) throw entityDisabled(destination);
  return queue;
}

/** FWD-08. A missing session id has no exception name: its text is the reason (SES-19). */
function refusal({ reason, message }: ServiceBusError): Refused {
  return {
    changes: reasonOf(EXCEPTIONS[reason] ?? message, message),
    isForAll: REASONS_FOR_ALL.has(reason),
    isFull: reason === 'quota-exceeded',
  };
}
