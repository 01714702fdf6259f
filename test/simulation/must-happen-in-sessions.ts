// What has to happen with message sessions in some simulated run.

import { resultsOf } from './results-of.js';

/** Every command about sessions with its results, and every transition of a session (semantics E.3). */
export const MUST_HAPPEN_IN_SESSIONS: readonly string[] = [
  ...resultsOf('accept-session', 'entity', 'entity-disabled', 'entity-not-found', 'not-allowed'),
  ...resultsOf('accept-session', 'session-cannot-be-locked'),
  ...resultsOf('renew-session-lock', 'renewed', 'entity-disabled', 'not-allowed', 'session-lock-lost'),
  ...resultsOf('get-session-state', 'session-state', 'entity-disabled', 'not-allowed', 'session-lock-lost'),
  ...resultsOf('set-session-state', 'done', 'entity-disabled', 'not-allowed', 'session-lock-lost'),
  ...resultsOf('set-session-state', 'message-size-exceeded', 'quota-exceeded'),
  ...resultsOf('list-sessions', 'sessions', 'argument-out-of-range', 'message-size-exceeded', 'not-allowed'),
  ...resultsOf('peek', 'not-allowed'),
  ...resultsOf('receive-deferred', 'session-lock-lost'),
  ...resultsOf('delete-messages', 'session-lock-lost'),
  ...resultsOf('renew-lock', 'not-allowed', 'session-lock-lost'),
  ...['complete', 'abandon', 'defer', 'dead-letter', 'release'].flatMap((outcome) => [
    ...resultsOf(outcome, 'session-lock-lost'),
    ...resultsOf(`${outcome} many`, 'session-lock-lost'),
  ]),
  ...['session-accepted', 'X1', 'X2', 'X3 absent', 'X3 idle', 'X3 ready', 'X3 empty id'],
  ...['X4', 'X5', 'X6', 'waiter detached', 'waiter lost in a crash', 'X7', 'X8', 'X9'],
  ...['X10 get', 'X10 no state', 'X10 set', 'X10 clear', 'state outlived its messages'],
  ...['X11', 'X11 active out', 'X11 deferred out', 'X12', 'X12 active out', 'M29'],
  ...['X13, free', 'X13, held by another'],
  ...['claim of somebody who never held it, free', 'claim of somebody who never held it, held by another'],
  ...['X14', 'X15', 'X15 deferred', 'X16', 'X17', 'X17 state', 'X18', 'X18 links'],
  ...['deferred received by session', 'deleted by session', 'not deleted, of another session'],
  ...['peeked by session', 'listed all', 'listed all, none', 'listed by state', 'listed by state, none'],
];
