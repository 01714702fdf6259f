// Checks that a client holds the session that its request names.

import type { SessionClaim } from '../contract/command.js';
import type { Instant } from '../contract/instant.js';
import { ServiceBusError } from '../contract/service-bus-error.js';
import type { MessageStore } from './queue.js';
import type { SessionHold } from './receiver.js';
import type { StoreSessions } from './store-ports.js';

const WITHOUT_SESSIONS =
  'This is an operation on a message session, and the entity does not require sessions; send the request without a session id.';

/** Throws not-allowed. */
export function requireSessions({ sessions, path }: MessageStore, text = WITHOUT_SESSIONS): StoreSessions {
  if (sessions !== undefined) return sessions;
  throw new ServiceBusError('not-allowed', text, { entityPath: path, about: 'no-sessions' });
}

/** The session lock, if a receiver of the same connection holds it; for any other client it is lost (SES-12, X13). */
export function heldSession(store: MessageStore, claim: SessionClaim, now: Instant): SessionHold {
  requireSessions(store);
  const hold = holdOf(store, claim, now);
  if (hold === undefined) throw sessionLockLost(store);
  return hold;
}

export function holdsSession(store: MessageStore, claim: SessionClaim, now: Instant): boolean {
  return holdOf(store, claim, now) !== undefined;
}

function holdOf(
  { sessions }: MessageStore,
  { sessionId, connectionId }: SessionClaim,
  now: Instant,
): SessionHold | undefined {
  const holder = sessions?.find(sessionId)?.holder;
  const hold = holder?.connectionId === connectionId ? holder.sessionLock : undefined;
  return hold?.isHeldAt(now) === true ? hold : undefined;
}

/** ERR-03. */
export function sessionLockLost({ path }: MessageStore): ServiceBusError {
  const text = 'The session lock has expired on the MessageSession. Accept a new MessageSession.';
  return new ServiceBusError('session-lock-lost', text, { entityPath: path });
}
