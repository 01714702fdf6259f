// Messages that wait for their time: they become active at the tail of the queue, or are cancelled before (SCH).

import { assert } from '../assert.js';
import type { MessageStore } from '../entity/message-store.js';
import type { Limits } from '../limits.js';
import type { Result } from '../result.js';
import { ServiceBusError } from '../service-bus-error.js';
import type { TurnInProgress } from '../turn-in-progress.js';
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
export function activateDue(store: MessageStore, limits: Limits, turn: TurnInProgress): void {
  const partitionIds = new Set<number>();
  for (let count = 0; count < MAX_ACTIVATED; count++) {
    const message = store.scheduled.takeDue(turn.now);
    if (message === undefined) break;
    partitionIds.add(activate(store, message, limits, turn));
  }
  for (const partitionId of partitionIds) turn.sequencePut(store.queue, partitionId);
  if (partitionIds.size === 0) return;
  store.queue.accessedTime = turn.now; // IDL-03: it was in use until now
  turn.touch(store);
}

/** M4: appended as if it were enqueued now; the number it had means nothing any more (SCH-03). Answers its partition. */
function activate(store: MessageStore, message: StoredMessage, limits: Limits, turn: TurnInProgress): number {
  const { queue } = store;
  const { schedule } = message;
  assert(schedule !== undefined, 'a message without a schedule was due');
  const partitionId = queue.description.enablePartitioning ? partitionIdOf(message.sequenceNumber) : 0;
  const active = new StoredMessage({
    ...message.record(),
    sequenceNumber: queue.sequenceNumbers.take(partitionId),
    enqueuedTime: turn.now,
    expiresAt: expiryOf(queue, schedule.timeToLiveMs, limits, turn.now), // TTL-04
    state: MESSAGE_STATE.active,
    schedule: undefined,
  });
  store.log.remove(message); // SCH-09: it comes but once
  turn.messageRemoved(store, message);
  store.add(active);
  turn.messagePut(store, active);
  return partitionId;
}

/** SCH-06: all are cancelled or none. */
export function cancelScheduled(
  store: MessageStore,
  sequenceNumbers: readonly number[],
  turn: TurnInProgress,
): Result {
  const messages = sequenceNumbers.map((sequenceNumber) => findScheduled(store, sequenceNumber));
  if (new Set(messages).size < messages.length) throw notScheduled(store, sequenceNumbers);
  for (const message of messages) {
    store.scheduled.remove(message);
    removeMessage(store, message, turn); // M5
  }
  if (messages.length > 0) turn.touch(store);
  return { kind: 'done' };
}

function findScheduled(store: MessageStore, sequenceNumber: number): StoredMessage {
  const message = store.log.find(sequenceNumber);
  if (message?.state === MESSAGE_STATE.scheduled) return message; // SCH-07: else it is too late
  throw notScheduled(store, [sequenceNumber]);
}

function notScheduled(store: MessageStore, sequenceNumbers: readonly number[]): ServiceBusError {
  const text =
    `No message is scheduled under sequence number ${shown(sequenceNumbers)}: ` +
    'there never was one, it was named twice, or it has been cancelled or enqueued since.';
  return new ServiceBusError('message-not-found', text, store.path);
}

function shown(sequenceNumbers: readonly number[]): string {
  const some = sequenceNumbers.slice(0, MAX_SHOWN).join(', ');
  return sequenceNumbers.length > MAX_SHOWN ? `${some}, ...` : some;
}
