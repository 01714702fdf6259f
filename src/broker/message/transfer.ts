// Messages are sent through one entity to another (TXN-10): what the destination cannot take at once waits in the transfer store
// of the entity it was sent through, and moves on by itself.

import { assert } from '../assert.js';
import type { BrokerParts } from '../broker-parts.js';
import type { MessageStore } from '../entity/message-store.js';
import { entityDisabled, Queue } from '../entity/queue.js';
import { type CommandOf, inStore } from '../handler.js';
import { type Instant, NEVER } from '../instant.js';
import type { Result } from '../result.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { type Arriving, accept, type Luggage } from './accept.js';
import { deadLetter } from './dead-letter.js';
import { type Refused, takerOf } from './destination.js';
import { MESSAGE_STATE, type NewMessage } from './message-properties.js';
import { partitionOf } from './partition.js';
import { checkTakesSends, luggageOf } from './send.js';
import { checkKind } from './send-check.js';
import { StoredMessage } from './stored-message.js';
import { expire, isExpired } from './time-to-live.js';
import type { TransferLog, Waiting } from './transfer-log.js';

/** Transfers that one turn moves; the others follow a millisecond later. */
const MAX_MOVED = 4096;

export const TRANSFER = inStore(checkTransfer, applyTransfer);

type Transfer = CommandOf<'transfer'>;

/** TXN-11: a destination that is not there refuses; one that is full or disabled is the transfer's affair and not the sender's. */
function checkTransfer(
  { queue }: MessageStore,
  { destination, messages, isChecked = false }: Transfer,
  { namespace, limits }: BrokerParts,
): void {
  const via = queue.topLevel;
  if (!via.canSend) throw entityDisabled(via.main.path); // ENT-07
  if (isChecked) return;
  const store = namespace.store(destination);
  checkTakesSends(store);
  checkKind(store.queue, messages, limits);
}

function applyTransfer(
  { queue }: MessageStore,
  _change: unknown,
  { destination, messages }: Transfer,
  parts: BrokerParts,
  turn: TurnInProgress,
): Result {
  const via = queue.topLevel; // TXN-10
  return {
    kind: 'sent',
    sequenceNumbers: messages.map((message) => transferOne(via, destination, message, parts, turn)),
  };
}

/** Answers its number at the destination, or that of its place among those that wait. */
function transferOne(
  via: Queue,
  destination: string,
  message: NewMessage,
  parts: BrokerParts,
  turn: TurnInProgress,
): number {
  const luggage = luggageOf(message, parts);
  const isBehindOthers = via.transfers?.transferLog?.isAwaiting(destination) === true;
  const taker = isBehindOthers ? undefined : takerOf(destination, message, parts);
  if (!(taker instanceof Queue)) return keep(via, destination, { message, luggage }, parts, turn);
  taker.used(turn.now); // IDL-03: as by a send
  const arriving: Arriving = {
    message,
    luggage,
    contentId: undefined,
    comesBack: false,
    sequenceNumber: undefined,
    isKept: false,
  };
  return accept(taker, arriving, parts, turn);
}

/** It moves on, or fails, when the turn ends. */
function keep(
  via: Queue,
  destination: string,
  { message, luggage }: { readonly message: NewMessage; readonly luggage: Luggage },
  parts: BrokerParts,
  turn: TurnInProgress,
): number {
  const store = via.transfers ?? openTransfers(via, parts, turn);
  const { content, viaPartitionKey } = message;
  const isPartitioned = via.description.enablePartitioning && viaPartitionKey !== undefined;
  const partitionId = isPartitioned ? partitionOf(viaPartitionKey) : 0; // PRT-05
  const sequenceNumber = via.sequenceNumbers.take(partitionId);
  turn.numberTaken(via, partitionId);
  const contentId = parts.contentIds.take();
  turn.contentStored(contentId, content);
  const waiting = new StoredMessage({
    ...luggage,
    sequenceNumber,
    enqueuedTime: turn.now,
    expiresAt: expiryOf(message, parts, turn),
    deliveryCount: 0,
    state: MESSAGE_STATE.active,
    schedule: undefined, // its time is looked at where it comes to
    wasScheduled: false,
    sessionId: undefined,
    contentId,
    sizeBytes: content.byteLength,
    destination,
  });
  store.add(waiting);
  via.stored(waiting);
  turn.messagePut(store, waiting);
  turn.touch(store);
  return sequenceNumber;
}

function openTransfers(via: Queue, { namespace }: BrokerParts, turn: TurnInProgress): MessageStore {
  const store = namespace.openTransfers(via);
  if (via.topic === undefined) turn.queuePut(via);
  else turn.events.push({ kind: 'topic-put', topic: via.topic.record() });
  return store;
}

/** By its own time to live alone: that of its destination begins there (TTL-02), and the entity it goes through is not where it stays. */
function expiryOf(
  { timeToLiveMs = NEVER, scheduledEnqueueTime = 0 }: NewMessage,
  { limits }: BrokerParts,
  { now }: TurnInProgress,
): Instant {
  return Math.max(now, scheduledEnqueueTime) + Math.min(timeToLiveMs, limits.maxTimeToLiveMs); // TTL-04
}

/** To be called when something may have changed; each destination is tried when its pause is over. */
export function moveTransfers(
  store: MessageStore,
  transfers: TransferLog,
  parts: BrokerParts,
  turn: TurnInProgress,
): void {
  store.forwardAt = NEVER;
  let room = MAX_MOVED;
  for (const waiting of transfers.all()) {
    if (waiting.retryAt <= turn.now) room -= moveWaiting(store, waiting, room, parts, turn);
    if (waiting.log.count > 0) store.forwardAt = Math.min(store.forwardAt, waiting.retryAt);
  }
}

/** TXN-11: in their order, until the destination is full. Answers how many it has looked at. */
function moveWaiting(
  store: MessageStore,
  waiting: Waiting,
  room: number,
  parts: BrokerParts,
  turn: TurnInProgress,
): number {
  for (let count = 0; count < room && !turn.isFull; count++) {
    const message = waiting.log.takeFirst();
    if (message === undefined) return count;
    store.queue.used(turn.now); // IDL-03: it was in use until now
    if (isExpired(store, message, turn.now)) {
      expire(store, [message], turn);
      continue;
    }
    const refused = move(store, message, parts, turn);
    if (refused === undefined) waiting.forgetRetries();
    else if (!refused.isFull)
      deadLetter(store, message, refused.changes, turn); // DLQ-02, M35
    else {
      store.giveBack(message);
      waiting.retryLater(turn.now);
      return count + 1;
    }
  }
  return room;
}

/** As if it were sent to its destination now. The message is not available. Answers why it could not be moved. */
function move(
  store: MessageStore,
  message: StoredMessage,
  parts: BrokerParts,
  turn: TurnInProgress,
): Refused | undefined {
  const { destination, contentId } = message;
  assert(destination !== undefined, 'a message waits for no destination');
  const arriving = parts.reader.read(parts.contentOf(contentId, turn));
  const taker = takerOf(destination, arriving, parts);
  if (!(taker instanceof Queue)) return taker;
  taker.used(turn.now); // IDL-03
  const given: Arriving = {
    message: arriving,
    luggage: message.record(),
    contentId,
    comesBack: false,
    sequenceNumber: undefined,
    isKept: false,
  };
  accept(taker, given, parts, turn);
  store.log.remove(message);
  store.queue.removed(message);
  turn.messageRemoved(store, message);
  if (message.isShared || !given.isKept) turn.contentLeft(message);
  return undefined;
}
