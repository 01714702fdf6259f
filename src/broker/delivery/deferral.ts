// Deferred messages are received by their numbers, locked or removed like any other (DEF-02).

import type { ReceiveMode, SessionClaim } from '../command.js';
import type { MessageStore } from '../entity/message-store.js';
import { entityDisabled } from '../entity/queue.js';
import type { Limits } from '../limits.js';
import { MESSAGE_STATE } from '../message/message-properties.js';
import { removeMessage } from '../message/removal.js';
import type { StoredMessage } from '../message/stored-message.js';
import { expire, isExpired } from '../message/time-to-live.js';
import type { FoundMessage, Result } from '../result.js';
import { ServiceBusError } from '../service-bus-error.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import type { LockHolder, MessageLocks } from './message-lock.js';
import { heldSession } from './session-claim.js';
import type { SessionLock } from './session-lock.js';

export type DeferredReceive = {
  readonly sequenceNumbers: readonly number[];
  readonly receiveMode: ReceiveMode;
  readonly session?: SessionClaim | undefined;
};

/** All numbers or none (DEF-03). */
export function receiveDeferred(
  store: MessageStore,
  { sequenceNumbers, receiveMode, session }: DeferredReceive,
  { locks, limits }: { readonly locks: MessageLocks; readonly limits: Limits },
  turn: TurnInProgress,
): Result {
  if (!store.queue.canReceive) throw entityDisabled(store.path);
  const sessionLock = sessionOf(store, session);
  const isOfSession = ({ sessionId }: StoredMessage) => sessionId === sessionLock?.session.id;
  const numbers = new Set(sequenceNumbers);
  const found = [...numbers]
    .map((number) => store.log.find(number))
    .filter(isToBeHad)
    .filter(isOfSession);
  const expired = found.filter((message) => isExpired(store, message, turn.now));
  expire(store, expired.toSorted(byNumber), turn); // TTL-10
  if (found.length < sequenceNumbers.length || expired.length > 0) {
    return { kind: 'failed', error: notFound(store) };
  }
  checkSize(store, found, limits);
  // DEF-02
  const messages = found.map((message) =>
    receiveMode === 'peek-lock'
      ? lockDeferred(message, { store, linkId: undefined, sessionLock }, locks, turn)
      : removeDeferred(store, message, turn),
  );
  return { kind: 'messages', messages };
}

/** DEF-07: where sessions are required they are received by whoever holds theirs. */
function sessionOf(store: MessageStore, claim: SessionClaim | undefined): SessionLock | undefined {
  if (store.sessions === undefined) return undefined;
  if (claim !== undefined) return heldSession(store, claim);
  // Not `argument`: the Go SDK never sends a session id, and repeats what fails with another status than 404 for 45 s.
  const hint =
    'The entity requires sessions, and the request names none; accept the session of the messages and send its session id.';
  throw notFound(store, hint);
}

/** They are told all in one answer. */
function checkSize(
  { path }: MessageStore,
  found: readonly StoredMessage[],
  { maxAnswerBytes }: Limits,
): void {
  const bytes = found.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (bytes <= maxAnswerBytes || found.length === 1) return;
  const text =
    `The ${found.length} messages take ${bytes} bytes, and one answer may hold ${maxAnswerBytes}; ` +
    'ask for fewer at a time.';
  throw new ServiceBusError('message-size-exceeded', text, path);
}

function byNumber(a: StoredMessage, b: StoredMessage): number {
  return a.sequenceNumber - b.sequenceNumber;
}

function isToBeHad(message: StoredMessage | undefined): message is StoredMessage {
  return message?.state === MESSAGE_STATE.deferred && !message.isLocked;
}

/** M21. */
function lockDeferred(
  message: StoredMessage,
  holder: LockHolder,
  locks: MessageLocks,
  turn: TurnInProgress,
): FoundMessage {
  const { token, lockedUntil } = locks.lock(message, holder, turn.now);
  return { ...asFound(holder.store, message), lockToken: token, lockedUntil };
}

/** M22. */
function removeDeferred(store: MessageStore, message: StoredMessage, turn: TurnInProgress): FoundMessage {
  removeMessage(store, message, turn);
  return asFound(store, message);
}

function asFound(store: MessageStore, message: StoredMessage): FoundMessage {
  return {
    contentId: message.contentId,
    properties: message.properties(store.partitionIdOf(message)),
    lockToken: undefined,
    lockedUntil: undefined,
  };
}

function notFound({ path }: MessageStore, hint?: string): ServiceBusError {
  const text =
    'Failed to lock one or more specified messages. Either the message is already locked or does not exist.';
  return new ServiceBusError('message-not-found', hint === undefined ? text : `${text} ${hint}`, path);
}
