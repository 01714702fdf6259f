// Links, credit and delivery in the reference model.

import type { Command } from '../../src/broker/command.js';
import { firstOfSession, takeFirst } from './reference-available.js';
import { maxSize, mayReceive, maySend } from './reference-checks.js';
import { DONE, type ExpectedMessage, type ExpectedResult, failed } from './reference-expected.js';
import { giveUpSession } from './reference-sessions.js';
import {
  copyMessage,
  destinationOf,
  dropLink,
  isDeadLetterQueue,
  isSessionStore,
  type ModelLink,
  type ModelMessage,
  type ModelQueue,
  type ModelState,
  pathOf,
  queueOf,
  type Target,
} from './reference-state.js';
import { happened, type ModelTurn, release, remove } from './reference-turn.js';

type Of<K extends Command['kind']> = Extract<Command, { kind: K }>;

export function entity(target: Target, turn: ModelTurn): ExpectedResult {
  const maxMessageSizeBytes = maxSize(target.queue, turn.limits);
  const maxBatchSizeBytes = turn.limits.maxMessageSizeBytes; // LIM-02
  return { kind: 'entity', path: pathOf(target), maxMessageSizeBytes, maxBatchSizeBytes };
}

export function attachSender(
  { linkId }: Of<'attach-sender'>,
  target: Target,
  turn: ModelTurn,
): ExpectedResult {
  const reasons = [
    (isDeadLetterQueue(target.place) || target.queue.kind === 'subscription') && 'not-allowed',
    !maySend(target.queue) && 'entity-disabled',
  ].filter((reason) => reason !== false);
  if (reasons.length > 0) return failed(...reasons);
  turn.state.links.push({ ...linkTo(target), id: linkId, role: 'sender', mode: 'peek-lock' });
  return entity(target, turn);
}

export function attachReceiver(
  { linkId, receiveMode, keepsLocks = false }: Of<'attach-receiver'>,
  target: Target,
  turn: ModelTurn,
): ExpectedResult {
  target.queue.activeAt = turn.now;
  const reasons = refusalsOfReceiver(target);
  if (reasons.length > 0) return failed(...reasons);
  turn.state.links.push({ ...linkTo(target), id: linkId, role: 'receiver', mode: receiveMode, keepsLocks });
  return entity(target, turn);
}

/** A receiver without a session. */
export function refusalsOfReceiver(target: Target): readonly string[] {
  return [
    (isSessionStore(target) || (target.queue.kind === 'topic' && target.place === 'main')) && 'not-allowed',
    destinationOf(target) !== undefined && 'not-allowed', // RCV-11, DLQ-12
    !mayReceive(target.queue) && 'entity-disabled',
  ].filter((reason) => reason !== false);
}

export function linkTo({ queue, place }: Target): Omit<ModelLink, 'id' | 'role' | 'mode'> {
  const attached = { queueName: queue.name, place, connectionId: undefined, keepsLocks: false };
  return { ...attached, used: 0, lookCredit: 0, shown: new Set() };
}

/** LNK-01; or, where that is chosen, LNK-04; where sessions are required, LNK-05. */
export function detach(linkId: number, turn: ModelTurn): ExpectedResult {
  const { state } = turn;
  const link = state.links.find((one) => one.id === linkId);
  if (link === undefined) return DONE;
  const queue = queueOf(link, state);
  if (link.role !== 'sender') queue.activeAt = turn.now;
  giveUpSession(linkId, turn);
  dropLink(linkId, state);
  for (const message of queue.messages) {
    if (message.lock?.linkId !== linkId) continue;
    if (message.lock.pinnedBy !== undefined) {
      happened('M38, its link gone', turn);
      continue;
    }
    if (turn.choices.releaseLocksOnDetach && !link.keepsLocks) release(message, turn);
    else happened(turn.choices.releaseLocksOnDetach ? 'M20 kept' : 'M20', turn);
  }
  return DONE;
}

