// Receivers come to hold sessions: the one they name, or the next that has something for them (SES-06 to SES-08).

import type { BrokerParts } from '../broker-parts.js';
import type { MessageStore } from '../entity/message-store.js';
import { type CommandOf, inStore } from '../handler.js';
import type { Limits } from '../limits.js';
import type { MessageSession } from '../message/message-session.js';
import type { MessageSessions } from '../message/message-sessions.js';
import { expire, isExpired, MAX_PASSED_OVER } from '../message/time-to-live.js';
import type { Result } from '../result.js';
import { ServiceBusError } from '../service-bus-error.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { entityResult } from './link-commands.js';
import { checkMayReceive } from './links.js';
import type { Receiver } from './receiver.js';
import { requireSessions } from './session-claim.js';
import type { SessionLocks } from './session-lock.js';

export const ACCEPT_SESSION = inStore(checkAccept, applyAccept);

type AcceptSession = CommandOf<'accept-session'>;

function checkAccept(store: MessageStore, { sessionId }: AcceptSession, parts: BrokerParts): void {
  // RCV-10
  const text =
    'A sessionful message receiver cannot be created on an entity that does not require sessions. ' +
    'Accept sessions of an entity that requires them, or receive without a session.';
  const sessions = requireSessions(store, text);
  checkId(store, sessionId, parts.limits);
  if (sessionId !== undefined && sessions.find(sessionId)?.lock !== undefined) {
    throw cannotBeLocked(store, sessionId); // X5
  }
  checkMayReceive(store, { hasSession: true });
}

function applyAccept(
  store: MessageStore,
  _change: unknown,
  { linkId, connectionId, receiveMode, sessionId }: AcceptSession,
  { links, sessionLocks, limits }: BrokerParts,
  turn: TurnInProgress,
): Result {
  const receiver = links.attachReceiver({ linkId, connectionId, receiveMode, store });
  if (sessionId === undefined)
    store.sessions?.waiting.add(receiver); // X6
  else hold(receiver, sessionId, sessionLocks, turn);
  turn.touch(store);
  return entityResult(store, limits);
}

/** SES-02: no message can have a longer one. */
function checkId({ path }: MessageStore, sessionId = '', { maxIdLength }: Limits): void {
  const { length } = sessionId;
  if (length <= maxIdLength) return;
  const text = `The id of a session may be up to ${maxIdLength} characters long; this one has ${length}.`;
  const data = { entityPath: path, property: 'sessionId', value: length, limit: maxIdLength };
  throw new ServiceBusError('not-allowed', text, data);
}

/** Those who have waited longest first, as long as there are sessions for them (X1, X4). */
export function grantSessions(store: MessageStore, sessionLocks: SessionLocks, turn: TurnInProgress): void {
  const { sessions } = store;
  if (sessions === undefined) return;
  for (const receiver of sessions.waiting) {
    const session = nextSession(store, sessions, turn);
    if (session === undefined) return;
    sessions.waiting.delete(receiver);
    hold(receiver, session.id, sessionLocks, turn);
  }
}

function hold(receiver: Receiver, sessionId: string, locks: SessionLocks, turn: TurnInProgress): void {
  const { dueAt } = locks.lock(receiver, sessionId, turn.now);
  receiver.store.queue.used(turn.now);
  const { linkId } = receiver;
  turn.effects.push({ kind: 'session-accepted', linkId, sessionId, lockedUntil: dueAt }); // SES-10, X3
}

/** SES-07: one that only seemed to have an available message gives it up to its time to live. */
function nextSession(
  store: MessageStore,
  sessions: MessageSessions,
  turn: TurnInProgress,
): MessageSession | undefined {
  for (let count = 0; count < MAX_PASSED_OVER; count++) {
    const session = sessions.firstReady;
    const first = session?.first;
    if (first === undefined || !isExpired(store, first, turn.now)) return session;
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
