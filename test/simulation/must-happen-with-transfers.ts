// What has to happen with transfers in some simulated run.

import { resultsOf } from './results-of.js';

/** The command with its results, every way of a transfer, and every use of a transfer dead-letter queue. */
export const MUST_HAPPEN_WITH_TRANSFERS: readonly string[] = [
  ...resultsOf('transfer', 'sent', 'argument', 'entity-not-found', 'message-size-exceeded', 'not-allowed'),
  ...['queue', 'topic'].flatMap((kind) => [
    `transferred to a ${kind} at once`,
    `a transfer waits with a ${kind}`,
    `a transfer moved on to a ${kind}`,
  ]),
  ...['a transfer that had waited moved on', 'a transfer behind others', 'a transfer expired'],
  ...['a transfer to a full entity', 'a transfer tried in vain again'],
  ...['entity-not-found', 'message-size-exceeded', 'not-allowed'].map((why) => `a transfer failed, ${why}`),
  ...['M35', 'M30 failed 0', 'peeked failed 0', 'transfer in a step'],
];
