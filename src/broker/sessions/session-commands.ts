// Commands on message sessions: lock renewal and state, both for the lock holder only (SES-11, SES-15), and the list of ids.

import type { SessionClaim } from '../contract/command.js';
import { entityDisabled } from '../contract/entities/entity-errors.js';
import { refusedPageField } from '../contract/entities/entity-page.js';
import type { SessionStateRecord } from '../contract/event.js';
import type { Instant } from '../contract/instant.js';
import type { Result } from '../contract/result.js';
import { ServiceBusError } from '../contract/service-bus-error.js';
import { checkQuota } from '../queue/send-check.js';
import type { MessageStore } from '../store/queue.js';
import { heldSession, requireSessions } from '../store/session-claim.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import { type CommandOf, inStore } from '../turn/handler.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import type { MessageSession, SessionLock } from './message-session.js';
import { asSessionLock, sessionsOf } from './message-sessions.js';

/** X9. */
export const RENEW_SESSION_LOCK = inStore(
  (store, { session }: CommandOf<'renew-session-lock'>, _parts, now) =>
    requireSessionLock(store, session, now),
  ({ path }, lock: SessionLock, _command, { sessionLocks }, turn) => {
    sessionLocks.renew(lock, turn.now);
    const { linkId } = lock.receiver;
    const { id: sessionId } = lock.session;
    turn.activities?.push({ kind: 'session-renewed', path, sessionId, linkId, lockedUntil: lock.dueAt });
    return { kind: 'renewed', lockedUntil: [lock.dueAt] };
  },
);

/** X10: without a state the result has no content id, and the client gets null. */
export const GET_SESSION_STATE = inStore(
  (store, { session }: CommandOf<'get-session-state'>, _parts, now) =>
    requireSessionLock(store, session, now),
  (_store, { session }: SessionLock) => ({ kind: 'session-state', contentId: session.state?.contentId }),
);

/** X10, X16. */
export const SET_SESSION_STATE = inStore(checkSetState, applySetState);

type SetState = CommandOf<'set-session-state'>;

function checkSetState(
  store: MessageStore,
  { session: claim, state }: SetState,
  parts: BrokerParts,
  now: Instant,
): SessionLock {
  const lock = requireSessionLock(store, claim, now);
  checkState(store, state, lock.session, parts);
  return lock;
}

function applySetState(
  store: MessageStore,
  { session }: SessionLock,
  { state }: SetState,
  parts: BrokerParts,
  turn: TurnInProgress,
): Result {
  if (state !== undefined) replaceState(store, session.id, state, parts, turn);
  else {
    turn.activities?.push({ kind: 'session-state-set', path: store.path, sessionId: session.id });
    releaseState(store, session.state, turn);
    if (session.state !== undefined) removeState(store, session.id, turn);
  }
  return { kind: 'done' };
}

/** Stores a new state in place of the one that the session may have. */
export function replaceState(
  store: MessageStore,
  sessionId: string,
  state: Uint8Array,
  { contentIds }: BrokerParts,
  turn: TurnInProgress,
): void {
  turn.activities?.push({ kind: 'session-state-set', path: store.path, sessionId });
  releaseState(store, sessionsOf(store)?.find(sessionId)?.state, turn);
  const contentId = contentIds.take();
  const record = { sessionId, contentId, sizeBytes: state.byteLength, updatedTime: turn.now };
  turn.events.push({ kind: 'content-stored', contentId, content: state });
  turn.events.push({ kind: 'session-state-put', storeId: store.rowsId, state: record });
  putState(store, record);
}

/** Stores a state, new or recovered, in memory. */
export function putState(store: MessageStore, state: SessionStateRecord): void {
  store.queue.addStateBytes(state.sizeBytes); // SES-15: the state counts toward the quota
  sessionsOf(store)?.setState(state.sessionId, state);
}

function releaseState(
  store: MessageStore,
  state: SessionStateRecord | undefined,
  turn: TurnInProgress,
): void {
  if (state === undefined) return;
  store.queue.addStateBytes(-state.sizeBytes);
  turn.events.push({ kind: 'content-released', contentId: state.contentId });
}

