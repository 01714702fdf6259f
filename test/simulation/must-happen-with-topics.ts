// What has to happen with topics and forwarding in some simulated run.

import { resultsOf } from './results-of.js';

/** Every command about topics with its results, every way of a message through rules, and every way on from an entity. */
export const MUST_HAPPEN_WITH_TOPICS: readonly string[] = [
  ...resultsOf('put-topic', 'topic-info', 'argument', 'entity-already-exists', 'not-allowed'),
  ...resultsOf('delete-topic', 'done', 'entity-not-found'),
  ...resultsOf(
    'put-subscription',
    'subscription-info',
    'argument',
    'entity-not-found',
    'not-allowed',
    'quota-exceeded',
  ),
  ...resultsOf('delete-subscription', 'done', 'entity-not-found'),
  ...resultsOf('add-rule', 'done', 'argument', 'entity-already-exists', 'entity-not-found', 'not-allowed'),
  ...resultsOf('add-rule', 'quota-exceeded'),
  ...resultsOf('remove-rule', 'done', 'entity-not-found', 'not-allowed'),
  ...resultsOf('list-rules', 'rules', 'argument-out-of-range', 'not-allowed'),
  ...resultsOf('get-topic-info', 'topic-info', 'entity-not-found'),
  ...resultsOf('get-subscription-info', 'subscription-info', 'entity-not-found'),
  ...resultsOf('put-queue', 'entity-already-exists'),
  ...resultsOf('attach-receiver', 'not-allowed'),
  ...['fan-out, 0', 'fan-out, 1', 'fan-out, shared', 'M4 at a topic'],
  ...['copy', 'copy by action', 'rule matched as well', 'no rule matched', 'last rule removed'],
  ...['FilterException, kept', 'FilterException, dropped', 'copy without session id'],
  ...['RuleActionException, kept', 'RuleActionException, dropped'],
  ...['idle topic deleted', 'idle subscription deleted', 'subscription deleted with its topic'],
  ...['M32 main to queue', 'M32 main to topic', 'M32 dead to queue', 'M32 dead to topic'],
  ...['M1 forwarded', 'M2 forwarded', 'M3 forwarded', 'M33', 'a chain of four', 'M1 of an id that came back'],
  ...['detached, it forwards now', 'forwarded after a retry'],
  ...[
    'M34 main entity-disabled',
    'M34 main entity-not-found',
    'M34 main not-allowed',
    'M34 main quota-exceeded',
  ],
  ...['M34 dead entity-disabled', 'M34 dead not-allowed', 'M34 dead message-size-exceeded'],
];
