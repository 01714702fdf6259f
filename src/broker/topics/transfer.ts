// Sends messages through one entity to another (TXN-10). A message that the destination does not accept at once waits in the
// transfer store of the entity it was sent through, and is retried.

import { assert } from '../contract/assert.js';
import { entityDisabled } from '../contract/entities/entity-errors.js';
import { nameKey } from '../contract/entities/entity-path.js';
import { type Instant, NEVER } from '../contract/instant.js';
import { MESSAGE_STATE, type NewMessage, withDetails } from '../contract/message-properties.js';
import type { Result } from '../contract/result.js';
import { type Arriving, accept } from '../queue/accept.js';
import { deadLetter } from '../queue/outcomes.js';
import { checkTakesSends, metadataOf } from '../queue/send.js';
import { checkAcceptable, checkBatchKey } from '../queue/send-check.js';
import { expire } from '../queue/time-to-live.js';
import type { MessageMetadata } from '../store/accepted-message.js';
import { partitionOf } from '../store/partition.js';
import { type MessageStore, Queue } from '../store/queue.js';
import { StoredMessage } from '../store/stored-message.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import { type CommandOf, inStore } from '../turn/handler.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import { findAcceptingQueue, type Refused } from './destination.js';
import { entityOf } from './topic.js';
import { type TransferLog, transferLogOf, type WaitingTransfers } from './transfer-log.js';

export const TRANSFER = inStore(checkTransfer, applyTransfer);

type Transfer = CommandOf<'transfer'>;

/** TXN-11: a missing destination refuses the send. A full or disabled one does not: the transfer waits or is dead-lettered. */
function checkTransfer(
  { queue }: MessageStore,
  { destination, messages, isBatch = false, isChecked = false }: Transfer,
  { namespace, limits }: BrokerParts,
): void {
  const via = queue.topLevel;
  if (!via.allows('send')) throw entityDisabled(via.main.path); // ENT-07
  if (isChecked) return;
  const store = namespace.store(destination);
  checkTakesSends(store);
  checkAcceptable(store.queue, messages, limits);
  if (isBatch) checkBatchKey(store.queue, messages);
}

function applyTransfer(
  { queue }: MessageStore,
  _change: unknown,
  { destination: given, messages }: Transfer,
  parts: BrokerParts,
  turn: TurnInProgress,
): Result {
  const via = queue.topLevel; // TXN-10
  const destination = nameKey(given); // ENT-02: all spellings wait in one line
  return {
    kind: 'sent',
    sequenceNumbers: messages.map((message) => transferOne(via, destination, message, parts, turn)),
  };
}

/** Returns the sequence number at the destination, or the one in the transfer store. */
function transferOne(
  via: Queue,
  destination: string,
  message: NewMessage,
  parts: BrokerParts,
  turn: TurnInProgress,
): number {
  const metadata = metadataOf(message, parts);
  const { transfers } = via;
  const isBehindOthers =
    transfers !== undefined && transferLogOf(transfers)?.isAwaiting(destination) === true;
  const target = isBehindOthers ? undefined : findAcceptingQueue(destination, message, parts);
  if (!(target instanceof Queue)) return storeTransfer(via, destination, { message, metadata }, parts, turn);
  target.used(turn.now); // IDL-03: as by a send
  const arriving: Arriving = {
    message,
    metadata,
    contentId: undefined,
    comesBack: false,
    sequenceNumber: undefined,
    isContentUsed: false,
  };
  return accept(target, arriving, parts, turn);
}

