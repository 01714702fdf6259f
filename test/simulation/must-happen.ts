// What has to happen in some simulated run, or the simulation is not worth its name.

import { MUST_HAPPEN_IN_ADMINISTRATION } from './must-happen-in-administration.js';
import { MUST_HAPPEN_IN_SESSIONS } from './must-happen-in-sessions.js';
import { MUST_HAPPEN_IN_TRANSACTIONS } from './must-happen-in-transactions.js';
import { MUST_HAPPEN_WITH_TOPICS } from './must-happen-with-topics.js';
import { MUST_HAPPEN_WITH_TRANSFERS } from './must-happen-with-transfers.js';
import { resultsOf } from './results-of.js';

/** Every command with its results, and every transition of a message in one queue (semantics D.3). */
export const MUST_HAPPEN: readonly string[] = [
  ...resultsOf('put-queue', 'queue-info', 'argument', 'not-allowed'),
  ...resultsOf('step', 'step', 'message-lock-lost', 'message-not-found', 'not-allowed', 'quota-exceeded'),
  ...['a step refused after its first command', 'a step refused for what it has itself'],
  ...['send', 'complete', 'abandon many', 'receive-deferred', 'cancel-scheduled', 'set-session-state'].map(
    (asked) => `${asked} in a step`,
  ),
  ...resultsOf('delete-queue', 'done', 'entity-not-found'),
  ...resultsOf('find-entity', 'entity', 'entity-not-found'),
  ...resultsOf('get-queue-info', 'queue-info', 'entity-not-found'),
  ...resultsOf('attach-sender', 'entity', 'entity-disabled', 'not-allowed'),
  ...resultsOf('attach-receiver', 'entity', 'entity-disabled', 'entity-not-found'),
  ...resultsOf('attach-browser', 'entity', 'entity-disabled', 'entity-not-found', 'not-allowed'),
  ...['shown to a browser', 'shown to a browser, behind others'],
  ...resultsOf('detach', 'done'),
  ...resultsOf('set-credit', 'done'),
  ...resultsOf('send', 'sent', 'argument', 'entity-disabled', 'message-size-exceeded', 'not-allowed'),
  ...resultsOf('send', 'quota-exceeded', 'entity-not-found'),
  ...['complete', 'abandon', 'defer', 'dead-letter'].flatMap((outcome) => [
    ...resultsOf(outcome, 'done', 'entity-disabled', 'message-lock-lost'),
    ...resultsOf(`${outcome} many`, 'done', 'argument', 'entity-disabled', 'message-lock-lost'),
  ]),
  ...['release', 'release many'].flatMap((release) => resultsOf(release, 'done', 'message-lock-lost')),
  ...['dead-letter', 'dead-letter many'].flatMap((asked) => resultsOf(asked, 'not-allowed')),
  ...resultsOf('renew-lock', 'renewed', 'argument', 'entity-disabled', 'message-lock-lost'),
  ...resultsOf('peek', 'messages', 'argument-out-of-range', 'entity-not-found'),
  ...resultsOf(
    'receive-deferred',
    'messages',
    'entity-disabled',
    'message-not-found',
    'message-size-exceeded',
  ),
  ...resultsOf('cancel-scheduled', 'done', 'message-not-found'),
  ...resultsOf('delete-messages', 'deleted', 'argument-out-of-range', 'entity-disabled', 'not-allowed'),
  ...resultsOf('tick', 'done'),
  ...['deliver', 'drained', 'detach', 'crash'],
  ...Array.from({ length: 28 }, (_, index) => `M${index + 1}`),
  ...MUST_HAPPEN_IN_SESSIONS,
  ...MUST_HAPPEN_WITH_TOPICS,
  ...MUST_HAPPEN_WITH_TRANSFERS,
  ...MUST_HAPPEN_IN_ADMINISTRATION,
  ...MUST_HAPPEN_IN_TRANSACTIONS,
  ...['M10 dead-lettered', 'M14 deferred', 'M25 dead-lettered'],
  ...['M30 main 0', 'M30 main 1', 'M30 dead 0', 'M30 dead 1', 'M36', 'M37'],
  ...['peeked main 0', 'peeked main 1', 'peeked main 2', 'peeked dead 0', 'peeked dead 1'],
  ...['expired, dead-lettered', 'expired, removed', 'scheduled too late', 'idle queue deleted'],
];

export const MUST_HAPPEN_AROUND_THE_ENGINE: readonly string[] = [
  'content read',
  'crash before everybody was told',
  'crash before everything was durable',
  'delivery dropped, its lock had ended',
  'delivery given back, its link was closed',
  'delivery written',
  'told of a session',
];