export function setCredit({ linkId, deliveryLimit }: Of<'set-credit'>, turn: ModelTurn): ExpectedResult {
  const { state } = turn;
  const link = findReceiver(linkId, state);
  if (link === undefined) return DONE;
  queueOf(link, state).activeAt = turn.now;
  const wanted = Math.max(0, deliveryLimit - link.used);
  if (link.role === 'browser') {
    link.lookCredit = wanted;
    return DONE;
  }
  while (creditOf(linkId, state) < wanted) state.credits.push(linkId);
  while (creditOf(linkId, state) > wanted) state.credits.splice(state.credits.lastIndexOf(linkId), 1);
  return DONE;
}

/** CRD-02. */
export function drain(linkId: number, { state, expected }: ModelTurn): void {
  const link = findReceiver(linkId, state);
  if (link === undefined) return;
  link.used += creditOf(linkId, state) + link.lookCredit;
  link.lookCredit = 0;
  state.credits = state.credits.filter((id) => id !== linkId);
  expected.effects.push({ kind: 'drained', linkId, deliveredCount: link.used });
}

/** The oldest credit gets the lowest number, until nobody can be given anything (RCV-04, RCV-07). */
export function deliver(turn: ModelTurn): void {
  const { credits, links } = turn.state;
  const unserved = new Set<number>();
  for (let i = 0; i < credits.length; ) {
    if (unserved.has(credits[i] ?? 0)) {
      i += 1;
      continue;
    }
    const link = links.find((one) => one.id === credits[i]);
    if (link === undefined) throw new Error('credit of nobody');
    const queue = queueOf(link, turn.state);
    const message = firstFor(link, queue, turn);
    if (message === undefined) unserved.add(link.id);
    else {
      credits.splice(i, 1);
      deliverTo(link, queue, message, turn);
    }
  }
}

function firstFor({ id, place, connectionId }: ModelLink, queue: ModelQueue, { state }: ModelTurn) {
  if (connectionId === undefined) return takeFirst(queue, place);
  const held = state.holds.find(({ linkId }) => linkId === id);
  return held === undefined ? undefined : firstOfSession(queue, held.sessionId);
}

function deliverTo(link: ModelLink, queue: ModelQueue, message: ModelMessage, turn: ModelTurn): void {
  link.used += 1;
  queue.activeAt = turn.now;
  queue.accessedAt = turn.now;
  if (link.connectionId !== undefined) happened(message.enqueuedTime < turn.now ? 'X7' : 'X8', turn);
  if (link.mode === 'receive-and-delete') {
    happened('M7', turn);
    remove(queue, message, turn);
  } else {
    happened('M6', turn);
    lock(queue, message, link.id, turn);
  }
  turn.expected.effects.push({ kind: 'deliver', linkId: link.id, ...handedOut(message) });
}

export function handedOut(message: ModelMessage): ExpectedMessage {
  return { message, shown: copyMessage(message), lock: message.lock, lockedUntil: message.lock?.until };
}

/** RCV-05; in a session the lock ends with that of the session (SES-04). */
export function lock(
  queue: ModelQueue,
  message: ModelMessage,
  linkId: number | undefined,
  { now, state }: ModelTurn,
): void {
  const held = isSessionStore({ queue, place: message.place })
    ? state.holds.find((one) => one.queueName === queue.name && one.sessionId === message.sessionId)
    : undefined;
  const until = held?.until ?? now + queue.description.lockDurationMs;
  message.lock = { token: '', until, linkId, runsOut: held?.runsOut ?? true, pinnedBy: undefined };
}

function findReceiver(linkId: number, { links }: ModelState): ModelLink | undefined {
  return links.find((one) => one.id === linkId && one.role !== 'sender');
}

function creditOf(linkId: number, { credits }: ModelState): number {
  return credits.filter((id) => id === linkId).length;
}