/** Stores a transfer, which is tried when the turn ends. */
function storeTransfer(
  via: Queue,
  destination: string,
  { message, metadata }: { readonly message: NewMessage; readonly metadata: MessageMetadata },
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
    ...metadata,
    sequenceNumber,
    enqueuedTime: turn.now,
    expiresAt: expiryOf(message, parts, turn),
    deliveryCount: 0,
    state: MESSAGE_STATE.active,
    wasScheduled: false,
    sessionId: undefined,
    contentId,
    sizeBytes: content.byteLength,
    details: withDetails(metadata.details, { destination }), // without a schedule: the destination schedules it
  });
  turn.activities?.push({ kind: 'transfer-waiting', path: via.main.path, sequenceNumber, destination });
  store.add(waiting);
  via.stored(waiting);
  turn.messagePut(store, waiting);
  turn.touch(store);
  return sequenceNumber;
}

function openTransfers(via: Queue, { namespace }: BrokerParts, turn: TurnInProgress): MessageStore {
  const store = namespace.openTransfers(via);
  turn.events.push({ kind: 'entity-put', entity: entityOf(via).record() });
  return store;
}

/** Applies only the message's own time to live. The default of the destination begins there (TTL-02), and the default of `via` does not apply. */
function expiryOf(
  { timeToLiveMs = NEVER, scheduledEnqueueTime = 0 }: NewMessage,
  { limits }: BrokerParts,
  { now }: TurnInProgress,
): Instant {
  return Math.max(now, scheduledEnqueueTime) + Math.min(timeToLiveMs, limits.maxTimeToLiveMs); // TTL-04
}

/** Called when anything may have changed. Tries each destination whose retry delay is over. */
export function moveTransfers(
  store: MessageStore,
  transfers: TransferLog,
  parts: BrokerParts,
  turn: TurnInProgress,
): void {
  store.forwardAt = NEVER;
  for (const waiting of transfers.all()) {
    if (waiting.retryAt <= turn.now) moveWaiting(store, waiting, parts, turn);
    if (waiting.log.count > 0) store.forwardAt = Math.min(store.forwardAt, waiting.retryAt);
  }
}

/** TXN-11: moves transfers in their order until the destination, or the turn, is full. */
function moveWaiting(
  store: MessageStore,
  waiting: WaitingTransfers,
  parts: BrokerParts,
  turn: TurnInProgress,
): void {
  while (!turn.isFull) {
    const message = waiting.log.takeFirst();
    if (message === undefined) return;
    store.queue.used(turn.now); // IDL-03: a waiting transfer counts as use
    if (store.isExpired(message, turn.now)) {
      expire(store, [message], turn);
      continue;
    }
    const refused = move(store, message, parts, turn);
    if (refused === undefined) waiting.resetRetries();
    else if (!refused.isFull)
      deadLetter(store, message, refused.changes, turn); // DLQ-02, M35
    else {
      store.giveBack(message);
      waiting.retryLater(turn.now);
      return;
    }
  }
}

/** Sends a message that was taken from its log to its destination. Returns the refusal if it was refused. */
function move(
  store: MessageStore,
  message: StoredMessage,
  parts: BrokerParts,
  turn: TurnInProgress,
): Refused | undefined {
  const { contentId } = message;
  const destination = message.details?.destination;
  assert(destination !== undefined, 'a transfer has no destination');
  const content = parts.loadContent(store, message, turn);
  if (content === undefined) return undefined; // it becomes a dead letter at the end of this sweep
  const arriving = parts.messageReader.read(content);
  const target = findAcceptingQueue(destination, arriving, parts);
  if (!(target instanceof Queue)) return target;
  target.used(turn.now); // IDL-03
  const { sequenceNumber } = message;
  turn.activities?.push({ kind: 'forwarded', path: store.queue.main.path, sequenceNumber, destination });
  const transferred: Arriving = {
    message: arriving,
    metadata: message.metadata,
    contentId,
    comesBack: false,
    sequenceNumber: undefined,
    isContentUsed: false,
  };
  accept(target, transferred, parts, turn);
  store.remove(message);
  store.queue.removed(message);
  turn.messageRemoved(store, message);
  if (message.isShared || !transferred.isContentUsed) turn.contentUnreferenced(message);
  return undefined;
}
