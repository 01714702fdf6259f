// Encodes the rows of queues, topics and subscriptions as JSON, in which infinity is `{"never":true}`.

import type { EntityType } from '../../../broker/contract/entities/entity.js';
import { describeQueue, type QueueDescription } from '../../../broker/contract/entities/queue-description.js';
import type { Subscriber } from '../../../broker/contract/entities/subscriber.js';
import {
  describeSubscription,
  describeTopic,
  type SubscriptionDescription,
  type TopicDescription,
} from '../../../broker/contract/entities/topic-description.js';
import type { EntityRecord } from '../../../broker/contract/event.js';
import { isCount, isInstant, isObject, parseObject } from './json-row.js';

/** Leaves out the type, because the key has it. */
export function writeEntity({ type: _, ...row }: EntityRecord): string {
  return JSON.stringify(row, (_key, value) => (value === Number.POSITIVE_INFINITY ? { never: true } : value));
}

/** Reads an entity. Here and in the other readers, properties that earlier versions did not write get their defaults. */
export function readEntity(type: EntityType, row: string): EntityRecord | undefined {
  const value = parseEntity(row);
  if (!isRow(value)) return undefined;
  const { name } = value.description;
  switch (type) {
    case 'queue':
      return { ...value, type, description: describeQueue(name, value.description) };
    case 'topic':
      return { ...value, type, description: describeTopic(name, value.description) };
    case 'subscription': {
      const { topicStoreId } = value;
      if (!isCount(topicStoreId)) return undefined;
      return { ...value, type, topicStoreId, description: describeSubscription(name, value.description) };
    }
  }
}

function parseEntity(row: string): unknown {
  return parseObject(row, (_key, inner) => (inner?.never === true ? Number.POSITIVE_INFINITY : inner));
}

type Described = QueueDescription & TopicDescription & SubscriptionDescription;

type Row = Omit<EntityRecord, 'type' | 'description'> & {
  readonly description: { readonly name: string } & Partial<Omit<Described, 'name'>>;
  readonly topicStoreId?: unknown;
  readonly subscriber?: Subscriber;
};

/** Whether it can be read, or is not there. */
function isSubscriber(value: unknown): boolean {
  if (value === undefined) return true;
  if (!isObject(value)) return false;
  const { name, clientId, isDurable, isShared, selector } = value;
  const isSharing = isShared === undefined || typeof isShared === 'boolean';
  if (selector !== undefined && typeof selector !== 'string') return false;
  const isNamed = typeof name === 'string' && typeof clientId === 'string';
  return isNamed && typeof isDurable === 'boolean' && isSharing;
}

function isRow(value: unknown): value is Row {
  if (!isObject(value) || !isObject(value.description)) return false;
  const { createdTime, updatedTime, storeId, deadLetterStoreId } = value;
  const { transferStoreId, transferDeadLetterStoreId } = value;
  const hasTransfers = isCount(transferStoreId) && isCount(transferDeadLetterStoreId);
  if (!hasTransfers && (transferStoreId ?? transferDeadLetterStoreId) !== undefined) return false; // both or none
  if (value.isVolatile !== undefined && value.isVolatile !== true) return false;
  if (!isSubscriber(value.subscriber)) return false;
  const isTimed = isInstant(createdTime) && isInstant(updatedTime);
  return (
    typeof value.description.name === 'string' && isTimed && isCount(storeId) && isCount(deadLetterStoreId)
  );
}
