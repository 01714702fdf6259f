// The sessions of a store by their ids, page by page; nothing is locked and nothing changes (SES-17).

import type { BrokerParts } from '../broker-parts.js';
import { requireSessions } from '../delivery/session-claim.js';
import { mistakeIn } from '../entity/entity-page.js';
import type { MessageStore } from '../entity/message-store.js';
import { type CommandOf, inStore } from '../handler.js';
import type { Instant } from '../instant.js';
import { ServiceBusError } from '../service-bus-error.js';
import type { MessageSession } from './message-session.js';

export const LIST_SESSIONS = inStore(checkList, (_store, sessionIds: readonly string[]) => ({
  kind: 'sessions',
  sessionIds,
}));

/** Whether they fit into one answer is seen when they are all there. */
function checkList(
  store: MessageStore,
  { stateSetAfter, skip, maxCount }: CommandOf<'list-sessions'>,
  { limits: { maxAnswerBytes } }: BrokerParts,
): readonly string[] {
  const sessions = requireSessions(store);
  if (!(maxCount >= 1) || !(skip >= 0)) {
    const text = `The sessions to list are ${maxCount} after the first ${skip}; the number must be 1 or more, and none or more may be left out.`;
    throw new ServiceBusError('argument-out-of-range', text, {
      entityPath: store.path,
      ...mistakeIn({ skip, maxCount }),
    });
  }
  const sessionIds: string[] = [];
  let left = skip;
  let bytes = 0;
  for (const id of sessions.ids) {
    const session = sessions.find(id);
    if (session === undefined || !isListed(session, stateSetAfter)) continue;
    if (left > 0) {
      left -= 1;
      continue;
    }
    bytes += id.length;
    if (bytes > maxAnswerBytes) throw tooMany(store, sessionIds.length, maxAnswerBytes);
    sessionIds.push(id);
    if (sessionIds.length >= maxCount) break;
  }
  return sessionIds;
}

/** A shorter list than was asked for would be taken for the last one. */
function tooMany({ path }: MessageStore, count: number, maxAnswerBytes: number): ServiceBusError {
  const text = `The ids of more than ${count} sessions do not fit into the ${maxAnswerBytes} bytes of one answer; ask for fewer at a time.`;
  const data = { entityPath: path, property: 'answer', limit: maxAnswerBytes };
  return new ServiceBusError('message-size-exceeded', text, data);
}

function isListed(session: MessageSession, stateSetAfter: Instant | undefined): boolean {
  const { state } = session;
  if (stateSetAfter === undefined) return state !== undefined || session.isActive;
  return state !== undefined && state.updatedTime > stateSetAfter;
}
