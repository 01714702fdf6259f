// The entities of a running broker as its journal would give them back, without their messages: for a second broker on which
// a configuration is tried out before anything is changed.

import { subscriptionPathOf } from '../broker/entity/entity-path.js';
import type { RuleRecord, StoredEvent } from '../broker/event.js';
import type { SubscriptionInfo } from '../broker/result.js';
import type { Ask } from './entity-setup.js';

const ALL = { skip: 0, maxCount: Number.MAX_SAFE_INTEGER } as const;

/** Store ids are made up. */
export async function storedEntities(ask: Ask): Promise<readonly StoredEvent[]> {
  const ids = new StoreIds();
  const queues = await ask({ kind: 'list-queues', ...ALL });
  const topics = await ask({ kind: 'list-topics', ...ALL });
  if (queues.kind !== 'queues' || topics.kind !== 'topics') return [];
  const events: StoredEvent[] = queues.queues.map((queue) => ({
    kind: 'queue-put',
    queue: { ...queue, ...ids.take() },
  }));
  for (const topic of topics.topics) {
    const record = { ...topic, ...ids.take() };
    events.push({ kind: 'topic-put', topic: record });
    events.push(
      ...(await subscriptionsOf(topic.description.name, { topicStoreId: record.storeId, ids, ask })),
    );
  }
  return events;
}

type Place = { readonly topicStoreId: number; readonly ids: StoreIds; readonly ask: Ask };

async function subscriptionsOf(topicName: string, { topicStoreId, ids, ask }: Place): Promise<StoredEvent[]> {
  const found = await ask({ kind: 'list-subscriptions', topicName, ...ALL });
  const subscriptions = found.kind === 'subscriptions' ? found.subscriptions : [];
  const events = subscriptions.map(async (subscription): Promise<StoredEvent[]> => {
    const record = { ...subscription, topicStoreId, ...ids.take() };
    const rules = await rulesOf(topicName, subscription, ask);
    return [
      { kind: 'subscription-put', subscription: record },
      ...rules.map((rule) => ({ kind: 'rule-put', storeId: record.storeId, rule }) as const),
    ];
  });
  return (await Promise.all(events)).flat();
}

async function rulesOf(
  topicName: string,
  { description }: SubscriptionInfo,
  ask: Ask,
): Promise<readonly RuleRecord[]> {
  const entityPath = subscriptionPathOf(topicName, description.name);
  const found = await ask({ kind: 'list-rules', entityPath, ...ALL });
  return found.kind === 'rules' ? found.rules : [];
}

class StoreIds {
  #last = 0;

  take(): { readonly storeId: number; readonly deadLetterStoreId: number } {
    return { storeId: ++this.#last, deadLetterStoreId: ++this.#last };
  }
}
