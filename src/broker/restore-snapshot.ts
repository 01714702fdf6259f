// Restores a snapshot in a running broker: a reset, then everything is put back. It is no command of a single handler, because it ends
// transactions.
//
// All times move by the time that has passed since the snapshot: what had ten minutes left has ten minutes left. Links to entities that
// stay are kept, with the sessions that they hold.

import { assert } from './contract/assert.js';
import { type DescribedEntity, FIXED_PROPERTIES, pathOf } from './contract/entities/entity.js';
import { nameKey } from './contract/entities/entity-path.js';
import type { EntityRecord, MessageRecord, StoredEvent, TransferStores } from './contract/event.js';
import type { MessageDetails } from './contract/message-properties.js';
import { withDetails } from './contract/message-properties.js';
import type { Result } from './contract/result.js';
import { purgeStores } from './control/purge.js';
import { deleteEntity } from './namespace/delete-entity.js';
import { watchIdle } from './namespace/due-work.js';
import { newRecord, updateEntity } from './namespace/put-entity.js';
import { putState } from './sessions/session-commands.js';
import type { MessageStore, Queue } from './store/queue.js';
import { StoredMessage } from './store/stored-message.js';
import { type CheckedRule, setRules } from './topics/subscription-rules.js';
import { entityOf, subscriptionOf } from './topics/topic.js';
import { rollBackAll } from './transactions/discharge.js';
import type { BrokerParts } from './turn/broker-parts.js';
import type { CommandOf } from './turn/handler.js';
import type { TurnInProgress } from './turn/turn-in-progress.js';

type RestoreSnapshot = CommandOf<'restore-snapshot'>;

type Restoring = Omit<RestoreSnapshot, 'kind'> & {
  readonly parts: BrokerParts;
  readonly turn: TurnInProgress;
  /** The time since the snapshot. */
  readonly passedMs: number;
  /** The stores by their ids in the snapshot. */
  readonly stores: Map<number, MessageStore>;
  /** The new ids of contents by their ids in the snapshot. */
  readonly contentIds: Map<number, number>;
};

/** An entity of the snapshot, with the name of its topic. */
type Wanted = { readonly record: EntityRecord; readonly described: DescribedEntity };

export function restoreSnapshot(command: RestoreSnapshot, parts: BrokerParts, turn: TurnInProgress): Result {
  const { snapshot, contents } = command;
  const passedMs = turn.now - snapshot.takenAt;
  const restoring = { snapshot, contents, parts, turn, passedMs, stores: new Map(), contentIds: new Map() };
  rollBackAll('A snapshot was restored.', parts, turn);
  purgeStores([...parts.namespace.stores()], parts, turn);
  putEntities(restoring);
  putRules(restoring);
  for (const event of snapshot.stored) putBack(event, restoring);
  for (const { queue } of restoring.stores.values()) {
    queue.messageIds.sort();
    queue.keepFromIdling(turn.now);
    queue.isUsed ||= queue.sequenceNumbers.haveBegun;
    watchIdle(queue);
  }
  for (const store of parts.namespace.stores()) turn.touch(store);
  return { kind: 'restored', count: snapshot.stored.filter(({ kind }) => kind === 'message-put').length };
}

/** Deletes entities that the snapshot lacks, or has with another fixed property, and puts all of its own. */
function putEntities(restoring: Restoring): void {
  const { parts, turn } = restoring;
  const { namespace } = parts;
  const wanted = entitiesOf(restoring);
  for (const queue of [...namespace.queues()]) {
    if (!namespace.holds(queue.main)) continue; // deleted with its topic
    const found = wanted.get(nameKey(queue.main.path));
    if (found === undefined || !canBecome(queue, found)) deleteEntity(queue, parts, turn);
  }
  for (const { record, described } of wanted.values()) putEntity(record, described, restoring);
}

/** By their paths; topics come before their subscriptions. */
function entitiesOf({ snapshot }: Restoring): ReadonlyMap<string, Wanted> {
  const topicNames = new Map<number, string>();
  const wanted = new Map<string, Wanted>();
  for (const event of snapshot.stored) {
    if (event.kind !== 'entity-put') continue;
    const { entity: record } = event;
    if (record.type === 'topic') topicNames.set(record.storeId, record.description.name);
    const described = describedEntity(record, topicNames);
    wanted.set(nameKey(pathOf(described)), { record, described });
  }
  return wanted;
}

function describedEntity(record: EntityRecord, topicNames: ReadonlyMap<number, string>): DescribedEntity {
  switch (record.type) {
    case 'queue':
      return { type: record.type, description: record.description };
    case 'topic':
      return { type: record.type, description: record.description };
    case 'subscription': {
      const topicName = topicNames.get(record.topicStoreId);
      assert(topicName !== undefined, 'a snapshot has a subscription without its topic');
      return { type: record.type, topicName, description: record.description };
    }
  }
}

function canBecome(queue: Queue, { record, described: { type, description } }: Wanted): boolean {
  if (queue.type !== type) return false;
  const subscriber = 'subscriber' in record ? record.subscriber : undefined;
  const existing = subscriptionOf(queue)?.subscriber;
  if (existing?.isShared !== subscriber?.isShared || existing?.selector !== subscriber?.selector)
    return false;
  const present: Readonly<Record<string, unknown>> = entityOf(queue).description;
  const wanted: typeof present = description;
  return FIXED_PROPERTIES[type].every((name) => present[name] === wanted[name]);
}

