// What an application stores with a session, and how long it holds it: for the session's holder alone (SES-11, SES-15).

import type { BrokerParts } from '../broker-parts.js';
import type { MessageStore } from '../entity/message-store.js';
import type { SessionStateRecord } from '../event.js';
import { type CommandOf, inStore } from '../handler.js';
import type { MessageSession } from '../message/message-session.js';
import { checkRoom } from '../message/send-check.js';
import type { Result } from '../result.js';
import { ServiceBusError } from '../service-bus-error.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { usableSession } from './session-claim.js';
import type { SessionLock } from './session-lock.js';

/** X9. */
export const RENEW_SESSION_LOCK = inStore(
  (store, { session }: CommandOf<'renew-session-lock'>) => usableSession(store, session),
  (_store, lock: SessionLock, _command, { sessionLocks }, turn) => {
    sessionLocks.renew(lock, turn.now);
    return { kind: 'renewed', lockedUntil: [lock.dueAt] };
  },
);

/** X10: null to the client when nothing was ever set. */
export const GET_SESSION_STATE = inStore(
  (store, { session }: CommandOf<'get-session-state'>) => usableSession(store, session),
  (_store, { session }: SessionLock) => ({ kind: 'session-state', contentId: session.state?.contentId }),
);

/** X10, X16. */
export const SET_SESSION_STATE = inStore(checkSetState, applySetState);

type SetState = CommandOf<'set-session-state'>;

function checkSetState(
  store: MessageStore,
  { session: claim, state }: SetState,
  parts: BrokerParts,
): SessionLock {
  const lock = usableSession(store, claim);
  checkState(store, state, lock.session, parts);
  return lock;
}

function applySetState(
  store: MessageStore,
  { session }: SessionLock,
  { state }: SetState,
  { contentIds }: BrokerParts,
  turn: TurnInProgress,
): Result {
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

/** SES-16, LIM-16; against what an earlier command of a step sets. */
function checkState(
  { queue, path }: MessageStore,
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
  const growth = byteLength - (session.state?.sizeBytes ?? 0) - claims.bytesFor(session);
  const holder = queue.topLevel;
  if (growth > 0) checkRoom(holder, parts);
  claims.addBytes(session, growth);
  claims.addBytes(holder, growth);
}
