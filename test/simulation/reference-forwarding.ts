// Forwarding (FWD-01 to FWD-10, M31 to M34) and transfers through another entity (TXN-10 to TXN-12, DLQ-02) in the
// reference model.

import type { Command } from '../../src/broker/contract/command.js';
import { MESSAGE_STATE, type NewMessage } from '../../src/broker/contract/message-properties.js';
import { partitionOf } from '../../src/broker/store/partition.js';
import { readHead } from './message-content.js';
import {
  ANY_TEXT,
  accept,
  continueFanOut,
  isFull,
  maySend,
  newLuggage,
  nextPieceOf,
  refusalsOfSend,
} from './reference-send.js';
import {
  deadLetter,
  destinationOf,
  type ExpectedResult,
  expire,
  failed,
  findTarget,
  happened,
  keyOf,
  type Luggage,
  type ModelMessage,
  type ModelQueue,
  type ModelTurn,
  newMessage,
  nextNumber,
  PARTITIONS,
  type Place,
  pathOf,
  put,
  reasonOf,
  remove,
  sweepExpired,
  type Target,
  topicOf,
} from './reference-state.js';

const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 30_000;
/** What a destination may be for a while. */
const FOR_NOW: readonly string[] = ['entity-disabled', 'quota-exceeded'];

export function transfer(
  { destination, messages, isBatch = false, isChecked = false }: Extract<Command, { kind: 'transfer' }>,
  { queue }: Target,
  turn: ModelTurn,
): ExpectedResult {
  queue.activeAt = turn.now;
  const via = topicOf(queue, turn.state) ?? queue;
  if (!maySend(via)) return failed('entity-disabled'); // ENT-07
  const target = findTarget(turn.state, destination);
  if (!isChecked && target === undefined) return failed('entity-not-found');
  const reasons =
    target === undefined || isChecked ? [] : refusalsOfSend(target, messages, turn, { isBatch });
  const lasting = reasons.filter((reason) => !FOR_NOW.includes(reason));
  if (lasting.length > 0) return failed(...lasting);
  queue.accessedAt = turn.now;
  const name = destination.toLowerCase(); // ENT-02
  const sequenceNumbers = messages.map((message) => transferOne(via, name, message, turn));
  return { kind: 'sent', sequenceNumbers };
}

function transferOne(via: ModelQueue, destination: string, message: NewMessage, turn: ModelTurn): number {
  const isFirst = waitingFor(via, destination).length === 0;
  const target = takerOf(destination, message, turn);
  if (!isFirst) happened('a transfer behind others', turn);
  if (!isFirst || typeof target === 'string') return keep(via, destination, message, turn);
  happened(`transferred to a ${target.kind} at once`, turn);
  target.activeAt = turn.now;
  target.accessedAt = turn.now;
  return accept(target, message, newLuggage(message), turn);
}

/** The queue or topic that takes it now, or why there is none. */
function takerOf(destination: string, message: NewMessage, turn: ModelTurn): ModelQueue | string {
  const target = findTarget(turn.state, destination);
  if (target === undefined || target.place !== 'main' || target.queue.kind === 'subscription') {
    return 'entity-not-found';
  }
  // Within a step, too, room counts here.
  const reasons = refusalsOfSend(target, [message], { ...turn, hasRoom: false });
  if (reasons.includes('entity-disabled')) return 'entity-disabled';
  return reasons.find((reason) => reason !== 'quota-exceeded') ?? reasons[0] ?? target.queue;
}

function keep(via: ModelQueue, destination: string, message: NewMessage, turn: ModelTurn): number {
  const { content, sessionId, viaPartitionKey, timeToLiveMs, scheduledEnqueueTime } = message;
  happened(`a transfer waits with a ${via.kind}`, turn);
  if (!via.hasTransfers) {
    via.hasTransfers = true;
    turn.expected.queuesPut.push(via.name);
  }
  const { enablePartitioning } = via.description;
  const partition = enablePartitioning && viaPartitionKey !== undefined ? partitionOf(viaPartitionKey) : 0;
  const number = nextNumber(via, partition, turn);
  const lives = Math.min(timeToLiveMs ?? Number.POSITIVE_INFINITY, turn.limits.maxTimeToLiveMs);
  if (waitingFor(via, destination).length === 0) delete via.transferRetries[destination];
  const stored = newMessage(via, newLuggage(message), {
    place: 'transfer',
    number,
    enqueuedTime: turn.now,
    expiresAt: Math.max(turn.now, scheduledEnqueueTime ?? 0) + lives,
    content,
    sessionId,
    destination,
  });
  via.messages.push(stored);
  put(via, stored, turn);
  return number;
}

