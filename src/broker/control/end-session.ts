// Ends the lock of a message session by hand.

import { sessionsOf } from '../sessions/message-sessions.js';
import { loseSession } from '../sessions/session-locks.js';
import { requireSessions } from '../store/session-claim.js';
import { type CommandOf, inNamespace } from '../turn/handler.js';
import { inspectedStore } from './inspected-store.js';

/** X11, by hand: its receiver is detached with the error of a lost session, and its deliveries count. */
export const END_SESSION = inNamespace(
  ({ entityPath, sessionId }: CommandOf<'end-session'>, { namespace }) => {
    const store = inspectedStore(entityPath, namespace);
    requireSessions(store);
    return { store, lock: sessionsOf(store)?.find(sessionId)?.lock };
  },
  ({ store, lock }, _command, parts, turn) => {
    store.queue.used(turn.now);
    if (lock === undefined) return { kind: 'session-ended', wasHeld: false };
    loseSession(lock, parts, parts.links, turn);
    return { kind: 'session-ended', wasHeld: true };
  },
);
