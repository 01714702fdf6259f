// Converts the events of entities and rules to rows and back. These rows are few and come first at recovery.

import type { EntityType } from '../../../broker/contract/entities/entity.js';
import type { RemovedStores, StoredEvent } from '../../../broker/contract/event.js';
import type { JournalEvent } from '../../../engine/ports.js';
import { readEntity, writeEntity } from './entity-values.js';
import * as keys from './keys.js';
import type { RowWriter } from './row-writer.js';
import { readStoredRule, writeRule } from './rule-values.js';

type EntityEvent = Extract<
  JournalEvent,
  { kind: 'entity-put' | 'entity-removed' | 'rule-put' | 'rule-removed' }
>;

const ENTITY_KEY: Readonly<Record<EntityType, (storeId: number) => string>> = {
  queue: keys.queueKey,
  topic: keys.topicKey,
  subscription: keys.subscriptionKey,
};

export function writeEntityEvent(batch: RowWriter, event: EntityEvent): void {
  switch (event.kind) {
    case 'entity-put': {
      const { entity } = event;
      batch.put(ENTITY_KEY[entity.type](entity.storeId), writeEntity(entity));
      return;
    }
    case 'entity-removed':
      batch.del(ENTITY_KEY[event.type](event.storeId));
      removeCounters(batch, event);
      return;
    case 'rule-put': {
      const key = keys.ruleKey(event.storeId, event.rule.description.name);
      batch.put(key, writeRule(event.rule)); // TOP-11
      return;
    }
    case 'rule-removed':
      batch.del(keys.ruleKey(event.storeId, event.name));
      return;
    default:
      event satisfies never;
  }
}

/** Removes the counters of an entity. All its other rows are removed by events of their own. */
function removeCounters(batch: RowWriter, { storeId, isPartitioned }: RemovedStores): void {
  const count = isPartitioned ? keys.COUNTERS_PER_STORE : 1;
  for (let partitionId = 0; partitionId < count; partitionId++) {
    batch.del(keys.sequenceKey(storeId, partitionId));
  }
}

/** Returns undefined if this version does not write such a row. */
export function readEntityRow(key: string, row: string): StoredEvent | undefined {
  const entity = readEntity(typeOfRow(key), row);
  if (entity === undefined || ENTITY_KEY[entity.type](entity.storeId) !== key) return undefined;
  return { kind: 'entity-put', entity };
}

function typeOfRow(key: string): EntityType {
  if (key.startsWith(keys.ROW_KIND.topic)) return 'topic';
  return key.startsWith(keys.ROW_KIND.subscription) ? 'subscription' : 'queue';
}

export function readRuleRow(key: string, row: string): StoredEvent | undefined {
  const rule = readStoredRule(row);
  const storeId = rule && keys.parseRuleKey(key, rule.description.name);
  return rule && storeId !== undefined ? { kind: 'rule-put', storeId, rule } : undefined;
}