function waitingFor({ messages }: ModelQueue, destination: string): readonly ModelMessage[] {
  return messages.filter((one) => one.destination === destination).sort((a, b) => a.number - b.number);
}

/** The first that waits for each destination that may be tried. */
function firstTransfersOf(via: ModelQueue, now: number): readonly ModelMessage[] {
  return destinationsOf(via)
    .filter((destination) => (via.transferRetries[destination]?.at ?? 0) <= now)
    .flatMap((destination) => waitingFor(via, destination).slice(0, 1));
}

function destinationsOf({ messages }: ModelQueue): readonly string[] {
  const named = messages.map(({ destination }) => destination);
  return [...new Set(named)].filter((destination) => destination !== undefined);
}

/** TXN-11. `isRefused`: the broker has not moved it, for which there may have been a reason earlier in the turn. */
function moveTransfer(
  via: ModelQueue,
  message: ModelMessage,
  { isRefused }: { readonly isRefused: boolean },
  turn: ModelTurn,
): void {
  const { destination = '', content } = message;
  if (message.expiresAt <= turn.now) {
    expire(via, [message], turn);
    return;
  }
  const arriving: NewMessage = { ...readHead(content), content };
  const taker = takerOf(destination, arriving, turn);
  if (taker === 'quota-exceeded' || isRefused) {
    const ms = via.transferRetries[destination]?.ms ?? FIRST_RETRY_MS;
    happened('a transfer to a full entity', turn);
    if (ms > FIRST_RETRY_MS) happened('a transfer tried in vain again', turn);
    via.transferRetries[destination] = { at: turn.now + ms, ms: Math.min(2 * ms, LAST_RETRY_MS) };
  } else if (typeof taker === 'string') {
    happened(taker === 'entity-disabled' ? 'M35' : `a transfer failed, ${taker}`, turn);
    deadLetter(via, message, reasonOf(ANY_TEXT, ANY_TEXT), turn);
  } else {
    happened(`a transfer moved on to a ${taker.kind}`, turn);
    if (message.enqueuedTime < turn.now) happened('a transfer that had waited moved on', turn);
    via.transferRetries[destination] = { at: 0, ms: FIRST_RETRY_MS };
    taker.activeAt = turn.now;
    taker.accessedAt = turn.now;
    const { invented } = message;
    remove(via, message, turn);
    accept(taker, arriving, { ...newLuggage(arriving), invented }, turn);
  }
}

/** Whether what waits first found its destination full. */
function isDestinationFull({ destination = '' }: ModelMessage, { state, limits }: ModelTurn): boolean {
  const target = findTarget(state, destination);
  return target !== undefined && isFull(target.queue, state, limits);
}

export function nextTransferAt(via: ModelQueue): number {
  return Math.min(...destinationsOf(via).map((destination) => via.transferRetries[destination]?.at ?? 0));
}

/** FWD-07. */
const MAX_ENTITIES = 4;
/** FWD-08. */
/** No other message would do better. */
const FOR_ALL: readonly string[] = ['entity-not-found', 'entity-disabled', 'quota-exceeded'];

type Candidate = {
  readonly queue: ModelQueue;
  readonly message: ModelMessage;
  /** Of a message with whose copies the broker goes on: when, among all that it has removed. */
  readonly removedCount?: number;
};

/**
 * Everything that can move moves, and what it leads to happens as well. From each source the first goes first; which of
 * two sources comes first is the broker's choice, told by what it has removed.
 */
