// Receives deferred messages by their sequence numbers, and locks or removes them like any other (DEF-02).

import type { SessionClaim } from '../contract/command.js';
import { entityDisabled } from '../contract/entities/entity-errors.js';
import type { Instant } from '../contract/instant.js';
import type { Limits } from '../contract/limits.js';
import { MESSAGE_STATE } from '../contract/message-properties.js';
import type { FoundMessage, Result } from '../contract/result.js';
import { type RefusalData, ServiceBusError } from '../contract/service-bus-error.js';
import type { MessageStore } from '../store/queue.js';
import type { SessionHold } from '../store/receiver.js';
import { heldSession } from '../store/session-claim.js';
import type { StoredMessage } from '../store/stored-message.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import { ChangingRefusal, type CommandOf, inStore } from '../turn/handler.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import { isDeletedInStep } from './batch-delete.js';
import type { LockHolder, MessageLocks } from './message-lock.js';
import { checkNamedCount } from './named-messages.js';
import { consume } from './outcomes.js';
import { expire } from './time-to-live.js';

/** Receives all numbers or none (DEF-03). */
export const RECEIVE_DEFERRED = inStore(checkDeferred, applyDeferred);

type ReceiveDeferred = CommandOf<'receive-deferred'>;

type Found = {
  readonly messages: readonly StoredMessage[];
  readonly sessionLock: SessionHold | undefined;
};

function checkDeferred(
  store: MessageStore,
  { sequenceNumbers, session }: ReceiveDeferred,
  parts: BrokerParts,
  now: Instant,
): Found | ChangingRefusal {
  const { claims } = parts;
  if (!store.queue.allows('receive')) throw entityDisabled(store.path);
  checkNamedCount(store, 'sequenceNumbers', sequenceNumbers.length);
  const sessionLock = sessionOf(store, session, now);
  const heldSessionId = sessionLock === undefined ? undefined : session?.sessionId;
  const isOfSession = ({ sessionId }: StoredMessage) => sessionId === heldSessionId;
  const numbers = new Set(sequenceNumbers);
  const messages = [...numbers]
    .map((number) => store.log.find(number))
    .filter(isReceivable)
    .filter(isOfSession);
  const expired = messages.filter((message) => store.isExpired(message, now));
  if (expired.length > 0) {
    const inOrder = expired.toSorted(byNumber);
    return new ChangingRefusal(notFound(store), (turn) => expire(store, inOrder, turn)); // TTL-10
  }
  if (messages.length < sequenceNumbers.length) throw notFound(store);
  checkSize(store, messages, parts.limits);
  if (isDeletedInStep(store, session?.sessionId, claims)) throw notFound(store);
  if (messages.some((message) => claims.has(message))) throw notFound(store);
  for (const message of messages) claims.take(message);
  return { messages, sessionLock };
}

/** DEF-02. */
function applyDeferred(
  store: MessageStore,
  { messages, sessionLock }: Found,
  { receiveMode }: ReceiveDeferred,
  { locks }: BrokerParts,
  turn: TurnInProgress,
): Result {
  const holder = { linkId: undefined, client: undefined, sessionLock };
  const found: FoundMessage[] = [];
  for (const message of messages) {
    found.push(
      receiveMode === 'peek-lock'
        ? lockDeferred(store, message, holder, locks, turn)
        : removeDeferred(store, message, turn),
    );
  }
  return { kind: 'messages', messages: found };
}

/** DEF-07: in an entity that requires sessions, only the holder of their session may receive the messages. */
function sessionOf(
  store: MessageStore,
  claim: SessionClaim | undefined,
  now: Instant,
): SessionHold | undefined {
  if (store.sessions === undefined) return undefined;
  if (claim !== undefined) return heldSession(store, claim, now);
  // Not `argument`: the Go SDK never sends a session id, and retries for 45 s after any status but 404.
  const hint =
    'The entity requires sessions, and the request names none; accept the session of the messages and send its session id.';
  throw notFound(store, { about: 'requires-sessions' }, ` ${hint}`);
}

/** Checks that the messages fit into one answer. */
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
  const data = { entityPath: path, property: 'answer', value: bytes, limit: maxAnswerBytes };
  throw new ServiceBusError('message-size-exceeded', text, data);
}

function byNumber(a: StoredMessage, b: StoredMessage): number {
  return a.sequenceNumber - b.sequenceNumber;
}

function isReceivable(message: StoredMessage | undefined): message is StoredMessage {
  return message?.state === MESSAGE_STATE.deferred && !message.isLocked;
}

/** M21. */
function lockDeferred(
  store: MessageStore,
  message: StoredMessage,
  holder: LockHolder,
  locks: MessageLocks,
  turn: TurnInProgress,
): FoundMessage {
  const { token, lockedUntil } = locks.lock(store, message, holder, turn);
  return { ...asFound(store, message), lockToken: token, lockedUntil };
}

/** M22. */
function removeDeferred(store: MessageStore, message: StoredMessage, turn: TurnInProgress): FoundMessage {
  consume(store, message, undefined, turn);
  return { ...asFound(store, message), removed: message.record() };
}

function asFound(store: MessageStore, message: StoredMessage): FoundMessage {
  return {
    contentId: message.contentId,
    storeId: store.id,
    properties: message.properties(store.partitionIdOf(message)),
    lockToken: undefined,
    lockedUntil: undefined,
  };
}

function notFound({ path }: MessageStore, data: RefusalData = {}, hint = ''): ServiceBusError {
  const text =
    'Failed to lock one or more specified messages. Either the message is already locked or does not exist.';
  return new ServiceBusError('message-not-found', `${text}${hint}`, { entityPath: path, ...data });
}
