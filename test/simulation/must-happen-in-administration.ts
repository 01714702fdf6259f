// What has to happen in administration in some simulated run.

import { resultsOf } from './results-of.js';

/** Every list with its results, every put that expects something, and every change of rules. */
export const MUST_HAPPEN_IN_ADMINISTRATION: readonly string[] = [
  ...resultsOf('list-queues', 'queues', 'argument-out-of-range'),
  ...resultsOf('list-topics', 'topics', 'argument-out-of-range'),
  ...resultsOf('list-subscriptions', 'subscriptions', 'argument-out-of-range', 'entity-not-found'),
  ...['queues', 'topics', 'subscriptions'].flatMap((kind) =>
    [0, 1, 2].map((count) => `listed ${count} ${kind}`),
  ),
  ...['queue', 'topic', 'subscription', 'nothing'].flatMap((kind) => [
    `put, absent expected, ${kind} there`,
    `put, present expected, ${kind} there`,
  ]),
  ...resultsOf('put-queue', 'entity-already-exists', 'entity-not-found'),
  ...resultsOf('put-topic', 'entity-not-found'),
  ...resultsOf('put-subscription', 'entity-already-exists'),
  ...resultsOf('get-rule', 'rules', 'entity-not-found', 'not-allowed'),
  ...resultsOf('update-rule', 'done', 'argument', 'entity-not-found', 'not-allowed', 'quota-exceeded'),
  ...resultsOf('set-rules', 'done', 'argument', 'entity-already-exists', 'entity-not-found', 'not-allowed'),
  ...resultsOf('set-rules', 'quota-exceeded'),
  ...['rule left out', 'rule set', 'rule set that was there', 'M20 kept'],
];
