// Counts of entities and rules in words.

import type { Entities } from '../../config/configured-entities.js';
import { countOf } from './output.js';

/** Such as `1 queue, 2 topics, 0 subscriptions, 0 rules`. */
export function entityCounts({ queues, topics }: Entities): string {
  const subscriptions = topics.flatMap((topic) => topic.subscriptions);
  const rules = subscriptions.flatMap((subscription) => subscription.rules ?? []);
  return [
    countOf(queues.length, 'queue'),
    countOf(topics.length, 'topic'),
    countOf(subscriptions.length, 'subscription'),
    countOf(rules.length, 'rule'),
  ].join(', ');
}
