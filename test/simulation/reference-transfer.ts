// What is sent through one entity to another, in the reference model (TXN-10 to TXN-12, DLQ-02).

import type { Command } from '../../src/broker/command.js';
import { MESSAGE_STATE, type NewMessage } from '../../src/broker/message/message-properties.js';
import { partitionOf } from '../../src/broker/message/partition.js';
import { readHead } from './message-content.js';
import { isFull, maySend, refusalsOfSend } from './reference-checks.js';
import { type ExpectedResult, failed } from './reference-expected.js';
import { ANY_TEXT } from './reference-fan-out.js';
import { accept, newLuggage } from './reference-send.js';
import { findTarget, type ModelMessage, type ModelQueue, type Target, topicOf } from './reference-state.js';
import {
  deadLetter,
  expire,
  happened,
  type ModelTurn,
  nextNumber,
  PARTITION_SIZE,
  put,
  reasonOf,
  remove,
} from './reference-turn.js';

const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 30_000;
/** What a destination may be for a while. */
const FOR_NOW: readonly string[] = ['entity-disabled', 'quota-exceeded'];

export function transfer(
  { destination, messages, isChecked = false }: Extract<Command, { kind: 'transfer' }>,
  { queue }: Target,
  turn: ModelTurn,
): ExpectedResult {
  queue.activeAt = turn.now;
  const via = topicOf(queue, turn.state) ?? queue;
  if (!maySend(via)) return failed('entity-disabled'); // ENT-07
  const target = findTarget(turn.state, destination);
  if (!isChecked && target === undefined) return failed('entity-not-found');
  const reasons = target === undefined || isChecked ? [] : refusalsOfSend(target, messages, turn);
  const lasting = reasons.filter((reason) => !FOR_NOW.includes(reason));
  if (lasting.length > 0) return failed(...lasting);
  queue.accessedAt = turn.now;
  const sequenceNumbers = messages.map((message) => transferOne(via, destination, message, turn));
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
  if (waitingFor(via, destination).length === 0) delete via.transferRetries[destination.toLowerCase()];
  const stored: ModelMessage = {
    ...newLuggage(message),
    place: 'transfer',
    number,
    partitionId: enablePartitioning ? Math.floor(number / PARTITION_SIZE) : undefined,
    state: MESSAGE_STATE.active,
    wasScheduled: false,
    enqueuedTime: turn.now,
    expiresAt: Math.max(turn.now, scheduledEnqueueTime ?? 0) + lives,
    schedule: undefined,
    cancelledBy: undefined,
    content,
    sessionId,
    destination,
    count: 0,
    lock: undefined,
    isGone: false,
  };
  via.messages.push(stored);
  put(via, stored, turn);
  return number;
}

function waitingFor({ messages }: ModelQueue, destination: string): readonly ModelMessage[] {
  return messages
    .filter((one) => one.destination?.toLowerCase() === destination.toLowerCase())
    .sort((a, b) => a.number - b.number);
}

/** The first that waits for each destination that may be tried. */
export function firstTransfersOf(via: ModelQueue, now: number): readonly ModelMessage[] {
  return destinationsOf(via)
    .filter((destination) => (via.transferRetries[destination]?.at ?? 0) <= now)
    .flatMap((destination) => waitingFor(via, destination).slice(0, 1));
}

function destinationsOf({ messages }: ModelQueue): readonly string[] {
  const named = messages.map(({ destination }) => destination?.toLowerCase());
  return [...new Set(named)].filter((destination) => destination !== undefined);
}

/** TXN-11. `isRefused`: the broker has not moved it, for which there may have been a reason earlier in the turn. */
export function moveTransfer(
  via: ModelQueue,
  message: ModelMessage,
  { isRefused }: { readonly isRefused: boolean },
  turn: ModelTurn,
): void {
  const { destination = '', content } = message;
  const key = destination.toLowerCase();
  if (message.expiresAt <= turn.now) {
    expire(via, [message], turn);
    return;
  }
  const arriving: NewMessage = { ...readHead(content), content };
  const taker = takerOf(destination, arriving, turn);
  if (taker === 'quota-exceeded' || isRefused) {
    const ms = via.transferRetries[key]?.ms ?? FIRST_RETRY_MS;
    happened('a transfer to a full entity', turn);
    if (ms > FIRST_RETRY_MS) happened('a transfer tried in vain again', turn);
    via.transferRetries[key] = { at: turn.now + ms, ms: Math.min(2 * ms, LAST_RETRY_MS) };
  } else if (typeof taker === 'string') {
    happened(taker === 'entity-disabled' ? 'M35' : `a transfer failed, ${taker}`, turn);
    deadLetter(via, message, reasonOf(ANY_TEXT, ANY_TEXT), turn);
  } else {
    happened(`a transfer moved on to a ${taker.kind}`, turn);
    if (message.enqueuedTime < turn.now) happened('a transfer that had waited moved on', turn);
    via.transferRetries[key] = { at: 0, ms: FIRST_RETRY_MS };
    taker.activeAt = turn.now;
    taker.accessedAt = turn.now;
    const { invented } = message;
    remove(via, message, turn);
    accept(taker, arriving, { ...newLuggage(arriving), invented }, turn);
  }
}

/** Whether what waits first found its destination full. */
export function isDestinationFull({ destination = '' }: ModelMessage, { state, limits }: ModelTurn): boolean {
  const target = findTarget(state, destination);
  return target !== undefined && isFull(target.queue, state, limits);
}

export function nextTransferAt(via: ModelQueue): number {
  return Math.min(...destinationsOf(via).map((destination) => via.transferRetries[destination]?.at ?? 0));
}
