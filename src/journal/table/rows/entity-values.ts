// Encodes the rows of queues, topics and subscriptions as JSON, in which infinity is `{"never":true}`.

import { describeQueue } from '../../../broker/entities/queue-description.js';
import { describeSubscription, describeTopic } from '../../../broker/entities/topic-description.js';
import type { QueueRecord, SubscriptionRecord, TopicRecord } from '../../../broker/event.js';
import { isCount, isInstant, isObject, parseObject } from './json-row.js';

type EntityRecord = QueueRecord | TopicRecord | SubscriptionRecord;

export function writeEntity(entity: EntityRecord): string {
  return JSON.stringify(entity, (_key, value) =>
    value === Number.POSITIVE_INFINITY ? { never: true } : value,
  );
}

/** Properties that earlier versions did not write get their defaults, here and in the other readers. */
export function readQueue(row: string): QueueRecord | undefined {
  const value = parseEntity(row);
  if (!isRecord<QueueRecord>(value)) return undefined;
  return { ...value, description: describeQueue(value.description.name, value.description) };
}

export function readTopic(row: string): TopicRecord | undefined {
  const value = parseEntity(row);
  if (!isRecord<TopicRecord>(value)) return undefined;
  return { ...value, description: describeTopic(value.description.name, value.description) };
}

export function readSubscription(row: string): SubscriptionRecord | undefined {
  const value = parseEntity(row);
  if (!isRecord<SubscriptionRecord>(value) || !isCount(value.topicStoreId)) return undefined;
  return { ...value, description: describeSubscription(value.description.name, value.description) };
}

function parseEntity(row: string): unknown {
  return parseObject(row, (_key, inner) => (inner?.never === true ? Number.POSITIVE_INFINITY : inner));
}

function isRecord<Record extends EntityRecord>(value: unknown): value is Record {
  if (!isObject(value) || !isObject(value.description)) return false;
  const { createdTime, updatedTime, storeId, deadLetterStoreId } = value;
  const { transferStoreId, transferDeadLetterStoreId } = value;
  const hasTransfers = isCount(transferStoreId) && isCount(transferDeadLetterStoreId);
  if (!hasTransfers && (transferStoreId ?? transferDeadLetterStoreId) !== undefined) return false; // both or none
  const isTimed = isInstant(createdTime) && isInstant(updatedTime);
  return (
    typeof value.description.name === 'string' && isTimed && isCount(storeId) && isCount(deadLetterStoreId)
  );
}
