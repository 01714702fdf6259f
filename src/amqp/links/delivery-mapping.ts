// Deliveries as AMQP and the broker see them: lock token and delivery tag, delivery state and outcome.

import type { Outcome } from '../../broker/contract/command.js';
import type { DeliveryState } from '../../codec/delivery-state.js';
import type { AmqpError } from '../../codec/performatives.js';
import { propertyChangesOf } from '../../content/property-changes.js';

const DEAD_LETTER = 'com.microsoft:dead-letter';
const REASON = 'DeadLetterReason';
const DESCRIPTION = 'DeadLetterErrorDescription';

/** The delivery tag for a token of 32 hexadecimal digits: .NET writes the first three numbers of a Guid in little-endian order. */
export function tagOfToken(token: string): Buffer {
  const tag = Buffer.from(token, 'hex');
  tag.writeUInt32LE(tag.readUInt32BE(0), 0);
  tag.writeUInt16LE(tag.readUInt16BE(4), 4);
  tag.writeUInt16LE(tag.readUInt16BE(6), 6);
  return tag;
}

/** JMS-30. Undefined: the state is not final, such as `received` while the client still holds the delivery. */
export function outcomeOf(state: DeliveryState | undefined, isSettled: boolean): Outcome | undefined {
  switch (state?.kind) {
    // Settled without a state: the client releases the delivery.
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

/** Our answer to a state. SET-02: Java compares its type with what it sent, and takes an error within `rejected` for a failure. */
export function echoOf(state: DeliveryState | undefined): DeliveryState {
  switch (state?.kind) {
    case 'rejected':
      return { kind: 'rejected', error: undefined };
    case 'modified':
      return { ...state, messageAnnotations: undefined };
    case 'accepted':
      return state;
    case 'transactional':
      // TXN-04: Java waits forever for an answer without an outcome.
      return { ...state, outcome: echoOf(state.outcome) };
    default:
      return { kind: 'released' };
  }
}
