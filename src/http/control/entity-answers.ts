// Inspected entities, locks and sessions in the form in which the control interface answers them, without keys of authorization rules.

import type {
  InspectedEntity,
  InspectedLock,
  InspectedQueue,
  InspectedSession,
  InspectedSubscription,
  InspectedTopic,
} from '../../broker/contract/inspection.js';
import { type Instant, isoTime, NEVER } from '../../broker/contract/instant.js';
import { entityProperties } from '../../description/described-entity.js';
import type {
  EntityAnswer,
  LockAnswer,
  QueueAnswer,
  SessionsAnswer,
  SubscriptionAnswer,
  TopicAnswer,
} from './control-schemas.js';

/** So many digits of a lock token are shown. */
const TOKEN_START = 8;

/** A time of the emulator's own clock. */
export function timeText(time: Instant): string {
  return new Date(time).toISOString();
}

/** Undefined for an instant without a date: a sender may schedule a message that late, and a lock may never end. */
export function optionalTime(time: Instant | undefined): string | undefined {
  return time === undefined ? undefined : isoTime(time);
}

function duration(durationMs: number): number | undefined {
  return durationMs === NEVER ? undefined : durationMs;
}

export function entityAnswer(entity: InspectedEntity): EntityAnswer {
  switch (entity.kind) {
    case 'queue':
      return queueAnswer(entity);
    case 'topic':
      return topicAnswer(entity);
    case 'subscription':
      return subscriptionAnswer(entity);
    default:
      return entity satisfies never;
  }
}

export function queueAnswer(queue: InspectedQueue): QueueAnswer {
  const { description } = queue;
  return {
    kind: 'queue',
    ...commonFields(queue),
    ...receivingFields(queue),
    duplicateDetectionWindowMs: windowOf(description),
    isPartitioned: description.enablePartitioning,
    maxSizeInMegabytes: description.maxSizeInMegabytes,
    properties: propertiesAnswer('queue', description),
  };
}

export function topicAnswer(topic: InspectedTopic): TopicAnswer {
  const { description, subscriptions } = topic;
  return {
    kind: 'topic',
    ...commonFields(topic),
    duplicateDetectionWindowMs: windowOf(description),
    isPartitioned: description.enablePartitioning,
    maxSizeInMegabytes: description.maxSizeInMegabytes,
    properties: propertiesAnswer('topic', description),
    subscriptions: subscriptions.map(subscriptionAnswer),
  };
}

function subscriptionAnswer(subscription: InspectedSubscription): SubscriptionAnswer {
  const { topicName, ruleNames, description } = subscription;
  return {
    kind: 'subscription',
    name: description.name,
    topic: topicName,
    rules: [...ruleNames],
    ...commonFields(subscription),
    ...receivingFields(subscription),
    properties: propertiesAnswer('subscription', description),
  };
}

/** A description never changes: an update replaces it. So its properties are written once. */
const written = new WeakMap<object, Properties>();
type Properties = QueueAnswer['properties'];

function propertiesAnswer(type: EntityAnswer['kind'], description: object): Properties {
  const known = written.get(description) ?? (entityProperties(type, description) as Properties);
  written.set(description, known);
  return known;
}

function commonFields({ path, counts, attached, description, ...times }: InspectedEntity) {
  const { defaultMessageTimeToLiveMs, autoDeleteOnIdleMs, status } = description;
  const { sizeBytes, createdTime, updatedTime, accessedTime } = times;
  return {
    // Written out, because spreading one literal would take fifty times as long.
    path,
    status,
    counts,
    links: attached,
    sizeBytes,
    createdTime: timeText(createdTime),
    updatedTime: timeText(updatedTime),
    accessedTime: optionalTime(accessedTime),
    defaultTimeToLiveMs: duration(defaultMessageTimeToLiveMs),
    autoDeleteOnIdleMs: duration(autoDeleteOnIdleMs),
  };
}

function receivingFields({
  description,
  oldestActiveTime,
  sessions,
}: InspectedQueue | InspectedSubscription) {
  const { lockDurationMs, maxDeliveryCount, requiresSession } = description;
  const { forwardTo, forwardDeadLetteredMessagesTo } = description;
  return {
    lockDurationMs,
    maxDeliveryCount,
    requiresSession,
    sessions,
    forwardTo,
    forwardDeadLetteredMessagesTo,
    oldestActiveTime: optionalTime(oldestActiveTime),
  };
}

function windowOf({
  requiresDuplicateDetection,
  duplicateDetectionHistoryTimeWindowMs,
}: (InspectedQueue | InspectedTopic)['description']): number | undefined {
  return requiresDuplicateDetection ? duplicateDetectionHistoryTimeWindowMs : undefined;
}

export function lockAnswer(lock: InspectedLock): LockAnswer {
  const { sequenceNumber, lockToken, linkId, sessionId, startedAt, lockedUntil } = lock;
  const { isInTransaction, deliveryCount } = lock;
  return {
    sequenceNumber,
    linkId,
    sessionId,
    isInTransaction,
    deliveryCount,
    tokenStart: lockToken.slice(0, TOKEN_START),
    startedTime: timeText(startedAt),
    lockedUntil: optionalTime(lockedUntil),
  };
}

export function sessionAnswer(session: InspectedSession): SessionsAnswer['sessions'][number] {
  const { stateSetTime, stateContentId: _, holder, ...fields } = session;
  return {
    ...fields,
    stateSetTime: optionalTime(stateSetTime),
    holder: holder && { ...holder, lockedUntil: optionalTime(holder.lockedUntil) },
  };
}
