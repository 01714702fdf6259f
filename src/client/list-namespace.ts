// Reads all queues, topics, subscriptions and rules of a namespace, as descriptions.

import type { QueueDescription } from '../broker/contract/entities/queue-description.js';
import type {
  SubscriptionDescription,
  TopicDescription,
} from '../broker/contract/entities/topic-description.js';
import type { Tier } from '../broker/contract/limits.js';
import type { RuleDescription } from '../broker/contract/rule-description.js';
import { isOfKind } from '../jitney-error.js';
import type { AdminClient } from './admin-client.js';

/** The entities of a namespace, in the form in which a Config.json is read, too. */
export type ListedNamespace = {
  readonly tier: Tier;
  readonly queues: readonly QueueDescription[];
  readonly topics: readonly ListedTopic[];
};

export type ListedTopic = {
  readonly description: TopicDescription;
  readonly subscriptions: readonly ListedSubscription[];
};

export type ListedSubscription = {
  readonly description: SubscriptionDescription;
  readonly rules: readonly RuleDescription[];
};

type ListOptions = {
  /** Called after each entity with the number of entities read so far. */
  readonly onProgress?: (count: number) => void;
};

const MOST_AT_ONCE = 8;

/**
 * Queues and topics in the order of the service. An entity that is deleted meanwhile may be missing. Authorization rules come with their
 * keys, which must not be printed. Throws a JitneyError.
 */
export async function listNamespace(
  client: AdminClient,
  { onProgress = () => {} }: ListOptions = {},
): Promise<ListedNamespace> {
  let count = 0;
  const counted = <T>(list: AsyncIterable<T>) =>
    all(list, () => {
      count += 1;
      onProgress(count);
    });
  const tier = await client.tier();
  const queues = await counted(client.listQueues());
  const topics = await counted(client.listTopics());
  const subscriptions = await atOnce(topics, ({ description }) =>
    unlessGone(counted(client.listSubscriptions(description.name))),
  );
  const pairs = subscriptions.flat();
  const rules = await atOnce(pairs, ({ topicName, description }) =>
    unlessGone(all(client.listRules(topicName, description.name))),
  );
  const rulesOf = new Map(pairs.map((one, index) => [one, rules[index] ?? []]));
  return {
    tier,
    queues: queues.map(({ description }) => description),
    topics: topics.map(({ description }, index) => ({
      description,
      subscriptions: (subscriptions[index] ?? []).map((one) => ({
        description: one.description,
        rules: rulesOf.get(one) ?? [],
      })),
    })),
  };
}

async function all<T>(list: AsyncIterable<T>, onItem: () => void = () => {}): Promise<T[]> {
  const items: T[] = [];
  for await (const item of list) {
    items.push(item);
    onItem();
  }
  return items;
}

/** Empty if the topic or subscription has been deleted since it was listed. */
async function unlessGone<T>(list: Promise<T[]>): Promise<T[]> {
  try {
    return await list;
  } catch (error) {
    if (isOfKind(error, 'no-entity')) return [];
    throw error;
  }
}

/** The results in the order of `items`, some of which are worked on at the same time. After an error no more work begins. */
async function atOnce<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  let hasFailed = false;
  const worker = async () => {
    for (const [index, item] of left) {
      if (hasFailed) return;
      results[index] = await work(item);
    }
  };
  const fail = (error: unknown) => {
    hasFailed = true;
    throw error;
  };
  await Promise.all(Array.from({ length: MOST_AT_ONCE }, () => worker().catch(fail)));
  return results;
}
