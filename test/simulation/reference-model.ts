// A deliberately stupid broker, written from the rules: plain arrays, linear scans, nothing shared with the real one.
// It foretells what the real one must answer, make durable and do; only tokens and invented ids it has to learn.

import type {
  Command,
  Emptying,
  Inspection,
  Management,
  SnapshotCommand,
} from '../../src/broker/contract/command.js';
import { pathOf } from '../../src/broker/contract/entities/entity.js';
import { NEVER } from '../../src/broker/contract/instant.js';
import { MESSAGE_STATE } from '../../src/broker/contract/message-properties.js';
import {
  addRule,
  deleteEntity,
  entityInfo,
  getRule,
  listEntities,
  listRules,
  purge,
  putQueue,
  putSubscription,
  putTopic,
  removeQueue,
  removeRule,
  reset,
  setRules,
  updateRule,
} from './reference-entities.js';
import { forward, isTooFar, nextTransferAt, restsUntil, transfer } from './reference-forwarding.js';
import {
  cancelScheduled,
  deleteMessages,
  peek,
  receiveDeferred,
  renew,
  settle,
} from './reference-messages.js';
import {
  acceptSession,
  attachBrowser,
  attachReceiver,
  attachSender,
  deliver,
  detach,
  drain,
  entity,
  expireSessionLocks,
  getSessionState,
  grantSessions,
  listSessions,
  noteWaiters,
  renewSessionLock,
  setCredit,
  setSessionState,
  showToBrowsers,
} from './reference-receivers.js';
import { activateScheduled, checkFanOutsGoOn, isHeldBack, send } from './reference-send.js';
import {
  type CommandOf,
  type Conditions,
  canBeSwept,
  copyState,
  DONE,
  destinationOf,
  type Expected,
  type ExpectedResult,
  failed,
  findTarget,
  happened,
  isSwept,
  type ModelQueue,
  type ModelState,
  type ModelTurn,
  noState,
  nothingExpected,
  returnCounted,
  subscriptionsOf,
  sweepExpired,
  type Target,
  waitingIn,
} from './reference-state.js';
import { declareTransaction, discharge, enlist, performStep, rollBackDue } from './reference-transactions.js';

const RULE_COMMANDS: ReadonlySet<Command['kind']> = new Set<Command['kind']>([
  'add-rule',
  'update-rule',
  'set-rules',
  'remove-rule',
  'put-entity',
]);

export class ReferenceModel {
  state: ModelState = noState();
  readonly #conditions: Conditions;
  #turnCount = 0;

  constructor(conditions: Conditions) {
    this.#conditions = conditions;
  }

