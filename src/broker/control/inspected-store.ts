// The store that the control interface names, its messages in order, and the limits of one answer.

import { entityNotFound } from '../contract/entities/entity-errors.js';
import type { MessageCondition } from '../contract/inspection.js';
import { MESSAGE_STATE } from '../contract/message-properties.js';
import { ServiceBusError } from '../contract/service-bus-error.js';
import type { Namespace } from '../namespace/namespace.js';
import type { MessageStore } from '../store/queue.js';
import type { StoredMessage } from '../store/stored-message.js';

/** The most messages, locks or sessions of one answer. */
const MAX_COUNT = 250;
/** Only an inspection opens the waiting transfers of an entity: no client has a path to them (TXN-10). */
const TRANSFER_SUFFIX = /\/\$Transfer$/i;

/** Throws entity-not-found or, as a program without types can give any value, argument. Before the first transfer waits, its store does not exist. */
export function inspectedStore(entityPath: string, namespace: Namespace): MessageStore {
  if (typeof entityPath !== 'string' || !TRANSFER_SUFFIX.test(entityPath)) return namespace.store(entityPath);
  const { transfers } = namespace.store(entityPath.replace(TRANSFER_SUFFIX, '')).queue;
  if (transfers === undefined) throw entityNotFound(entityPath);
  return transfers;
}

/** The number of items that an answer may have. Throws argument-out-of-range. */
export function answerCount(maxCount: number): number {
  if (maxCount >= 1) return Math.min(maxCount, MAX_COUNT);
  const text = `The number of items to show is ${maxCount}; it must be 1 or more.`;
  const data = { property: 'maxCount', value: maxCount, least: 1 };
  throw new ServiceBusError('argument-out-of-range', text, data);
}

export function messageConditionOf({ isLocked, state }: StoredMessage): MessageCondition {
  if (isLocked) return 'locked';
  if (state === MESSAGE_STATE.scheduled) return 'scheduled';
  return state === MESSAGE_STATE.deferred ? 'deferred' : 'active';
}

/** The messages of a store by condition. Each is one number that is kept, or the rest of them. */
export function conditionCounts({
  log,
  lockedCount,
  scheduled,
}: MessageStore): Readonly<Record<MessageCondition, number>> {
  const active = log.availableCount;
  const deferred = log.count - active - scheduled.count - lockedCount;
  return { active, locked: lockedCount, scheduled: scheduled.count, deferred };
}

/** Transfers wait in the order of their destinations, and a page needs the order of numbers. */
export function messagesFrom({ log, kind }: MessageStore, sequenceNumber: number): Iterable<StoredMessage> {
  if (kind !== 'transfer') return log.from(sequenceNumber);
  return [...log.from(sequenceNumber)].sort((a, b) => a.sequenceNumber - b.sequenceNumber);
}