function removeState(store: MessageStore, sessionId: string, turn: TurnInProgress): void {
  sessionsOf(store)?.setState(sessionId, undefined);
  turn.events.push({ kind: 'session-state-removed', storeId: store.rowsId, sessionId });
}

/** SES-16, LIM-16. `claims` has the growth by earlier commands of the step. */
function checkState(
  { id, queue, path }: MessageStore,
  state: Uint8Array | undefined,
  session: MessageSession,
  parts: BrokerParts,
): void {
  const { claims, limits } = parts;
  const byteLength = state?.byteLength ?? 0;
  const maxBytes = queue.maxMessageSizeBytes(limits);
  if (byteLength > maxBytes) {
    const text = `The state of a session may have up to ${maxBytes} bytes, as a message may; this one has ${byteLength}.`;
    const data = { entityPath: path, property: 'state', value: byteLength, limit: maxBytes };
    throw new ServiceBusError('message-size-exceeded', text, data);
  }
  // By its name: a purge between two operations of a transaction makes another object of the session.
  const claimed = `${id} ${session.id}`;
  const growth = byteLength - (session.state?.sizeBytes ?? 0) - claims.bytesFor(claimed);
  const topLevel = queue.topLevel;
  if (growth > 0) checkQuota(topLevel, parts);
  claims.addBytes(claimed, growth);
  claims.addBytes(topLevel, growth);
}

/** Throws unless the client holds the session and the entity allows receiving (ENT-08). */
function requireSessionLock(store: MessageStore, claim: SessionClaim, now: Instant): SessionLock {
  if (!store.queue.allows('receive')) throw entityDisabled(store.path);
  return asSessionLock(heldSession(store, claim, now));
}

/** Lists the sessions of a store by id, page by page. Locks and changes nothing (SES-17). */
export const LIST_SESSIONS = inStore(checkList, (_store, sessionIds: readonly string[]) => ({
  kind: 'sessions',
  sessionIds,
}));

/** Builds the list in the check, because a list that does not fit into one answer is refused. */
function checkList(
  store: MessageStore,
  { stateSetAfter, skip, maxCount }: CommandOf<'list-sessions'>,
  { limits: { maxAnswerBytes } }: BrokerParts,
): readonly string[] {
  requireSessions(store);
  if (!(maxCount >= 1) || !(skip >= 0)) {
    const text = `The sessions to list are ${maxCount} after the first ${skip}; the number must be 1 or more, and none or more may be left out.`;
    throw new ServiceBusError('argument-out-of-range', text, {
      entityPath: store.path,
      ...refusedPageField({ skip, maxCount }),
    });
  }
  const sessions = sessionsOf(store);
  const sessionIds: string[] = [];
  let toSkip = skip;
  let bytes = 0;
  for (const id of sessions?.ids ?? []) {
    const session = sessions?.find(id);
    if (session === undefined || !isListed(session, stateSetAfter)) continue;
    if (toSkip > 0) {
      toSkip -= 1;
      continue;
    }
    bytes += id.length;
    if (bytes > maxAnswerBytes) throw tooMany(store, sessionIds.length, maxAnswerBytes);
    sessionIds.push(id);
    if (sessionIds.length >= maxCount) break;
  }
  return sessionIds;
}

/** Refuses a list that is too long: a truncated one would look like the last page. */
function tooMany({ path }: MessageStore, count: number, maxAnswerBytes: number): ServiceBusError {
  const text = `The ids of more than ${count} sessions do not fit into the ${maxAnswerBytes} bytes of one answer; ask for fewer at a time.`;
  const data = { entityPath: path, property: 'answer', limit: maxAnswerBytes };
  return new ServiceBusError('message-size-exceeded', text, data);
}

/** With `stateSetAfter`: its state was set later. Without: it has a state or active messages. */
function isListed(session: MessageSession, stateSetAfter: Instant | undefined): boolean {
  const { state } = session;
  if (stateSetAfter === undefined) return state !== undefined || session.isActive;
  return state !== undefined && state.updatedTime > stateSetAfter;
}
