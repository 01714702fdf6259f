// Takes a snapshot: all that is stored, as the events of a journal in which no store was ever emptied. Changes nothing.

import type { EntityRecord, StoredEvent } from '../contract/event.js';
import { ServiceBusError } from '../contract/service-bus-error.js';
import { MAX_SNAPSHOT_BYTES, MAX_SNAPSHOT_ROWS, Snapshot } from '../contract/snapshot.js';
import type { Namespace } from '../namespace/namespace.js';
import { PARTITION_COUNT } from '../store/partition.js';
import type { MessageStore, Queue } from '../store/queue.js';
import { entityOf, subscriptionOf, topicOf } from '../topics/topic.js';
import { type CommandOf, inNamespace } from '../turn/handler.js';

const ALL = { from: 0, isNewestFirst: false, wanted: undefined } as const;

export const TAKE_SNAPSHOT = inNamespace(
  (_command: CommandOf<'take-snapshot'>, { namespace }) => {
    checkNoneWaits(namespace);
    checkSize(namespace);
  },
  (_change, _command, { namespace }, turn) => {
    const queues = queuesOf(namespace);
    const stored: StoredEvent[] = queues.map((queue) => ({ kind: 'entity-put', entity: recordOf(queue) }));
    for (const queue of queues) addEventsOf(queue, stored);
    return { kind: 'snapshot', snapshot: new Snapshot(turn.now, stored) };
  },
);

/** TOP-15: how far copies are made is told by store ids, which another broker does not have. */
function checkNoneWaits({ topLevel }: Namespace): void {
  const topic = topLevel.map(topicOf).find((each) => (each?.waiting.log.count ?? 0) > 0);
  if (topic === undefined) return;
  const { name } = topic.description;
  const text = `Copies of ${topic.waiting.log.count} messages of topic '${name}' are still being made. Try again in a few seconds.`;
  throw new ServiceBusError('server-busy', text, { entityPath: name });
}

function checkSize(namespace: Namespace): void {
  let rows = 0;
  let bytes = 0;
  for (const queue of namespace.topLevel) bytes += queue.sizeBytes;
  for (const { log, sessions, kind, queue } of namespace.stores()) {
    rows += log.count + (sessions?.count ?? 0) + (kind === 'main' ? queue.messageIds.count : 0);
  }
  if (rows > MAX_SNAPSHOT_ROWS)
    throw tooLarge('messages, sessions and noted message-ids', rows, MAX_SNAPSHOT_ROWS);
  if (bytes > MAX_SNAPSHOT_BYTES) throw tooLarge('bytes of messages', bytes, MAX_SNAPSHOT_BYTES);
}

function tooLarge(what: string, value: number, limit: number): ServiceBusError {
  const text = `A snapshot may hold ${limit} ${what}, but there are ${value}. Purge what you do not need, or copy the data directory of a stopped emulator.`;
  return new ServiceBusError('quota-exceeded', text, { property: 'snapshot', value, limit });
}

/** Queues and topics, and the subscriptions of each topic behind it in the order of their creation. What is volatile goes with its client. */
function queuesOf({ topLevel }: Namespace): readonly Queue[] {
  const lasting = topLevel.filter(({ isVolatile }) => !isVolatile);
  return lasting.flatMap((queue) => {
    const subscriptions = [...(topicOf(queue)?.subscriptions.values() ?? [])].map((each) => each.queue);
    return [queue, ...subscriptions.filter(({ isVolatile }) => !isVolatile)];
  });
}

function recordOf(queue: Queue): EntityRecord {
  return entityOf(queue).record();
}

function addEventsOf(queue: Queue, stored: StoredEvent[]): void {
  const { main, messageIds, sequenceNumbers, description } = queue;
  for (const { record: rule } of subscriptionOf(queue)?.rules ?? []) {
    stored.push({ kind: 'rule-put', storeId: main.id, rule });
  }
  const partitionCount = description.enablePartitioning ? PARTITION_COUNT : 1;
  for (let partitionId = 0; partitionId < partitionCount; partitionId++) {
    const nextSequenceNumber = sequenceNumbers.upcoming(partitionId);
    stored.push({ kind: 'sequence-put', storeId: main.id, partitionId, nextSequenceNumber });
  }
  for (const store of queue.stores) addMessages(store, stored);
  for (const noted of messageIds.all()) stored.push({ kind: 'message-id-noted', storeId: main.id, noted });
  for (const state of main.sessions?.states() ?? []) {
    stored.push({ kind: 'session-state-put', storeId: main.id, state });
  }
}

/** Locked messages are like available ones: a snapshot has no locks. */
function addMessages({ id: storeId, log }: MessageStore, stored: StoredEvent[]): void {
  for (const message of log.shown(ALL))
    stored.push({ kind: 'message-put', storeId, message: message.record() });
}
