// When what has expired goes, in the reference model.

import { MESSAGE_STATE } from '../../src/broker/message/message-properties.js';
import { isSessionStore, type ModelMessage, type ModelQueue, type ModelState } from './reference-state.js';
import { type Conditions, expire, happened, type ModelTurn } from './reference-turn.js';

/** Removes what is expired and not held by anybody (TTL-09); `transition` is what may have made it so. */
export function sweepExpired(turn: ModelTurn, transition: string): void {
  for (const queue of turn.state.queues) sweepQueue(queue, transition, turn);
}

export function sweepQueue(queue: ModelQueue, transition: string, turn: ModelTurn): void {
  const isListened = isSwept(queue, turn.state, turn);
  const expired = queue.messages.filter(
    (one) => one.expiresAt <= turn.now && canBeSwept(one) && (isListened || one.place === 'transfer'),
  );
  if (expired.length === 0) return;
  for (const _ of expired) happened(transition, turn);
  expire(queue, expired, turn);
}

/** A locked message is left alone, a deferred one expires when it is asked for (TTL-06, TTL-10). */
export function canBeSwept({ place, state, lock }: ModelMessage): boolean {
  if (place === 'transfer') return true;
  return place === 'main' && state === MESSAGE_STATE.active && lock === undefined;
}

/** SES-18: where whole sessions expire, nothing does while nobody listens. */
export function isSwept(queue: ModelQueue, { links }: ModelState, { choices }: Conditions): boolean {
  const isBySession = choices.expireWholeSession && isSessionStore({ queue, place: 'main' });
  if (choices.expirySweep === 'always' && !isBySession) return true;
  return links.some(
    (link) => link.queueName === queue.name && link.role === 'receiver' && link.place === 'main',
  );
}
