// Messages that wait for their time: they become active at the tail of the queue, or are cancelled before (SCH).

import { assert } from '../assert.js';
import type { BrokerParts } from '../broker-parts.js';
import type { MessageStore } from '../entity/message-store.js';
import type { Topic } from '../entity/topic.js';
import { type CommandOf, inStore } from '../handler.js';
import type { Result } from '../result.js';
import { ServiceBusError } from '../service-bus-error.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { fanOut } from './fan-out.js';
import { MESSAGE_STATE } from './message-properties.js';
import { partitionIdOf } from './partition.js';
import { removeMessage } from './removal.js';
import { StoredMessage } from './stored-message.js';
import { expiryOf } from './time-to-live.js';

/** Sequence numbers that the text of an error repeats. */
const MAX_SHOWN = 5;
/** Messages that one turn enqueues; others that are due come in the next, a millisecond later. */
const MAX_ACTIVATED = 8192;

/** SCH-02, also into a queue that is disabled (SCH-11). */
export function activateDue(store: MessageStore, parts: BrokerParts, turn: TurnInProgress): void {
  let count = 0;
  for (; count < MAX_ACTIVATED && !turn.isFull; count++) {
    const message = store.scheduled.takeDue(turn.now);
    if (message === undefined) break;
    activate(store, message, parts, turn);
  }
  if (count === 0) return;
  store.queue.used(turn.now); // IDL-03: it was in use until now
  turn.touch(store);
}

/** M4: appended as if it were enqueued now; the number it had means nothing any more (SCH-03). */
function activate(
  store: MessageStore,
  message: StoredMessage,
  parts: BrokerParts,
  turn: TurnInProgress,
): void {
  const { queue } = store;
  const { schedule } = message;
  assert(schedule !== undefined, 'a message without a schedule was due');
  const partitionId = queue.description.enablePartitioning ? partitionIdOf(message.sequenceNumber) : 0;
  const sequenceNumber = queue.sequenceNumbers.take(partitionId);
  turn.numberTaken(queue, partitionId);
  store.log.remove(message); // SCH-09: it comes but once
  turn.messageRemoved(store, message);
  if (queue.topic !== undefined) {
    const { timeToLiveMs } = schedule;
    activateAtTopic(queue.topic, message, { sequenceNumber, timeToLiveMs }, parts, turn);
    queue.removed(message);
    return;
  }
  const active = new StoredMessage({
    ...message.record(),
    sequenceNumber,
    enqueuedTime: turn.now,
    expiresAt: expiryOf(queue, schedule.timeToLiveMs, parts.limits, turn.now), // TTL-04
    state: MESSAGE_STATE.active,
    schedule: undefined,
    wasScheduled: true, // MSG-09
  });
  store.add(active);
  turn.messagePut(store, active);
}

/** SCH-08: by the subscriptions and rules of now. */
function activateAtTopic(
  topic: Topic,
  message: StoredMessage,
  given: { readonly sequenceNumber: number; readonly timeToLiveMs: number },
  parts: BrokerParts,
  turn: TurnInProgress,
): void {
  const { contentId, sizeBytes } = message;
  const content = parts.reader.read(parts.contentOf(contentId, turn));
  const { sessionId } = content;
  const luggage = message.record();
  const accepted = { ...given, contentId, sizeBytes, sessionId, luggage, wasScheduled: true };
  const isKept = fanOut(topic, accepted, { open: () => content, keepContent() {} }, parts, turn);
  if (message.isShared || !isKept) turn.contentLeft(message);
}

/** SCH-06: all are cancelled or none. */
export const CANCEL_SCHEDULED = inStore(checkCancel, applyCancel);

function checkCancel(
  store: MessageStore,
  { sequenceNumbers }: CommandOf<'cancel-scheduled'>,
  { claims }: BrokerParts,
): readonly StoredMessage[] {
  const messages = sequenceNumbers.map((sequenceNumber) => findScheduled(store, sequenceNumber));
  const isTwice = new Set(messages).size < messages.length || messages.some((message) => claims.has(message));
  if (isTwice) throw notScheduled(store, sequenceNumbers);
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
    removeMessage(store, message, turn); // M5
  }
  if (messages.length > 0) turn.touch(store);
  return { kind: 'done' };
}

function findScheduled(store: MessageStore, sequenceNumber: number): StoredMessage {
  const message = store.log.find(sequenceNumber);
  const isWaiting = message?.state === MESSAGE_STATE.scheduled && !store.scheduled.isPinned(message);
  if (isWaiting) return message; // SCH-07: else it is too late
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
