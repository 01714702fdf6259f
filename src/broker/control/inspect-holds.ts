// Shows the locks of messages and of sessions in a store: who holds what, and until when.

import type { InspectedLock, InspectedSession } from '../contract/inspection.js';
import { NEVER } from '../contract/instant.js';
import type { MessageLock } from '../queue/message-lock.js';
import type { MessageSession } from '../sessions/message-session.js';
import { sessionsOf } from '../sessions/message-sessions.js';
import type { MessageStore } from '../store/queue.js';
import { requireSessions } from '../store/session-claim.js';
import { type CommandOf, inNamespace } from '../turn/handler.js';
import { answerCount, inspectedStore } from './inspected-store.js';

/** Searches all locks of the namespace. */
export const INSPECT_LOCKS = inNamespace(
  ({ entityPath, maxCount }: CommandOf<'inspect-locks'>, { namespace }) => ({
    store: inspectedStore(entityPath, namespace),
    limit: answerCount(maxCount),
  }),
  ({ store, limit }, { fromSequenceNumber }, { locks }) => {
    const held = locks
      .held(({ store: of, message }) => of === store && message.sequenceNumber >= fromSequenceNumber)
      .toSorted((a, b) => a.message.sequenceNumber - b.message.sequenceNumber);
    return {
      kind: 'inspected-locks',
      locks: held.slice(0, limit).map(inspectLock),
      next: held[limit]?.message.sequenceNumber,
    };
  },
);

export function inspectLock(lock: MessageLock): InspectedLock {
  const { token, message, linkId, sessionLock, startedAt, lockedUntil, pinnedBy } = lock;
  return {
    sequenceNumber: message.sequenceNumber,
    lockToken: token,
    linkId,
    sessionId: sessionLock === undefined ? undefined : message.sessionId,
    startedAt,
    lockedUntil: sessionLock?.runsOut === false ? NEVER : lockedUntil,
    isInTransaction: pinnedBy !== undefined,
    deliveryCount: message.deliveryCount,
  };
}

export const INSPECT_SESSIONS = inNamespace(
  ({ entityPath, maxCount }: CommandOf<'inspect-sessions'>, { namespace }) => {
    const store = inspectedStore(entityPath, namespace);
    requireSessions(store);
    return { store, limit: answerCount(maxCount) };
  },
  ({ store, limit }, { fromSessionId }) => {
    const [page, next] = pageOf(store, fromSessionId, limit);
    return { kind: 'inspected-sessions', sessions: page.map(inspectSession), next };
  },
);

/** The sessions from this id on, and the id of the first one behind them. */
function pageOf(
  store: MessageStore,
  fromSessionId: string,
  limit: number,
): readonly [readonly MessageSession[], string | undefined] {
  const sessions = sessionsOf(store);
  const ids = sessions?.ids ?? [];
  const found = ids.findIndex((id) => id >= fromSessionId);
  const start = found < 0 ? ids.length : found;
  const page = ids.slice(start, start + limit).flatMap((id) => sessions?.find(id) ?? []);
  return [page, ids[start + limit]];
}

function inspectSession({ id, messageCount, state, lock }: MessageSession): InspectedSession {
  return {
    sessionId: id,
    messageCount,
    lockedCount: lock?.lockTokens.size ?? 0,
    stateBytes: state?.sizeBytes,
    stateSetTime: state?.updatedTime,
    stateContentId: state?.contentId,
    holder: lock && {
      linkId: lock.receiver.linkId,
      connectionId: lock.receiver.connectionId,
      lockedUntil: lock.runsOut ? lock.dueAt : NEVER,
    },
  };
}
