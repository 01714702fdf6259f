// Descriptions, counters and times of entities, one or a list (CNT-01 to CNT-03). Reading them does not count as use (IDL-03).

import { checkPage, pageOf } from '../contract/entities/entity-page.js';
import type { EntityInfo, MessageCounts } from '../contract/result.js';
import type { Queue } from '../store/queue.js';
import { subscriptionOf, topicOf } from '../topics/topic.js';
import { type CommandOf, inNamespace } from '../turn/handler.js';
import type { Namespace } from './namespace.js';

export const GET_ENTITY = inNamespace(
  ({ entityPath }: CommandOf<'get-entity'>, { namespace }) => namespace.entity(entityPath),
  (queue: Queue) => ({ kind: 'entity-info', entity: infoOf(queue) }),
);

type List = CommandOf<'list-entities'>;

export const LIST_ENTITIES = inNamespace(
  (command: List, { namespace }) => {
    const queues = listed(command, namespace);
    checkPage(command, `${command.type}s`, command.type === 'subscription' ? command.topicName : undefined);
    return queues;
  },
  (queues: readonly Queue[], page) => ({ kind: 'entities', entities: pageOf(queues, page).map(infoOf) }),
);

function listed(list: List, namespace: Namespace): readonly Queue[] {
  if (list.type !== 'subscription') {
    return namespace.topLevel.filter(({ type, isVolatile }) => type === list.type && !isVolatile); // JMS-45
  }
  return namespace.topic(list.topicName).subscriptions.sorted.map(({ queue }) => queue);
}

/** The entity that the queue belongs to. */
export function infoOf(queue: Queue): EntityInfo {
  const { sizeBytes, createdTime, updatedTime, isUsed, accessedTime } = queue;
  const info = {
    counts: countsOf(queue),
    sizeBytes, // CNT-02
    createdTime,
    updatedTime,
    accessedTime: isUsed ? accessedTime : undefined,
  };
  const topic = topicOf(queue);
  if (topic !== undefined) {
    const { description, subscriptions, filterCounts } = topic;
    return {
      type: 'topic',
      description,
      ...info,
      subscriptionCount: subscriptions.size,
      filterCounts: { ...filterCounts },
    };
  }
  const subscription = subscriptionOf(queue);
  if (subscription === undefined) return { type: 'queue', description: queue.description, ...info };
  const { name: topicName } = subscription.topic.description;
  const { description } = subscription;
  return { type: 'subscription', topicName, description, ...info, accessedTime };
}

function countsOf(queue: Queue): MessageCounts {
  const { main, deadLetters, transfers } = queue;
  return {
    active: main.log.count - main.scheduled.count, // CNT-01: includes locked and deferred messages
    scheduled: main.scheduled.count,
    deadLetter: topicOf(queue) === undefined ? deadLetters.log.count : 0, // TOP-15: what waits for its copies lies there
    transfer: transfers?.log.count ?? 0, // TXN-12
    transferDeadLetter: transfers === undefined ? 0 : queue.transferDeadLetters.log.count,
  };
}
