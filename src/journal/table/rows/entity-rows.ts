// Converts the events of entities and rules to rows and back. These rows are few and come first at recovery.

import type { RemovedStores, StoredEvent } from '../../../broker/event.js';
import type { JournalEvent } from '../../../engine/ports.js';
import { readQueue, readSubscription, readTopic, writeEntity } from './entity-values.js';
import * as keys from './keys.js';
import type { RowWriter } from './row-writer.js';
import { readStoredRule, writeRule } from './rule-values.js';

type EntityRemoved = Extract<
  JournalEvent,
  { kind: 'queue-removed' | 'topic-removed' | 'subscription-removed' }
>;

const ENTITY_REMOVED: ReadonlySet<JournalEvent['kind']> = new Set<EntityRemoved['kind']>([
  'queue-removed',
  'topic-removed',
  'subscription-removed',
]);

type EntityEvent = Extract<
  JournalEvent,
  { kind: 'queue-put' | 'topic-put' | 'subscription-put' | 'rule-put' | 'rule-removed' } | EntityRemoved
>;

export function isRemovalOfEntity(event: JournalEvent): event is EntityRemoved {
  return ENTITY_REMOVED.has(event.kind);
}

export function writeEntityEvent(batch: RowWriter, event: EntityEvent): void {
  switch (event.kind) {
    case 'queue-put':
      batch.put(keys.queueKey(event.queue.storeId), writeEntity(event.queue));
      return;
    case 'topic-put':
      batch.put(keys.topicKey(event.topic.storeId), writeEntity(event.topic));
      return;
    case 'subscription-put': {
      const { subscription } = event;
      batch.put(keys.subscriptionKey(subscription.storeId), writeEntity(subscription));
      return;
    }
    case 'rule-put': {
      const key = keys.ruleKey(event.storeId, event.rule.description.name);
      batch.put(key, writeRule(event.rule)); // TOP-11
      return;
    }
    case 'rule-removed':
      batch.del(keys.ruleKey(event.storeId, event.name));
      return;
    case 'queue-removed':
      batch.del(keys.queueKey(event.storeId));
      removeCounters(batch, event);
      return;
    case 'topic-removed':
      batch.del(keys.topicKey(event.storeId));
      removeCounters(batch, event);
      return;
    case 'subscription-removed':
      batch.del(keys.subscriptionKey(event.storeId));
      removeCounters(batch, event);
      return;
    default:
      event satisfies never;
  }
}

/** Only counters need this: all other rows of an entity are removed by their own events. */
function removeCounters(batch: RowWriter, { storeId, isPartitioned }: RemovedStores): void {
  const count = isPartitioned ? keys.COUNTERS_PER_STORE : 1;
  for (let partitionId = 0; partitionId < count; partitionId++) {
    batch.del(keys.sequenceKey(storeId, partitionId));
  }
}

/** Returns undefined when this version does not write such a row. */
export function readEntityRow(key: string, row: string): StoredEvent | undefined {
  if (key.startsWith(keys.ROW_KIND.topic)) {
    const topic = readTopic(row);
    return topic && keys.parseTopicKey(key) === topic.storeId ? { kind: 'topic-put', topic } : undefined;
  }
  if (key.startsWith(keys.ROW_KIND.subscription)) {
    const subscription = readSubscription(row);
    const isItsKey = subscription && keys.parseTopicKey(key) === subscription.storeId;
    return isItsKey ? { kind: 'subscription-put', subscription } : undefined;
  }
  const queue = readQueue(row);
  return queue && keys.parseStoreKey(key) === queue.storeId ? { kind: 'queue-put', queue } : undefined;
}

export function readRuleRow(key: string, row: string): StoredEvent | undefined {
  const rule = readStoredRule(row);
  const storeId = rule && keys.parseRuleKey(key, rule.description.name);
  return rule && storeId !== undefined ? { kind: 'rule-put', storeId, rule } : undefined;
}
