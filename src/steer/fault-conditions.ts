// The AMQP conditions that a fault may have, with Azure's texts, and the status of each for `$management` and HTTP.

import { suggestion } from '../description/suggestion.js';
import { FaultError } from './fault.js';

type Wire = { readonly status: number; readonly text: string };

const SERVER_BUSY =
  'The request was terminated because the namespace is being throttled. Error code : 50009. Please wait 2 seconds and try again.';

/** ERR-01 */
const CONDITIONS: Readonly<Record<string, Wire>> = {
  'com.microsoft:server-busy': { status: 503, text: SERVER_BUSY },
  'com.microsoft:timeout': { status: 408, text: 'The operation did not complete within the allotted time.' },
  'com.microsoft:operation-cancelled': { status: 500, text: 'The operation was cancelled by the service.' },
  'com.microsoft:auth-failed': { status: 401, text: 'The token could not be validated.' },
  'com.microsoft:argument-error': { status: 400, text: 'An argument of the request is invalid.' },
  'com.microsoft:argument-out-of-range': {
    status: 400,
    text: 'An argument of the request is out of range.',
  },
  'com.microsoft:entity-disabled': { status: 400, text: 'The messaging entity is currently disabled.' },
  'com.microsoft:entity-already-exists': { status: 409, text: 'The messaging entity already exists.' },
  'com.microsoft:message-lock-lost': {
    status: 410,
    text: 'The lock supplied is invalid. Either the lock expired, or the message has already been removed from the queue.',
  },
  'com.microsoft:message-not-found': { status: 404, text: 'The specified message could not be found.' },
  'com.microsoft:session-lock-lost': {
    status: 410,
    text: 'The session lock has expired. Accept a new MessageSession.',
  },
  'com.microsoft:session-cannot-be-locked': {
    status: 410,
    text: 'The requested session cannot be accepted. It may be locked by another receiver.',
  },
  'amqp:internal-error': {
    status: 500,
    text: 'The service was unable to process the request; please retry the operation.',
  },
  'amqp:not-found': { status: 404, text: 'The messaging entity could not be found.' },
  'amqp:not-allowed': { status: 400, text: 'The operation is not allowed.' },
  'amqp:not-implemented': { status: 501, text: 'The operation is not implemented.' },
  'amqp:unauthorized-access': {
    status: 401,
    text: "Unauthorized access. 'Send,Listen' claim(s) are required to perform this operation.",
  },
  'amqp:resource-limit-exceeded': { status: 403, text: 'The quota of the entity has been exceeded.' },
  'amqp:resource-locked': { status: 423, text: 'The resource is locked.' },
  'amqp:link:detach-forced': {
    status: 500,
    text: 'The link is force detached. Code: publisher. Details: AmqpMessagePublisher.IdleTimerExpired.',
  },
  'amqp:link:message-size-exceeded': {
    status: 413,
    text: 'The received message exceeds the maximum size of the link.',
  },
  'amqp:link:stolen': { status: 410, text: 'The link was taken over by another receiver.' },
  'amqp:link:transfer-limit-exceeded': { status: 500, text: 'More was sent than there was credit for.' },
  'amqp:connection:forced': {
    status: 500,
    text: 'The connection was inactive for more than the allowed period of time, and was closed by the service.',
  },
  'amqp:transaction:rollback': { status: 400, text: 'The transaction was rolled back.' },
  'amqp:transaction:timeout': { status: 400, text: 'The transaction has timed out.' },
  'amqp:transaction:unknown-id': { status: 400, text: 'The transaction is not known.' },
};

const NAMES: readonly string[] = Object.keys(CONDITIONS);

/** The full name of a condition. Its last word alone is enough. Throws a FaultError. */
export function conditionNamed(given: string): string {
  const name = given.toLowerCase();
  const found = NAMES.find((each) => each === name) ?? NAMES.find((each) => each.endsWith(`:${name}`));
  if (found !== undefined) return found;
  const shortNames = NAMES.map((each) => each.slice(each.lastIndexOf(':') + 1));
  const hint = suggestion(given, [...NAMES, ...shortNames]) || ` Possible are: ${NAMES.join(', ')}.`;
  throw new FaultError(`'${given.slice(0, 100)}' is not a condition that clients know.${hint}`);
}

export function wireOf(condition: string): Wire {
  return CONDITIONS[condition] ?? { status: 500, text: condition };
}