function putEntity(record: EntityRecord, described: DescribedEntity, restoring: Restoring): void {
  const { parts, turn, stores } = restoring;
  const { namespace } = parts;
  const { transferStoreId, transferDeadLetterStoreId }: TransferStores =
    record.type === 'subscription' ? {} : record;
  const existing = namespace.findEntity(pathOf(described));
  if (existing !== undefined) updateEntity(existing, record.description, parts, turn);
  const queue = existing ?? createEntity(record, described, restoring);
  if (transferStoreId !== undefined && queue.transfers === undefined) {
    namespace.openTransfers(queue);
    turn.events.push({ kind: 'entity-put', entity: entityOf(queue).record() });
  }
  stores.set(record.storeId, queue.main).set(record.deadLetterStoreId, queue.deadLetters);
  const { transfers, transferDeadLetters } = queue;
  if (transferStoreId !== undefined && transfers !== undefined) stores.set(transferStoreId, transfers);
  if (transferDeadLetterStoreId !== undefined) stores.set(transferDeadLetterStoreId, transferDeadLetters);
}

function createEntity(
  record: EntityRecord,
  described: DescribedEntity,
  { parts, turn, passedMs }: Restoring,
): Queue {
  const { createdTime, updatedTime } = record;
  const times = { createdTime: createdTime + passedMs, updatedTime: updatedTime + passedMs };
  const jms = 'subscriber' in record ? { subscriber: record.subscriber } : undefined;
  const entity = { ...newRecord(described, parts.namespace, turn.now), ...times, ...jms };
  turn.activities?.push({ kind: 'entity-created', entity: described.type, path: pathOf(described) });
  turn.events.push({ kind: 'entity-put', entity });
  return parts.namespace.add(entity);
}

function putRules({ snapshot, stores, parts, turn }: Restoring): void {
  const rules = new Map<MessageStore, CheckedRule[]>();
  for (const store of stores.values()) {
    if (store.kind === 'main' && store.queue.type === 'subscription') rules.set(store, []);
  }
  for (const event of snapshot.stored) {
    if (event.kind !== 'rule-put') continue;
    const { description } = event.rule;
    rules
      .get(at(event.storeId, stores))
      ?.push({ description, compiled: parts.ruleCompiler.rule(description) });
  }
  for (const [store, given] of rules) {
    const subscription = subscriptionOf(store.queue);
    if (subscription !== undefined) setRules(subscription, given, turn);
  }
}

function putBack(event: StoredEvent, restoring: Restoring): void {
  const { stores, turn, passedMs } = restoring;
  switch (event.kind) {
    case 'message-put':
      putMessage(at(event.storeId, stores), event.message, restoring);
      return;
    case 'sequence-put': {
      const { queue } = at(event.storeId, stores);
      const { partitionId, nextSequenceNumber } = event;
      const upcoming = queue.sequenceNumbers.upcoming(partitionId);
      if (nextSequenceNumber <= upcoming) return; // SEQ-11
      queue.sequenceNumbers.resume(partitionId, nextSequenceNumber);
      turn.numberTaken(queue, partitionId);
      return;
    }
    case 'message-id-noted': {
      const store = at(event.storeId, stores);
      const noted = { ...event.noted, acceptedAt: event.noted.acceptedAt + passedMs };
      store.queue.messageIds.note(noted);
      turn.events.push({ kind: 'message-id-noted', storeId: store.rowsId, noted });
      return;
    }
    case 'session-state-put': {
      const store = at(event.storeId, stores);
      const updatedTime = event.state.updatedTime + passedMs;
      const state = { ...event.state, updatedTime, contentId: contentFor(event.state.contentId, restoring) };
      putState(store, state);
      turn.events.push({ kind: 'session-state-put', storeId: store.rowsId, state });
      return;
    }
    case 'entity-put':
    case 'rule-put':
      return; // put before
    case 'store-emptied':
    case 'rows-discarded':
    case 'import-marked':
      assert(false, 'a snapshot has no rows of emptied stores and no marks of imports');
      return;
    default:
      event satisfies never;
  }
}

function putMessage(store: MessageStore, given: MessageRecord, restoring: Restoring): void {
  const { turn, passedMs } = restoring;
  const record: MessageRecord = {
    ...given,
    enqueuedTime: given.enqueuedTime + passedMs,
    expiresAt: given.expiresAt + passedMs,
    sessionId: store.sessionIdFor(given.sessionId),
    contentId: contentFor(given.contentId, restoring),
    details: given.details && movedDetails(given.details, passedMs),
  };
  const message = new StoredMessage(record);
  store.add(message);
  store.queue.stored(message);
  turn.contentReferenced(message);
  turn.messagePut(store, message, record);
}

function movedDetails(details: MessageDetails, passedMs: number): MessageDetails | undefined {
  const { schedule, deadLetteredAt, systemChanges } = details;
  const scheduled = systemChanges?.scheduledEnqueueTime;
  return withDetails(details, {
    ...(schedule && { schedule: { ...schedule, enqueueAt: schedule.enqueueAt + passedMs } }),
    ...(deadLetteredAt !== undefined && { deadLetteredAt: deadLetteredAt + passedMs }),
    ...(typeof scheduled === 'number' && {
      systemChanges: { ...systemChanges, scheduledEnqueueTime: scheduled + passedMs },
    }),
  });
}

/** The new id of a content. It is stored with the first message that names it. */
function contentFor(formerId: number, { contents, contentIds, parts, turn }: Restoring): number {
  const known = contentIds.get(formerId);
  if (known !== undefined) return known;
  const content = contents.get(formerId);
  assert(content !== undefined, 'a snapshot lacks a content');
  const contentId = parts.contentIds.take();
  contentIds.set(formerId, contentId);
  turn.contentStored(contentId, content);
  return contentId;
}

function at(storeId: number, stores: ReadonlyMap<number, MessageStore>): MessageStore {
  const store = stores.get(storeId);
  assert(store !== undefined, 'a snapshot names a store that belongs to no entity');
  return store;
}
