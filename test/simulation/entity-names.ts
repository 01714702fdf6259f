// The entities of a seed: few, so that they are met again and again.

import type { Random } from './random.js';

export type SubscriptionName = { readonly topicName: string; readonly name: string; readonly path: string };

const QUEUES = ['orders', 'Invoices', 'team/audit', 'tiny'] as const;
const TOPICS = ['news', 'Prices/eu'] as const;
const SUBSCRIPTIONS = ['all', 'Reds', 'third'] as const;

export class EntityNames {
  readonly queues: readonly string[];
  readonly topics: readonly string[];
  readonly subscriptions: readonly SubscriptionName[];
  /** In an order in which they can be created. */
  readonly all: readonly string[];

  constructor(random: Random) {
    this.topics = TOPICS.slice(0, random.pick([0, 1, 1, 2]));
    this.queues = QUEUES.slice(0, 1 + random.integer(this.topics.length > 0 ? 2 : QUEUES.length));
    const count = random.pick([1, 2, 3]);
    this.subscriptions = this.topics.flatMap((topicName) =>
      SUBSCRIPTIONS.slice(0, count).map((name) => ({
        topicName,
        name,
        path: `${topicName}/Subscriptions/${name}`,
      })),
    );
    this.all = [...this.queues, ...this.topics, ...this.subscriptions.map(({ path }) => path)];
  }

  /** Where messages can be had. */
  get sources(): readonly string[] {
    return [...this.queues, ...this.subscriptions.map(({ path }) => path)];
  }

  findSubscription(path: string): SubscriptionName | undefined {
    return this.subscriptions.find((one) => one.path === path);
  }
}
