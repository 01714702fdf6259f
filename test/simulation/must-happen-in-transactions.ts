// What has to happen with transactions in some simulated run.

import { resultsOf } from './results-of.js';

export const MUST_HAPPEN_IN_TRANSACTIONS: readonly string[] = [
  ...resultsOf('declare-transaction', 'declared', 'not-allowed'),
  ...resultsOf('discharge', 'done', 'transaction-rolled-back', 'transaction-timeout', 'transaction-unknown'),
  ...['send', 'complete', 'complete many', 'abandon', 'defer', 'dead-letter', 'release'].flatMap((asked) =>
    resultsOf(`${asked} in a transaction`, 'enlisted', 'transaction-timeout', 'transaction-unknown'),
  ),
  ...resultsOf('send in a transaction', 'sent', 'entity-disabled', 'not-allowed', 'quota-exceeded'),
  ...resultsOf('send in a transaction', 'message-size-exceeded', 'entity-not-found'),
  ...resultsOf('complete in a transaction', 'message-lock-lost', 'session-lock-lost', 'not-allowed'),
  ...resultsOf('cancel-scheduled in a transaction', 'enlisted', 'message-not-found'),
  ...resultsOf('set-session-state in a transaction', 'enlisted', 'session-lock-lost'),
  ...resultsOf('renew-lock in a transaction', 'renewed', 'message-lock-lost'),
  ...resultsOf('renew-session-lock in a transaction', 'renewed', 'session-lock-lost'),
  ...resultsOf('peek in a transaction', 'messages', 'argument-out-of-range'),
  ...resultsOf('receive-deferred in a transaction', 'messages', 'message-not-found'),
  ...resultsOf('get-session-state in a transaction', 'session-state', 'session-lock-lost'),
  ...resultsOf('list-sessions in a transaction', 'sessions'),
  ...[
    'committed, 0',
    'committed, 1',
    'committed, several',
    'commit refused',
    'commit of a doomed transaction',
  ],
  ...['send', 'settle', 'settle-many', 'cancel-scheduled', 'set-session-state'].map(
    (kind) => `committed ${kind}`,
  ),
  ...['enlisted in a doomed transaction', 'out of scope', 'transaction lost in a crash'],
  ...['rolled back', 'rolled back by time', 'rolled back, a lock has run out'],
  ...['rolled back, a scheduled message has come due', 'rolled back, the client has forgotten'],
  ...['M38, its link gone', 'M38, settled by somebody else', 'M39, locked as before'],
];
