// Whether a client holds the session it speaks of.

import type { SessionClaim } from '../command.js';
import type { MessageStore } from '../entity/message-store.js';
import { entityDisabled } from '../entity/queue.js';
import type { MessageSessions } from '../message/message-sessions.js';
import { ServiceBusError } from '../service-bus-error.js';
import type { SessionLock } from './session-lock.js';

const WITHOUT_SESSIONS =
  'This is an operation on a message session, and the entity does not require sessions; send the request without a session id.';

export function requireSessions({ sessions, path }: MessageStore, text = WITHOUT_SESSIONS): MessageSessions {
  if (sessions !== undefined) return sessions;
  throw new ServiceBusError('not-allowed', text, { entityPath: path, about: 'no-sessions' });
}

/** Held by a receiver of the same connection; it is lost to everybody else (SES-12, X13). */
export function heldSession(store: MessageStore, { sessionId, connectionId }: SessionClaim): SessionLock {
  const lock = requireSessions(store).find(sessionId)?.lock;
  if (lock === undefined || lock.receiver.connectionId !== connectionId) throw sessionLockLost(store);
  return lock;
}

export function holdsSession({ sessions }: MessageStore, { sessionId, connectionId }: SessionClaim): boolean {
  return sessions?.find(sessionId)?.lock?.receiver.connectionId === connectionId;
}

/** ENT-08. */
export function usableSession(store: MessageStore, claim: SessionClaim): SessionLock {
  if (!store.queue.canReceive) throw entityDisabled(store.path);
  return heldSession(store, claim);
}

/** ERR-03. */
export function sessionLockLost({ path }: MessageStore): ServiceBusError {
  const text = 'The session lock has expired on the MessageSession. Accept a new MessageSession.';
  return new ServiceBusError('session-lock-lost', text, { entityPath: path });
}
