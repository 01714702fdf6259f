// Counts what happened in simulated runs, and lists what must: a run is no success if nothing happened in it.

import type { Turn } from '../../src/broker/broker.js';
import type { Command } from '../../src/broker/contract/command.js';
import type { Result } from '../../src/broker/contract/result.js';
import { partsOfStep } from './steps.js';

export class Tally {
  readonly #counts = new Map<string, number>();

  note(what: string, count = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + count);
  }

  /** `happened` is what the reference model saw in the turn. */
  noteTurn(command: Command, { result, effects }: Turn, happened: readonly string[]): void {
    this.note(`${whatWasAsked(command)}: ${whatWasAnswered(result)}`);
    if (command.kind === 'step') {
      for (const { command: one } of partsOfStep(command, result))
        this.note(`${whatWasAsked(one)} in a step`);
    }
    if (command.kind === 'enlist') {
      this.note(`${whatWasAsked(command.command)} in a transaction: ${whatWasAnswered(result)}`);
    }
    for (const { kind } of effects) this.note(kind);
    for (const what of happened) this.note(what);
  }

  add(other: Tally): void {
    for (const [what, count] of other.#counts) this.note(what, count);
  }

  /** The names of all that happened, sorted. */
  seen(): readonly string[] {
    return [...this.#counts.keys()].sort();
  }

  toString(): string {
    return this.seen()
      .map((what) => `${String(this.#counts.get(what)).padStart(10)} ${what}`)
      .join('\n');
  }
}

function whatWasAnswered(result: Result): string {
  return result.kind === 'failed' ? result.error.reason : result.kind;
}

function whatWasAsked(command: Command): string {
  if (command.kind === 'settle') return command.outcome.kind;
  if (command.kind === 'settle-many') return `${command.outcome.kind} many`;
  return 'type' in command ? `${command.kind} ${command.type}` : command.kind;
}

function resultsOf(asked: string, ...results: string[]): readonly string[] {
  return results.map((result) => `${asked}: ${result}`);
}

/** Every list with its results, every put that expects something, and every change of rules. */
const MUST_HAPPEN_IN_ADMINISTRATION: readonly string[] = [
  ...resultsOf('list-entities queue', 'entities', 'argument-out-of-range'),
  ...resultsOf('list-entities topic', 'entities', 'argument-out-of-range'),
  ...resultsOf('list-entities subscription', 'entities', 'argument-out-of-range', 'entity-not-found'),
  ...['queues', 'topics', 'subscriptions'].flatMap((kind) =>
    [0, 1, 2].map((count) => `listed ${count} ${kind}`),
  ),
  ...['queue', 'topic', 'subscription', 'nothing'].flatMap((kind) => [
    `put, absent expected, ${kind} there`,
    `put, present expected, ${kind} there`,
  ]),
  ...resultsOf('put-entity queue', 'entity-already-exists', 'entity-not-found'),
  ...resultsOf('put-entity topic', 'entity-not-found'),
  ...resultsOf('put-entity subscription', 'entity-already-exists'),
  ...resultsOf('delete-entity', 'done', 'entity-not-found'),
  ...resultsOf('get-entity', 'entity-info', 'entity-not-found'),
  ...['queue', 'topic', 'subscription'].flatMap((type) => [`deleted a ${type}`, `looked at a ${type}`]),
  ...resultsOf('get-rule', 'rules', 'entity-not-found', 'not-allowed'),
  ...resultsOf('update-rule', 'done', 'argument', 'entity-not-found', 'not-allowed', 'quota-exceeded'),
  ...resultsOf('set-rules', 'done', 'argument', 'entity-already-exists', 'entity-not-found', 'not-allowed'),
  ...resultsOf('set-rules', 'quota-exceeded'),
  ...['rule left out', 'rule set', 'rule set that was there', 'M20 kept'],
];

/** Every command about sessions with its results, and every transition of a session (semantics E.3). */
const MUST_HAPPEN_IN_SESSIONS: readonly string[] = [
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

const MUST_HAPPEN_IN_TRANSACTIONS: readonly string[] = [
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

/** Every command about topics with its results, every way of a message through rules, and every way on from an entity. */
const MUST_HAPPEN_WITH_TOPICS: readonly string[] = [
  ...resultsOf('put-entity topic', 'entity-info', 'argument', 'entity-already-exists', 'not-allowed'),
  ...resultsOf(
    'put-entity subscription',
    'entity-info',
    'argument',
    'entity-not-found',
    'not-allowed',
    'quota-exceeded',
  ),
  ...resultsOf('add-rule', 'done', 'argument', 'entity-already-exists', 'entity-not-found', 'not-allowed'),
  ...resultsOf('add-rule', 'quota-exceeded'),
  ...resultsOf('remove-rule', 'done', 'entity-not-found', 'not-allowed'),
  ...resultsOf('list-rules', 'rules', 'argument-out-of-range', 'not-allowed'),
  ...resultsOf('attach-receiver', 'not-allowed'),
  ...[
    'fan-out, 0',
    'fan-out, 1',
    'fan-out, shared',
    ...['fan-out went on in pieces', 'send behind waiting copies', 'crash with copies waiting'],
    ...resultsOf('add-rule', 'server-busy'),
    'M4 at a topic',
    'held back at a topic',
    'M4 at a topic that is active again',
  ],
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

/** Every kind of store emptied with something in it, and what was under way. */
const MUST_HAPPEN_IN_EMPTYING: readonly string[] = [
  ...resultsOf('purge', 'purged', 'entity-not-found'),
  ...resultsOf('reset', 'purged'),
  ...["a queue's main", "a queue's dead", "a topic's main", "a subscription's main"].map(
    (what) => `purged ${what}, 1`,
  ),
  ...['reset, 1', 'rolled back by a reset'],
];

/** The command with its results, every way of a transfer, and every use of a transfer dead-letter queue. */
const MUST_HAPPEN_WITH_TRANSFERS: readonly string[] = [
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

/** Every answer to a selector, and every way of a message past receivers that select. */
export const MUST_HAPPEN_WITH_SELECTORS: readonly string[] = [
  ...resultsOf('attach-receiver', 'argument', 'quota-exceeded'),
  'not shown to a browser, not selected',
  ...['selected', 'selected again', 'selected, behind others in line', 'drained, nothing selected'],
];

/** Every command with its results, and every transition of a message in one queue (semantics D.3). */
export const MUST_HAPPEN: readonly string[] = [
  ...resultsOf('put-entity queue', 'entity-info', 'argument', 'not-allowed'),
  ...resultsOf('step', 'step', 'message-lock-lost', 'message-not-found', 'not-allowed', 'quota-exceeded'),
  ...['a step refused after its first command', 'a step refused for what it has itself'],
  ...['send', 'complete', 'abandon many', 'receive-deferred', 'cancel-scheduled', 'set-session-state'].map(
    (asked) => `${asked} in a step`,
  ),
  ...resultsOf('find-entity', 'entity', 'entity-not-found'),
  ...resultsOf('attach-sender', 'entity', 'entity-disabled', 'not-allowed'),
  ...resultsOf('attach-receiver', 'entity', 'entity-disabled', 'entity-not-found'),
  ...resultsOf('attach-browser', 'entity', 'entity-disabled', 'entity-not-found', 'not-allowed'),
  ...['shown to a browser', 'shown to a browser, behind others'],
  ...resultsOf('detach', 'done'),
  ...resultsOf('set-credit', 'done'),
  ...resultsOf('send', 'sent', 'argument', 'entity-disabled', 'message-size-exceeded', 'not-allowed'),
  ...resultsOf('send', 'property-size-exceeded', 'quota-exceeded', 'entity-not-found'),
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
  ...['deliver', 'drained', 'detach', 'crash', 'full turn'],
  ...Array.from({ length: 28 }, (_, index) => `M${index + 1}`),
  ...MUST_HAPPEN_IN_SESSIONS,
  ...MUST_HAPPEN_WITH_TOPICS,
  ...MUST_HAPPEN_WITH_TRANSFERS,
  ...MUST_HAPPEN_IN_ADMINISTRATION,
  ...MUST_HAPPEN_IN_TRANSACTIONS,
  ...MUST_HAPPEN_IN_EMPTYING,
  ...MUST_HAPPEN_WITH_SELECTORS,
  ...['M16 at the maximum', 'M27 at the maximum'],
  ...['M10 dead-lettered', 'M14 deferred', 'M25 dead-lettered'],
  ...['M30 main 0', 'M30 main 1', 'M30 dead 0', 'M30 dead 1', 'M36', 'M37'],
  ...['peeked main 0', 'peeked main 1', 'peeked main 2', 'peeked dead 0', 'peeked dead 1'],
  ...['expired, dead-lettered', 'expired, removed', 'scheduled too late', 'idle queue deleted'],
];

export const MUST_HAPPEN_AROUND_THE_ENGINE: readonly string[] = [
  'content read',
  ...['crash by fault', 'crash by kill', 'crash by power-cut', 'segment deleted'],
  'crash before everybody was told',
  'crash before everything was durable',
  'delivery dropped, its lock had ended',
  'delivery given back, its link was closed',
  'delivery written',
  'told of a session',
];
