// Links, credit and delivery in the reference model.

import type { Command } from '../../src/broker/command.js';
import { MESSAGE_STATE } from '../../src/broker/message/message-properties.js';
import { maxSize, mayReceive, maySend } from './reference-checks.js';
import {
  DONE,
  type ExpectedResult,
  failed,
  type ModelLink,
  type ModelMessage,
  type ModelQueue,
  type ModelState,
  type Place,
  pathOf,
  type Target,
} from './reference-state.js';
import { happened, type ModelTurn, PARTITIONS, release, remove } from './reference-turn.js';

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
    target.place === 'dead' && 'not-allowed',
    !maySend(target.queue) && 'entity-disabled',
  ].filter((reason) => reason !== false);
  if (reasons.length > 0) return failed(...reasons);
  turn.state.links.push({ ...linkTo(target), id: linkId, role: 'sender', mode: 'peek-lock' });
  return entity(target, turn);
}

export function attachReceiver(
  { linkId, receiveMode }: Of<'attach-receiver'>,
  target: Target,
  turn: ModelTurn,
): ExpectedResult {
  target.queue.activeAt = turn.now;
  const isSessionStore = target.queue.description.requiresSession && target.place === 'main';
  const reasons = [isSessionStore && 'not-allowed', !mayReceive(target.queue) && 'entity-disabled'].filter(
    (reason) => reason !== false,
  );
  if (reasons.length > 0) return failed(...reasons);
  turn.state.links.push({ ...linkTo(target), id: linkId, role: 'receiver', mode: receiveMode });
  return entity(target, turn);
}

function linkTo({ queue, place }: Target): Pick<ModelLink, 'queueName' | 'place' | 'used'> {
  return { queueName: queue.name, place, used: 0 };
}

/** LNK-01; or, where that is chosen, LNK-04. */
export function detach(linkId: number, turn: ModelTurn): ExpectedResult {
  const { state } = turn;
  const link = state.links.find((one) => one.id === linkId);
  if (link === undefined) return DONE;
  const queue = queueOf(link, state);
  if (link.role === 'receiver') queue.activeAt = turn.now;
  state.links = state.links.filter((one) => one !== link);
  state.credits = state.credits.filter((id) => id !== linkId);
  for (const message of queue.messages) {
    if (message.lock?.linkId !== linkId) continue;
    if (turn.choices.releaseLocksOnDetach) release(message, turn);
    else happened('M20', turn);
  }
  return DONE;
}

export function setCredit({ linkId, deliveryLimit }: Of<'set-credit'>, turn: ModelTurn): ExpectedResult {
  const { state } = turn;
  const link = findReceiver(linkId, state);
  if (link === undefined) return DONE;
  queueOf(link, state).activeAt = turn.now;
  const wanted = Math.max(0, deliveryLimit - link.used);
  while (creditOf(linkId, state) < wanted) state.credits.push(linkId);
  while (creditOf(linkId, state) > wanted) state.credits.splice(state.credits.lastIndexOf(linkId), 1);
  return DONE;
}

/** CRD-02. */
export function drain(linkId: number, { state, expected }: ModelTurn): void {
  const link = findReceiver(linkId, state);
  if (link === undefined) return;
  link.used += creditOf(linkId, state);
  state.credits = state.credits.filter((id) => id !== linkId);
  expected.effects.push({ kind: 'drained', linkId, deliveredCount: link.used });
}

/** The oldest credit gets the lowest number, until nobody can be given anything (RCV-04, RCV-07). */
export function deliver(turn: ModelTurn): void {
  const { credits, links } = turn.state;
  for (let i = 0; i < credits.length; ) {
    const link = links.find((one) => one.id === credits[i]);
    if (link === undefined) throw new Error('credit of nobody');
    const queue = queueOf(link, turn.state);
    const message = firstAvailable(queue, link.place);
    if (message === undefined) i += 1;
    else {
      credits.splice(i, 1);
      deliverTo(link, queue, message, turn);
    }
  }
}

function deliverTo(link: ModelLink, queue: ModelQueue, message: ModelMessage, turn: ModelTurn): void {
  link.used += 1;
  queue.activeAt = turn.now;
  queue.accessedAt = turn.now;
  if (link.mode === 'receive-and-delete') {
    happened('M7', turn);
    remove(queue, message, turn);
  } else {
    happened('M6', turn);
    lock(queue, message, link.id, turn);
  }
  turn.expected.effects.push({ kind: 'deliver', linkId: link.id, message, lock: message.lock });
}

/** RCV-05. */
export function lock(
  queue: ModelQueue,
  message: ModelMessage,
  linkId: number | undefined,
  { now }: ModelTurn,
): void {
  message.lock = { token: '', until: now + queue.description.lockDurationMs, linkId };
}

/** The partitions of a store take turns (PEEK-11). */
function firstAvailable(queue: ModelQueue, place: Place): ModelMessage | undefined {
  if (!queue.description.enablePartitioning) return firstOf(queue, place, () => true);
  for (let step = 0; step < PARTITIONS; step++) {
    const partition = (queue.turns[place] + step) % PARTITIONS;
    const first = firstOf(queue, place, ({ number }) => Math.floor(number / 2 ** 48) === partition);
    if (first === undefined) continue;
    queue.turns[place] = (partition + 1) % PARTITIONS;
    return first;
  }
  return undefined;
}

function firstOf(
  { messages }: ModelQueue,
  place: Place,
  isMeant: (message: ModelMessage) => boolean,
): ModelMessage | undefined {
  let first: ModelMessage | undefined;
  for (const message of messages) {
    if (message.place !== place || message.state !== MESSAGE_STATE.active || !isMeant(message)) continue;
    if (message.lock === undefined && message.number < (first?.number ?? Number.POSITIVE_INFINITY)) {
      first = message;
    }
  }
  return first;
}

function findReceiver(linkId: number, { links }: ModelState): ModelLink | undefined {
  return links.find((one) => one.id === linkId && one.role === 'receiver');
}

function queueOf({ queueName }: ModelLink, { queues }: ModelState): ModelQueue {
  const queue = queues.find((one) => one.name === queueName);
  if (queue === undefined) throw new Error('a link to nowhere');
  return queue;
}

function creditOf(linkId: number, { credits }: ModelState): number {
  return credits.filter((id) => id === linkId).length;
}