export function forward(turn: ModelTurn): void {
  const full = transfersOf(turn)
    .filter(({ message }) => isDestinationFull(message, turn))
    .map(({ queue, message }) => keyOf(queue, message));
  for (let next = nextOf(turn); next !== undefined; next = nextOf(turn)) {
    for (let one: Candidate | undefined = next; one !== undefined; one = nextOf(turn)) {
      const { queue, message } = one;
      if (queue.kind === 'topic' && message.place === 'dead') continueFanOut(queue, message, turn);
      else if (message.place === 'main') move(one, turn);
      else if (message.place === 'transfer') {
        // It may have come to a full destination that has got room since.
        const key = keyOf(queue, message);
        const isRefused = full.includes(key) && !turn.removed.includes(key);
        moveTransfer(queue, message, { isRefused }, turn);
      } else moveDead(one.queue, turn);
    }
    sweepExpired(turn, 'M8');
  }
}

function nextOf(turn: ModelTurn): Candidate | undefined {
  const candidates = [
    ...turn.state.queues.flatMap((queue) => [...firstOf(queue, turn), ...deadOf(queue, turn)]),
    ...transfersOf(turn),
    ...turn.state.queues.flatMap((queue) => pieceOf(queue, turn)),
  ];
  return candidates.toSorted((a, b) => rank(a, turn) - rank(b, turn))[0];
}

function pieceOf(queue: ModelQueue, turn: ModelTurn): readonly Candidate[] {
  const piece = nextPieceOf(queue, turn);
  return piece === undefined ? [] : [{ queue, ...piece }];
}

function transfersOf({ state, now }: ModelTurn): readonly Candidate[] {
  return state.queues.flatMap((queue) => firstTransfersOf(queue, now).map((message) => ({ queue, message })));
}

function rank({ queue, message, removedCount }: Candidate, { removed }: ModelTurn): number {
  if (removedCount !== undefined) return removedCount;
  const index = removed.indexOf(keyOf(queue, message));
  return index === -1 ? Number.MAX_SAFE_INTEGER : index;
}

function firstOf(queue: ModelQueue, { now }: ModelTurn): readonly Candidate[] {
  if (queue.description.forwardTo === undefined) return [];
  const available = availableIn(queue, 'main');
  const firsts = queue.description.enablePartitioning
    ? firstOfEachPartition(available)
    : available.slice(0, 1);
  return firsts.filter((one) => restsUntil(one) <= now).map((message) => ({ queue, message }));
}

/** Of the dead-letter queue all there are, for they go together. */
function deadOf(queue: ModelQueue, { now }: ModelTurn): readonly Candidate[] {
  if (queue.description.forwardDeadLetteredMessagesTo === undefined || queue.retryAt > now) return [];
  const dead = availableIn(queue, 'dead').filter((one) => !isTooFar(one) && restsUntil(one) <= now);
  if (dead.length === 0) forgetRetry(queue);
  return dead.map((message) => ({ queue, message }));
}

function forgetRetry(queue: ModelQueue): void {
  queue.retryAt = 0;
  queue.retryMs = FIRST_RETRY_MS;
}

function availableIn({ messages }: ModelQueue, place: Place): readonly ModelMessage[] {
  return messages
    .filter((one) => one.place === place && one.state === MESSAGE_STATE.active && one.lock === undefined)
    .sort((a, b) => a.number - b.number);
}

/** FWD-04: partitions promise no order. */
function firstOfEachPartition(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  return messages.filter(
    ({ partitionId }, index) => messages.findIndex((one) => one.partitionId === partitionId) === index,
  );
}

/** FWD-07: a hop is a turn of its own. */
export function restsUntil({ hops, enqueuedTime }: ModelMessage): number {
  return hops === 0 ? 0 : enqueuedTime + 1;
}

export function isTooFar({ hops }: ModelMessage): boolean {
  return hops + 2 > MAX_ENTITIES;
}

function move({ queue, message }: Candidate, turn: ModelTurn): void {
  const { partitionId } = message;
  if (partitionId !== undefined) queue.turns.main = (partitionId + 1) % PARTITIONS;
  if (message.expiresAt <= turn.now) {
    expire(queue, [message], turn);
  } else if (isTooFar(message)) {
    happened('M33', turn);
    deadLetter(queue, message, reasonOf('MaxTransferHopCountExceeded', ANY_TEXT), turn);
  } else if (refusalOf({ queue, message }, turn) === undefined) {
    moveOn({ queue, message }, turn);
  } else {
    deadLetter(queue, message, reasonOf(ANY_TEXT, ANY_TEXT), turn); // FWD-08
  }
}

