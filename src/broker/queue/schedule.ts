// Scheduled messages: at their time they become active at the tail of the queue, unless they are cancelled first (SCH).

import { assert } from '../contract/assert.js';
import { MESSAGE_STATE, withDetails } from '../contract/message-properties.js';
import type { Result } from '../contract/result.js';
import { ServiceBusError } from '../contract/service-bus-error.js';
import { partitionIdOf } from '../store/partition.js';
import type { MessageStore, Queue } from '../store/queue.js';
import { StoredMessage } from '../store/stored-message.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import { type CommandOf, inStore } from '../turn/handler.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import type { CopiesToStore } from './accept.js';
import { checkNamedCount } from './named-messages.js';
import { removeMessage } from './outcomes.js';
import { expiryOf } from './time-to-live.js';

/** Sequence numbers that an error text lists. */
const MAX_SHOWN = 5;
/** SCH-02: activates the messages that are due, until the turn is full. Messages of a disabled topic stay scheduled (SCH-11). */
export function activateDue(store: MessageStore, parts: BrokerParts, turn: TurnInProgress): void {
  if (!store.queue.allows('enqueue')) return;
  if (store.scheduled.next > turn.now) return;
  while (!turn.isFull) {
    const message = store.scheduled.takeDue(turn.now);
    if (message === undefined) break;
    activate(store, message, parts, turn);
  }
  store.queue.used(turn.now); // IDL-03: it was in use until now
  turn.touch(store);
}

/**
 * M4: appends the message as if it were enqueued now. Its old sequence number becomes invalid (SCH-03). It must no longer be among
 * the scheduled ones. Returns false if its content cannot be read; the turn then makes a dead letter of it.
 */
export function activate(
  store: MessageStore,
  message: StoredMessage,
  parts: BrokerParts,
  turn: TurnInProgress,
): boolean {
  const { queue } = store;
  const schedule = message.details?.schedule;
  assert(schedule !== undefined, 'a message without a schedule was due');
  const isOfTopic = queue.owner?.kind === 'topic';
  const content = isOfTopic ? parts.loadContent(store, message, turn) : undefined;
  if (isOfTopic && content === undefined) return false;
  const partitionId = queue.description.enablePartitioning ? partitionIdOf(message.sequenceNumber) : 0;
  const sequenceNumber = queue.sequenceNumbers.take(partitionId);
  turn.numberTaken(queue, partitionId);
  store.remove(message); // SCH-09: it is activated only once
  turn.messageRemoved(store, message);
  turn.activities?.push({
    kind: 'activated',
    path: store.path,
    sequenceNumber,
    scheduledNumber: message.sequenceNumber,
  });
  if (content !== undefined) {
    const { timeToLiveMs } = schedule;
    activateAtTopic(queue, message, content, { sequenceNumber, timeToLiveMs }, parts, turn);
    queue.removed(message);
    return true;
  }
  const record = message.record();
  const active = new StoredMessage({
    ...record,
    sequenceNumber,
    enqueuedTime: turn.now,
    expiresAt: expiryOf(queue, schedule.timeToLiveMs, parts.limits, turn.now), // TTL-04
    state: MESSAGE_STATE.active,
    wasScheduled: true, // MSG-09
    details: withDetails(record.details, { schedule: undefined }),
  });
  store.add(active);
  turn.messagePut(store, active);
  return true;
}

/** SCH-08: copies the message according to the present subscriptions and rules. */
function activateAtTopic(
  intake: Queue,
  message: StoredMessage,
  bytes: Uint8Array,
  numbered: { readonly sequenceNumber: number; readonly timeToLiveMs: number },
  parts: BrokerParts,
  turn: TurnInProgress,
): void {
  const { contentId, sizeBytes, metadata } = message;
  const content = parts.messageReader.read(bytes);
  const { sessionId } = content;
  const arrived = { contentId, sizeBytes, sessionId, enqueuedTime: turn.now, wasScheduled: true };
  const fanOutContent = { open: () => content.properties, keepContent() {} };
  const copies: CopiesToStore[] = [];
  const isUsed = parts.fanOut(
    intake,
    { ...numbered, ...arrived, metadata },
    fanOutContent,
    copies,
    parts,
    turn,
  );
  parts.storeCopies(intake, copies, parts.limits, turn);
  if (message.isShared || !isUsed) turn.contentUnreferenced(message);
}

/** SCH-06: cancels all messages or none. */
export const CANCEL_SCHEDULED = inStore(checkCancel, applyCancel);

function checkCancel(
  store: MessageStore,
  { sequenceNumbers }: CommandOf<'cancel-scheduled'>,
  { claims }: BrokerParts,
): readonly StoredMessage[] {
  checkNamedCount(store, 'sequenceNumbers', sequenceNumbers.length);
  const messages = sequenceNumbers.map((sequenceNumber) => findScheduled(store, sequenceNumber));
  const hasDuplicates =
    new Set(messages).size < messages.length || messages.some((message) => claims.has(message));
  if (hasDuplicates) throw notScheduled(store, sequenceNumbers);
  for (const message of messages) {
    claims.take(message);
    claims.addBytes(store.queue, -message.sizeBytes);
  }
  return messages;
}

function applyCancel(
  store: MessageStore,
  messages: readonly StoredMessage[],
  _command: CommandOf<'cancel-scheduled'>,
  _parts: BrokerParts,
  turn: TurnInProgress,
): Result {
  for (const message of messages) {
    store.scheduled.remove(message);
    const { sequenceNumber } = message;
    turn.activities?.push({ kind: 'cancelled', path: store.path, sequenceNumber });
    removeMessage(store, message, turn); // M5
  }
  if (messages.length > 0) turn.touch(store);
  return { kind: 'done' };
}

function findScheduled(store: MessageStore, sequenceNumber: number): StoredMessage {
  const message = store.log.find(sequenceNumber);
  const isWaiting = message?.state === MESSAGE_STATE.scheduled && !store.scheduled.isPinned(message);
  if (isWaiting) return message; // SCH-07: otherwise it is too late
  throw notScheduled(store, [sequenceNumber]);
}

function notScheduled(store: MessageStore, sequenceNumbers: readonly number[]): ServiceBusError {
  const text =
    `No message is scheduled under sequence number ${shown(sequenceNumbers)}: ` +
    'there never was one, it was named twice, or it has been cancelled or enqueued since.';
  const data = { entityPath: store.path, property: 'sequenceNumbers', value: sequenceNumbers };
  return new ServiceBusError('message-not-found', text, data);
}

function shown(sequenceNumbers: readonly number[]): string {
  const some = sequenceNumbers.slice(0, MAX_SHOWN).join(', ');
  return sequenceNumbers.length > MAX_SHOWN ? `${some}, ...` : some;
}
