// What an application stores with a session, and how long it holds it: for the session's holder alone (SES-11, SES-15).

import type { SessionClaim } from '../command.js';
import type { MessageStore } from '../entity/message-store.js';
import { entityDisabled } from '../entity/queue.js';
import type { SessionStateRecord } from '../event.js';
import type { Limits } from '../limits.js';
import { checkRoom } from '../message/send-check.js';
import type { NumberSeries } from '../number-series.js';
import type { Result } from '../result.js';
import { ServiceBusError } from '../service-bus-error.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { heldSession } from './session-claim.js';
import type { SessionLock, SessionLocks } from './session-lock.js';

export type StateResources = { readonly limits: Limits; readonly contentIds: NumberSeries };
export type NewState = { readonly session: SessionClaim; readonly state: Uint8Array | undefined };

/** X9. */
export function renewSession(
  store: MessageStore,
  claim: SessionClaim,
  sessionLocks: SessionLocks,
  turn: TurnInProgress,
): Result {
  const lock = usableSession(store, claim);
  sessionLocks.renew(lock, turn.now);
  return { kind: 'renewed', lockedUntil: [lock.dueAt] };
}

/** X10: null to the client when nothing was ever set. */
export function getSessionState(store: MessageStore, claim: SessionClaim): Result {
  return { kind: 'session-state', contentId: usableSession(store, claim).session.state?.contentId };
}

/** X10, X16. */
export function setSessionState(
  store: MessageStore,
  { session: claim, state }: NewState,
  { limits, contentIds }: StateResources,
  turn: TurnInProgress,
): Result {
  const { session } = usableSession(store, claim);
  if (state !== undefined) checkState(store, state, session.state, limits);
  dropState(store, session.state, turn);
  if (state === undefined) {
    if (session.state !== undefined) removed(store, session.id, turn);
  } else {
    const contentId = contentIds.take();
    const record = { sessionId: session.id, contentId, sizeBytes: state.byteLength, updatedTime: turn.now };
    turn.events.push({ kind: 'content-stored', contentId, content: state });
    turn.events.push({ kind: 'session-state-put', storeId: store.id, state: record });
    restoreState(store, record);
  }
  return { kind: 'done' };
}

/** As it was put. */
export function restoreState(store: MessageStore, state: SessionStateRecord): void {
  store.queue.stateStored(state.sizeBytes); // SES-15: it counts toward the quota
  store.sessions?.setState(state.sessionId, state);
}

/** X18: with the store. */
export function dropStates(store: MessageStore, turn: TurnInProgress): void {
  for (const state of [...(store.sessions?.states() ?? [])]) {
    dropState(store, state, turn);
    removed(store, state.sessionId, turn);
  }
}

function dropState(store: MessageStore, state: SessionStateRecord | undefined, turn: TurnInProgress): void {
  if (state === undefined) return;
  store.queue.stateStored(-state.sizeBytes);
  turn.events.push({ kind: 'content-released', contentId: state.contentId });
}

function removed(store: MessageStore, sessionId: string, turn: TurnInProgress): void {
  store.sessions?.setState(sessionId, undefined);
  turn.events.push({ kind: 'session-state-removed', storeId: store.id, sessionId });
}

function usableSession(store: MessageStore, claim: SessionClaim): SessionLock {
  if (!store.queue.canReceive) throw entityDisabled(store.path); // ENT-08
  return heldSession(store, claim);
}

/** SES-16, LIM-16. */
function checkState(
  { queue, path }: MessageStore,
  { byteLength }: Uint8Array,
  former: SessionStateRecord | undefined,
  limits: Limits,
): void {
  const maxBytes = queue.maxMessageSizeBytes(limits);
  if (byteLength > maxBytes) {
    const text = `The state of a session may have up to ${maxBytes} bytes, as a message may; this one has ${byteLength}.`;
    throw new ServiceBusError('message-size-exceeded', text, path);
  }
  if (byteLength > (former?.sizeBytes ?? 0)) checkRoom(queue.subscription?.topic.intake ?? queue, limits);
}