/**
 * FWD-08: what is refused stays, and all is tried again later. What the broker has not moved may have come when it had
 * been refused another one.
 */
function moveDead(queue: ModelQueue, turn: ModelTurn): void {
  let hasRefused = false;
  const late: Candidate[] = [];
  for (const candidate of deadOf(queue, turn)) {
    const refusal = refusalOf(candidate, turn);
    if (refusal !== undefined) hasRefused = true;
    else if (turn.removed.includes(keyOf(queue, candidate.message))) moveOn(candidate, turn);
    else late.push(candidate);
    if (refusal !== undefined && FOR_ALL.includes(refusal)) break;
  }
  if (!hasRefused) for (const candidate of late) moveOn(candidate, turn);
  if (!hasRefused) {
    if (queue.retryMs > FIRST_RETRY_MS) happened('forwarded after a retry', turn);
    forgetRetry(queue);
    return;
  }
  queue.retryAt = turn.now + queue.retryMs;
  queue.retryMs = Math.min(2 * queue.retryMs, LAST_RETRY_MS);
}

/** What the destination says first: of its own state last that it is full. */
function refusalOf({ queue, message }: Candidate, turn: ModelTurn): string | undefined {
  const target = targetOf({ queue, message }, turn);
  const reasons =
    target === undefined ? ['entity-not-found'] : refusalsOfSend(target, [arrivingAs(message)], turn);
  const isOpen = !reasons.includes('entity-disabled');
  const first = isOpen
    ? (reasons.find((reason) => reason !== 'quota-exceeded') ?? reasons[0])
    : 'entity-disabled';
  if (first !== undefined) happened(`M34 ${message.place} ${first}`, turn);
  return first;
}

function targetOf({ queue, message: { place } }: Candidate, { state }: ModelTurn): Target | undefined {
  return findTarget(state, destinationOf({ queue, place }) ?? '');
}

function moveOn({ queue, message }: Candidate, turn: ModelTurn): void {
  const target = targetOf({ queue, message }, turn);
  if (target === undefined) throw new Error('a message is to go nowhere');
  happened(`M32 ${message.place} to ${target.queue.kind}`, turn);
  if (message.hops === 2) happened('a chain of four', turn);
  target.queue.activeAt = turn.now;
  target.queue.accessedAt = turn.now;
  const [arriving, luggage] = [arrivingAs(message), luggageOf(queue, message)];
  remove(queue, message, turn);
  const entity = topicOf(queue, turn.state) ?? queue;
  accept(target.queue, arriving, luggage, turn, { comesBack: target.queue === entity }); // DUP-08
}

function luggageOf(queue: ModelQueue, message: ModelMessage): Luggage {
  const { isShared, changes, hops, place, submittedNumber = message.number } = message;
  const { invented } = message;
  const { scheduledEnqueueTime: _, ...systemChanges } = message.systemChanges; // TOP-10: it takes effect now
  const { messageId } = systemChanges;
  return {
    invented: messageId === undefined ? invented : { id: messageId ?? undefined }, // TOP-10, MSG-04
    isShared,
    systemChanges,
    changes: { ...changes },
    submittedNumber,
    deadLetterSource: place === 'dead' ? pathOf({ queue, place: 'main' }) : message.deadLetterSource, // DLQ-07
    hops: hops + 1,
  };
}

/** TOP-10: as it was sent and as rules have changed it; the time its sender gave has come. */
function arrivingAs({ content, systemChanges }: ModelMessage): NewMessage {
  const head = readHead(content);
  const { messageId = head.messageId, sessionId = head.sessionId } = systemChanges;
  const { timeToLiveMs = head.timeToLiveMs } = systemChanges;
  return {
    ...head,
    content,
    messageId: messageId ?? undefined,
    sessionId: sessionId ?? undefined,
    timeToLiveMs: timeToLiveMs ?? undefined,
    scheduledEnqueueTime: systemChanges.scheduledEnqueueTime ?? undefined,
  };
}