  /**
   * `removed` are the messages that the broker has removed or moved in this turn, by key, in order, and `fanOuts` what it has told of those
   * of which copies wait.
   */
  execute(
    command: Command,
    now: number,
    { removed, fanOuts }: Pick<ModelTurn, 'removed' | 'fanOuts'>,
  ): Expected {
    this.#turnCount += 1;
    const expected = nothingExpected();
    const told = { removed, fanOuts };
    const isFanOutWhole =
      command.kind === 'step' && command.commands.some(({ kind }) => RULE_COMMANDS.has(kind));
    const of = { number: this.#turnCount, now, state: this.state, expected, isFanOutWhole };
    const turn = { ...this.#conditions, ...of, ...told };
    const waitedBefore = [...this.state.waiting];
    doWhatIsDue(turn);
    checkFanOutsGoOn(turn);
    forward(turn);
    grantSessions(turn);
    showToBrowsers(turn);
    deliver(turn);
    Object.assign(expected.fanOutCost, { least: 0, most: 0 });
    turn.expected.result = perform(command, turn);
    sweepExpired(turn, freeingTransition(command));
    forgetMessageIds(turn);
    forward(turn);
    grantSessions(turn);
    showToBrowsers(turn);
    deliver(turn);
    noteWaiters(waitedBefore, turn);
    if (command.kind === 'set-credit' && command.drain) drain(command.linkId, turn);
    turn.expected.result = asLeft(command, turn.expected.result, turn);
    return turn.expected;
  }

  /** The process dies and comes back: locks, links and credit are gone (LNK-06); answers what has happened. */
  restart(): readonly string[] {
    const happened: string[] = [];
    if (this.state.holds.length > 0) happened.push('X17');
    if (this.state.waiting.length > 0) happened.push('waiter lost in a crash');
    if (this.state.transactions.some(({ operations }) => operations.length > 0)) {
      happened.push('transaction lost in a crash');
    }
    for (const queue of this.state.queues) {
      queue.activeAt = undefined;
      queue.enqueuesFrom = 0;
      // CNT-03: what has never taken a message is as if it were new.
      if (queue.kind !== 'subscription' && queue.counters.every((count) => count === 0)) {
        queue.accessedAt = undefined;
      }
      if (waitingIn(queue).length > 0) happened.push('crash with copies waiting');
      queue.fanOutAt = 0;
      queue.retryAt = 0;
      queue.retryMs = 1000;
      queue.transferRetries = {};
      queue.nextPartition = 0;
      queue.turns = { main: 0, dead: 0, transfer: 0, failed: 0 };
      for (const message of queue.messages) {
        if (message.lock !== undefined) happened.push('M37');
        message.lock = undefined;
        message.cancelledBy = undefined;
      }
      if (queue.sessionStates.length > 0) happened.push('X17 state');
    }
    this.state = { ...noState(), queues: this.state.queues, pastHolds: this.state.pastHolds };
    return happened;
  }

  /** Its future is its own; contents are shared, since nobody changes them. */
  copy(): ReferenceModel {
    const copy = new ReferenceModel(this.#conditions);
    copy.state = copyState(this.state);
    copy.#turnCount = this.#turnCount;
    return copy;
  }

  nextDeadline(): number {
    return earliestDeadline(this.state, this.#conditions);
  }
}

/** What a sweep after this command stands for: it makes messages available that are expired (TTL-07). */
function freeingTransition(command: Command): string {
  const outcome = command.kind === 'settle' || command.kind === 'settle-many' ? command.outcome.kind : '';
  if (outcome === 'abandon') return 'M12';
  return outcome === 'release' || command.kind === 'detach' ? 'M15' : 'M8';
}

/** A put answers with what is then there. */
function asLeft(command: Command, result: ExpectedResult, turn: ModelTurn): ExpectedResult {
  if (result.kind === 'step' && command.kind === 'step') {
    return {
      kind: 'step',
      results: result.results.map((one, index) =>
        asLeft(command.commands[index] ?? { kind: 'tick' }, one, turn),
      ),
    };
  }
  if (result.kind !== 'done') return result;
  if (command.kind !== 'put-entity') return result;
  const target = findTarget(turn.state, pathOf(command));
  return target === undefined ? DONE : entityInfo(target, turn);
}

function putEntity(command: CommandOf<'put-entity'>, turn: ModelTurn): ExpectedResult {
  switch (command.type) {
    case 'queue':
      return putQueue(command, turn);
    case 'topic':
      return putTopic(command, turn);
    case 'subscription':
      return putSubscription(command, turn);
  }
}

type Handlers<C extends Command, Rest extends readonly unknown[]> = {
  readonly [K in C['kind']]: (command: Extract<C, { kind: K }>, ...rest: Rest) => ExpectedResult;
};

type AtEntity = Exclude<
  Extract<Command, { readonly entityPath: string }>,
  Inspection | Management | Emptying
>;

type NotModelled =
  | Inspection
  | Management
  | SnapshotCommand
  | {
      readonly kind:
        | 'content-unreadable'
        | 'use-entity'
        | 'attach-temporary'
        | 'attach-subscriber'
        | 'find-subscriber'
        | 'unsubscribe';
    };

const IN_NAMESPACE: Handlers<Exclude<Command, AtEntity | NotModelled>, [turn: ModelTurn]> = {
  tick: () => DONE,
  'declare-transaction': declareTransaction,
  enlist: (command, turn) => enlist(command, turn, perform),
  discharge: (command, turn) => discharge(command, turn, perform),
  step: ({ commands }, turn) => performStep(commands, turn, perform),
  'put-entity': putEntity,
  'list-entities': listEntities,
  detach: ({ linkId }, turn) => detach(linkId, turn),
  'set-credit': setCredit,
  purge: ({ entityPath }, turn) => purge(entityPath, turn),
  reset: (_, turn) => reset(turn),
};

const AT_ENTITY: Handlers<AtEntity, [target: Target, turn: ModelTurn]> = {
  'find-entity': (_, target, turn) => entity(target, turn),
  'get-entity': (_, target, turn) => {
    happened(`looked at a ${target.queue.kind}`, turn);
    return entityInfo(target, turn);
  },
  'delete-entity': (_, target, turn) => deleteEntity(target, turn),
  'attach-sender': attachSender,
  'attach-receiver': attachReceiver,
  'attach-browser': attachBrowser,
  'accept-session': acceptSession,
  send,
  transfer,
  settle: ({ lockToken, outcome }, target, turn) => settle([lockToken], outcome, undefined, target, turn),
  'settle-many': ({ lockTokens, outcome, session }, target, turn) =>
    settle(lockTokens, outcome, session, target, turn),
  'renew-lock': ({ lockTokens }, target, turn) => renew(lockTokens, target, turn),
  peek,
  'receive-deferred': receiveDeferred,
  'cancel-scheduled': cancelScheduled,
  'delete-messages': deleteMessages,
  'add-rule': addRule,
  'update-rule': updateRule,
  'set-rules': setRules,
  'remove-rule': removeRule,
  'get-rule': getRule,
  'list-rules': listRules,
  'renew-session-lock': renewSessionLock,
  'get-session-state': getSessionState,
  'set-session-state': setSessionState,
  'list-sessions': listSessions,
};

type Handle = (command: Command, ...rest: readonly unknown[]) => ExpectedResult;

function perform(command: Command, turn: ModelTurn): ExpectedResult {
  const inNamespace = (IN_NAMESPACE as Readonly<Record<string, Handle | undefined>>)[command.kind];
  if (inNamespace !== undefined) return inNamespace(command, turn);
  const atEntity = (AT_ENTITY as Readonly<Record<string, Handle | undefined>>)[command.kind];
  if (atEntity === undefined || !('entityPath' in command)) {
    throw new Error('the workload inspects nothing, and does nothing by hand');
  }
  const target = findTarget(turn.state, command.entityPath);
  return target === undefined ? failed('entity-not-found') : atEntity(command, target, turn);
}

/** Everything that is due at the turn's time, in the order in which it happens. */
function doWhatIsDue(turn: ModelTurn): void {
  for (const queue of turn.state.queues) {
    const mayBeIdle = queue.description.autoDeleteOnIdleMs !== NEVER;
    if (queue.activeAt === undefined || (mayBeIdle && isInUse(queue, turn.state))) queue.activeAt = turn.now;
  }
  rollBackDue(turn);
  expireSessionLocks(turn);
  for (const queue of turn.state.queues) expireLocks(queue, turn);
  for (const queue of turn.state.queues) if (queue.enqueuesFrom <= turn.now) activateScheduled(queue, turn);
  sweepExpired(turn, 'M8');
  forgetMessageIds(turn);
  for (const queue of [...turn.state.queues]) if (!queue.isGone) deleteIfIdle(queue, turn);
}

/** DUP-03: the window is the queue's of today; what is out of it once is forgotten for good. */
function forgetMessageIds({ state, now }: ModelTurn): void {
  for (const queue of state.queues) {
    const { duplicateDetectionHistoryTimeWindowMs: windowMs } = queue.description;
    if (queue.noted.some(({ acceptedAt }) => acceptedAt + windowMs <= now)) {
      queue.noted = queue.noted.filter(({ acceptedAt }) => acceptedAt + windowMs > now);
    }
  }
}

function earliestDeadline(state: ModelState, conditions: Conditions): number {
  let next = Math.min(
    ...state.holds.filter(({ runsOut }) => runsOut).map(({ until }) => until),
    ...state.transactions.map(({ dueAt }) => dueAt),
  );
  for (const queue of state.queues) {
    const hasSweep = isSwept(queue, state, conditions);
    for (const message of queue.messages) {
      if (message.lock?.runsOut && message.lock.pinnedBy === undefined) {
        next = Math.min(next, message.lock.until);
      }
      const { schedule, cancelledBy } = message;
      if (schedule !== undefined && cancelledBy === undefined && !isHeldBack(queue)) {
        next = Math.min(next, Math.max(schedule.enqueueAt, queue.enqueuesFrom));
      }
      if ((hasSweep || message.place === 'transfer') && canBeSwept(message))
        next = Math.min(next, message.expiresAt);
    }
    if (waitingIn(queue).length > 0) next = Math.min(next, queue.fanOutAt);
    next = Math.min(next, idleAt(queue, state), retryAt(queue), movesAt(queue), nextTransferAt(queue));
  }
  return next;
}

/** FWD-07: when the next hop is, of what was just forwarded here. */
function movesAt(queue: ModelQueue): number {
  const waiting = queue.messages.filter(
    (one) =>
      one.hops > 0 &&
      one.place === 'main' &&
      one.state === MESSAGE_STATE.active &&
      one.lock === undefined &&
      destinationOf({ queue, place: 'main' }) !== undefined,
  );
  return Math.min(...waiting.map(restsUntil));
}

/** FWD-08. */
function retryAt(queue: ModelQueue): number {
  const isWaiting = destinationOf({ queue, place: 'dead' }) !== undefined && queue.retryAt > 0;
  const hasMessages = queue.messages.some(
    (one) =>
      one.place === 'dead' && one.state === MESSAGE_STATE.active && one.lock === undefined && !isTooFar(one),
  );
  return isWaiting && hasMessages ? queue.retryAt : Number.POSITIVE_INFINITY;
}

function expireLocks(queue: ModelQueue, turn: ModelTurn): void {
  const due = queue.messages.filter(
    ({ lock }) => lock?.runsOut && lock.until <= turn.now && lock.pinnedBy === undefined,
  );
  for (const message of due) {
    happened('M13', turn);
    returnCounted(queue, message, [], turn);
  }
}

function deleteIfIdle(queue: ModelQueue, turn: ModelTurn): void {
  if (idleAt(queue, turn.state) > turn.now) return;
  happened(`idle ${queue.kind} deleted`, turn);
  removeQueue(queue, turn);
  const { keys, optionalKeys, queuesRemoved } = turn.expected;
  for (const key of keys) {
    // What has expired may go with its entity as it is.
    if (queuesRemoved.some((name) => key.startsWith(`${name} `))) {
      keys.delete(key);
      optionalKeys.add(key);
    }
  }
}

/** IDL-01; after a restart it is known from the first command on. */
function idleAt(queue: ModelQueue, state: ModelState): number {
  if (queue.activeAt === undefined || queue.description.autoDeleteOnIdleMs === NEVER) return NEVER;
  if (isInUse(queue, state)) return NEVER;
  return activeAt(queue, state) + queue.description.autoDeleteOnIdleMs;
}

/** IDL-04: what is done at one of its subscriptions is done at the topic. */
function activeAt(queue: ModelQueue, state: ModelState): number {
  const all = [queue, ...subscriptionsOf(queue, state)].map((one) => one.activeAt ?? 0);
  return Math.max(...all);
}

/** IDL-03, IDL-04. */
function isInUse(queue: ModelQueue, state: ModelState): boolean {
  const { links, credits, waiting } = state;
  if (subscriptionsOf(queue, state).some((one) => isInUse(one, state))) return true;
  if (queue.messages.some(({ schedule }) => schedule !== undefined)) return true;
  if (queue.messages.some(({ place }) => place === 'transfer')) return true;
  if (waitingIn(queue).length > 0) return true;
  if (queue.description.forwardTo !== undefined) return true; // IDL-06
  const busy = [...credits, ...waiting];
  if (links.some((link) => link.queueName === queue.name && link.lookCredit > 0)) return true;
  return links.some((link) => link.queueName === queue.name && busy.includes(link.id));
}
