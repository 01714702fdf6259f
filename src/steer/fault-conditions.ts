// The AMQP conditions that a fault may have, with Azure's texts, and the status of each for `$management` and HTTP.

import { suggestion } from '../description/suggestion.js';
import { FaultError } from './fault.js';

type Wire = { readonly status: number; readonly text: string };

const SERVER_BUSY =
  'The request was terminated because the namespace is being throttled. Error code : 50009. Please wait 2 seconds and try again.';

/** ERR-01 */
// biome-ignore format: a table
const CONDITIONS: Readonly<Record<string, readonly [status: number, text: string]>> = {
  'com.microsoft:server-busy': [503, SERVER_BUSY],
  'com.microsoft:timeout': [408, 'The operation did not complete within the allotted time.'],
  'com.microsoft:operation-cancelled': [500, 'The operation was cancelled by the service.'],
  'com.microsoft:auth-failed': [401, 'The token could not be validated.'],
  'com.microsoft:argument-error': [400, 'An argument of the request is invalid.'],
  'com.microsoft:argument-out-of-range': [400, 'An argument of the request is out of range.'],
  'com.microsoft:entity-disabled': [400, 'The messaging entity is currently disabled.'],
  'com.microsoft:entity-already-exists': [409, 'The messaging entity already exists.'],
  'com.microsoft:message-lock-lost': [410, 'The lock supplied is invalid. Either the lock expired, or the message has already been removed from the queue.'],
  'com.microsoft:message-not-found': [404, 'The specified message could not be found.'],
  'com.microsoft:session-lock-lost': [410, 'The session lock has expired. Accept a new MessageSession.'],
  'com.microsoft:session-cannot-be-locked': [410, 'The requested session cannot be accepted. It may be locked by another receiver.'],
  'amqp:internal-error': [500, 'The service was unable to process the request; please retry the operation.'],
  'amqp:not-found': [404, 'The messaging entity could not be found.'],
  'amqp:not-allowed': [400, 'The operation is not allowed.'],
  'amqp:not-implemented': [501, 'The operation is not implemented.'],
  'amqp:unauthorized-access': [401, "Unauthorized access. 'Send,Listen' claim(s) are required to perform this operation."],
  'amqp:resource-limit-exceeded': [403, 'The quota of the entity has been exceeded.'],
  'amqp:resource-locked': [423, 'The resource is locked.'],
  'amqp:link:detach-forced': [500, 'The link is force detached. Code: publisher. Details: AmqpMessagePublisher.IdleTimerExpired.'],
  'amqp:link:message-size-exceeded': [413, 'The received message exceeds the maximum size of the link.'],
  'amqp:link:stolen': [410, 'The link was taken over by another receiver.'],
  'amqp:link:transfer-limit-exceeded': [500, 'More was sent than there was credit for.'],
  'amqp:connection:forced': [500, 'The connection was inactive for more than the allowed period of time, and was closed by the service.'],
  'amqp:transaction:rollback': [400, 'The transaction was rolled back.'],
  'amqp:transaction:timeout': [400, 'The transaction has timed out.'],
  'amqp:transaction:unknown-id': [400, 'The transaction is not known.'],
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
  const [status, text] = CONDITIONS[condition] ?? [500, condition];
  return { status, text };
}
