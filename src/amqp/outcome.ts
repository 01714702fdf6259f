// What a client says of a delivery, in the broker's words, and the broker's answer in AMQP's (semantics B.3).

import type { Outcome } from '../broker/command.js';
import type { DeliveryState } from '../codec/delivery-state.js';
import type { AmqpError } from '../codec/performatives.js';
import { propertyChangesOf } from '../content/property-changes.js';

const DEAD_LETTER = 'com.microsoft:dead-letter';
const REASON = 'DeadLetterReason';
const DESCRIPTION = 'DeadLetterErrorDescription';

/** undefined: the state says nothing final, such as `received` of a delivery the client still holds. */
export function outcomeOf(state: DeliveryState | undefined, isSettled: boolean): Outcome | undefined {
  switch (state?.kind) {
    // A settlement without a word: the client lets go of it.
    case undefined:
    case 'released':
      return { kind: 'release' };
    case 'accepted':
      return { kind: 'complete' };
    case 'modified': {
      const changes = propertyChangesOf(state.messageAnnotations);
      return { kind: state.undeliverableHere ? 'defer' : 'abandon', changes };
    }
    case 'rejected':
      return { kind: 'dead-letter', changes: deadLetterChanges(state.error) };
    case 'received':
      return isSettled ? { kind: 'release' } : undefined;
    case 'declared':
    case 'transactional':
      return undefined;
  }
}

/** SET-11: a plain `rejected` dead-letters too, with its condition and description as the reason. */
function deadLetterChanges(error: AmqpError | undefined) {
  const changes = propertyChangesOf(error?.info);
  if (error === undefined || error.condition === DEAD_LETTER) return changes;
  const plain = [{ name: REASON, value: error.condition }];
  if (error.description !== undefined) plain.push({ name: DESCRIPTION, value: error.description });
  return [...plain, ...changes];
}

/** SET-02: Java compares the type with what it sent; an error inside `rejected` would be read as a failure. */
export function echoOf(state: DeliveryState | undefined): DeliveryState {
  switch (state?.kind) {
    case 'rejected':
      return { kind: 'rejected', error: undefined };
    case 'modified':
      return { ...state, messageAnnotations: undefined };
    case 'accepted':
      return state;
    case 'transactional':
      // TXN-04: Java waits for ever where there is no outcome in it
      return { ...state, outcome: echoOf(state.outcome) };
    default:
      return { kind: 'released' };
  }
}
