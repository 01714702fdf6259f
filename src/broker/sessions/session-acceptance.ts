// Accepts sessions for receivers: the session that a receiver names, or the next one with a message (SES-06 to SES-08).

import type { Limits } from '../contract/limits.js';
import type { Result } from '../contract/result.js';
import { ServiceBusError } from '../contract/service-bus-error.js';
import { entityResult } from '../queue/link-commands.js';
import { checkIsNoTopic, checkMayReceive } from '../queue/links.js';
import { expire } from '../queue/time-to-live.js';
import type { MessageStore } from '../store/queue.js';
import type { Receiver } from '../store/receiver.js';
import { requireSessions } from '../store/session-claim.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import { type CommandOf, inStore } from '../turn/handler.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import type { MessageSession } from './message-session.js';
import { type MessageSessions, sessionsOf } from './message-sessions.js';
import type { SessionLocks } from './session-locks.js';

export const ACCEPT_SESSION = inStore(checkAccept, applyAccept);

type AcceptSession = CommandOf<'accept-session'>;

function checkAccept(store: MessageStore, { sessionId }: AcceptSession, parts: BrokerParts): void {
  checkIsNoTopic(store);
  // RCV-10
  const text =
    'A sessionful message receiver cannot be created on an entity that does not require sessions. ' +
    'Accept sessions of an entity that requires them, or receive without a session.';
  const sessions = requireSessions(store, text);
  checkId(store, sessionId, parts.limits);
  if (sessionId !== undefined && sessions.find(sessionId)?.holder !== undefined) {
    throw cannotBeLocked(store, sessionId); // X5
  }
  checkMayReceive(store, { hasSession: true });
}

function applyAccept(
  store: MessageStore,
  _change: unknown,
  { linkId, connectionId, receiveMode, sessionId, client }: AcceptSession,
  { links, sessionLocks, limits }: BrokerParts,
  turn: TurnInProgress,
): Result {
  const receiver = links.attachReceiver({ linkId, connectionId, receiveMode, client, store });
  if (sessionId === undefined)
    store.sessions?.waiting.add(receiver); // X6
  else hold(store, receiver, sessionId, sessionLocks, turn);
  turn.touch(store);
  return entityResult(store, limits);
}

/** SES-02: a message cannot have a longer session id either. */
function checkId({ path }: MessageStore, sessionId = '', { maxIdLength }: Limits): void {
  const { length } = sessionId;
  if (length <= maxIdLength) return;
  const text = `The id of a session may be up to ${maxIdLength} characters long; this one has ${length}.`;
  const data = { entityPath: path, property: 'sessionId', value: length, limit: maxIdLength };
  throw new ServiceBusError('not-allowed', text, data);
}

/** Gives ready sessions to the waiting receivers, the longest wait first (X1, X4). */
export function grantSessions(store: MessageStore, sessionLocks: SessionLocks, turn: TurnInProgress): void {
  const sessions = sessionsOf(store);
  if (sessions === undefined) return;
  for (const receiver of sessions.waiting) {
    if (turn.isShareUsed) return;
    const session = nextSession(store, sessions, turn);
    if (session === undefined) return;
    sessions.waiting.delete(receiver);
    hold(store, receiver, session.id, sessionLocks, turn);
  }
}

function hold(
  store: MessageStore,
  receiver: Receiver,
  sessionId: string,
  locks: SessionLocks,
  turn: TurnInProgress,
): void {
  const { dueAt } = locks.lock(store, receiver, sessionId, turn.now);
  store.queue.used(turn.now);
  const { linkId } = receiver;
  turn.activities?.push({
    kind: 'session-accepted',
    path: store.path,
    sessionId,
    linkId,
    lockedUntil: dueAt,
  });
  turn.effects.push({ kind: 'session-accepted', linkId, sessionId, lockedUntil: dueAt }); // SES-10, X3
}

/** SES-07: a session whose first message has expired is not ready; that message expires now. */
function nextSession(
  store: MessageStore,
  sessions: MessageSessions,
  turn: TurnInProgress,
): MessageSession | undefined {
  while (!turn.isShareUsed) {
    const session = sessions.firstReady;
    const first = session?.first;
    if (first === undefined || !store.isExpired(first, turn.now)) return session;
    store.log.withdraw(first);
    expire(store, [first], turn);
  }
  return undefined;
}

function cannotBeLocked({ path }: MessageStore, sessionId: string): ServiceBusError {
  const text = `The requested session '${sessionId}' cannot be accepted. It may be locked by another receiver.`;
  const data = { entityPath: path, property: 'sessionId', value: sessionId };
  return new ServiceBusError('session-cannot-be-locked', text, data); // SES-06
}
