// A deliberately stupid broker, written from the rules: plain arrays, linear scans, nothing shared with the real one.
// It foretells what the real one must answer, make durable and do; only tokens and invented ids it has to learn.

import type { Command, Emptying, Inspection, Management } from '../../src/broker/command.js';
import { doWhatIsDue, forgetMessageIds, nextDeadline } from './reference-due.js';
import {
  deleteQueue,
  listQueues,
  listSubscriptions,
  listTopics,
  purge,
  putQueue,
  queueInfo,
  reset,
} from './reference-entities.js';
import { forward, transfer } from './reference-forwarding.js';
import {
  cancelScheduled,
  deleteMessages,
  peek,
  receiveDeferred,
  renew,
  settle,
} from './reference-messages.js';
import {
  attachBrowser,
  attachReceiver,
  attachSender,
  deliver,
  detach,
  drain,
  entity,
  grantSessions,
  noteWaiters,
  setCredit,
  showToBrowsers,
} from './reference-receivers.js';
import { send } from './reference-send.js';
import {
  acceptSession,
  getSessionState,
  listSessions,
  renewSessionLock,
  setSessionState,
} from './reference-session-requests.js';
import { copyState, findTarget, type ModelState, noState, type Target } from './reference-state.js';
import { performStep } from './reference-step.js';
import {
  addRule,
  deleteSubscription,
  deleteTopic,
  getRule,
  listRules,
  putSubscription,
  putTopic,
  removeRule,
  setRules,
  subscriptionInfo,
  topicInfo,
  updateRule,
} from './reference-topics.js';
import { declareTransaction, discharge, enlist } from './reference-transactions.js';
import {
  type Conditions,
  DONE,
  type Expected,
  type ExpectedResult,
  failed,
  type ModelTurn,
  nothingExpected,
  sweepExpired,
} from './reference-turn.js';

export class ReferenceModel {
  state: ModelState = noState();
  readonly #conditions: Conditions;

  constructor(conditions: Conditions) {
    this.#conditions = conditions;
  }

  /** `removed` are the messages that the broker has removed or moved in this turn, by key, in order. */
  execute(command: Command, now: number, removed: readonly string[]): Expected {
    const turn = { ...this.#conditions, now, state: this.state, expected: nothingExpected(), removed };
    const waitedBefore = [...this.state.waiting];
    doWhatIsDue(turn);
    forward(turn);
    grantSessions(turn);
    showToBrowsers(turn);
    deliver(turn);
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
      // CNT-03: what has never taken a message is as if it were new.
      if (queue.kind !== 'subscription' && queue.counters.every((count) => count === 0)) {
        queue.accessedAt = undefined;
      }
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
    return copy;
  }

  nextDeadline(): number {
    return nextDeadline(this.state, this.#conditions);
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
  if (command.kind === 'put-queue') return queueInfo(command.description.name, turn);
  if (command.kind === 'put-topic') return topicInfo(command.description.name, turn);
  if (command.kind !== 'put-subscription') return result;
  const info = subscriptionInfo({ topicName: command.topicName, name: command.description.name }, turn);
  return info.kind === 'failed' ? DONE : info;
}

function perform(command: Command, turn: ModelTurn): ExpectedResult {
  switch (command.kind) {
    case 'tick':
      return DONE;
    case 'declare-transaction':
      return declareTransaction(command, turn);
    case 'enlist':
      return enlist(command, turn, perform);
    case 'discharge':
      return discharge(command, turn, perform);
    case 'step':
      return performStep(command.commands, turn, perform);
    case 'put-queue':
      return putQueue(command, turn);
    case 'delete-queue':
      return deleteQueue(command.name, turn);
    case 'get-queue-info':
      return queueInfo(command.name, turn);
    case 'put-topic':
      return putTopic(command, turn);
    case 'delete-topic':
      return deleteTopic(command.name, turn);
    case 'put-subscription':
      return putSubscription(command, turn);
    case 'delete-subscription':
      return deleteSubscription(command, turn);
    case 'get-topic-info':
      return topicInfo(command.name, turn);
    case 'get-subscription-info':
      return subscriptionInfo(command, turn);
    case 'list-queues':
      return listQueues(command, turn);
    case 'list-topics':
      return listTopics(command, turn);
    case 'list-subscriptions':
      return listSubscriptions(command, turn);
    case 'detach':
      return detach(command.linkId, turn);
    case 'set-credit':
      return setCredit(command, turn);
    case 'purge':
      return purge(command.entityPath, turn);
    case 'reset':
      return reset(turn);
    case 'inspect-namespace':
    case 'inspect-messages':
    case 'inspect-locks':
    case 'inspect-sessions':
    case 'inspect-work':
    case 'test-rules':
    case 'manage-messages':
    case 'end-session':
      throw new Error('the workload inspects nothing, and does nothing by hand');
    default:
      return performAt(command, turn);
  }
}

type AtEntity = Exclude<
  Extract<Command, { readonly entityPath: string }>,
  Inspection | Management | Emptying
>;

function performAt(command: AtEntity, turn: ModelTurn): ExpectedResult {
  const target = findTarget(turn.state, command.entityPath);
  if (target === undefined) return failed('entity-not-found');
  switch (command.kind) {
    case 'find-entity':
      return entity(target, turn);
    case 'attach-sender':
      return attachSender(command, target, turn);
    case 'attach-receiver':
      return attachReceiver(command, target, turn);
    case 'attach-browser':
      return attachBrowser(command, target, turn);
    case 'accept-session':
      return acceptSession(command, target, turn);
    case 'send':
      return send(command, target, turn);
    case 'transfer':
      return transfer(command, target, turn);
    case 'settle':
      return settle([command.lockToken], command.outcome, undefined, target, turn);
    case 'settle-many':
      return settle(command.lockTokens, command.outcome, command.session, target, turn);
    case 'renew-lock':
      return renew(command.lockTokens, target, turn);
    case 'peek':
      return peek(command, target, turn);
    case 'receive-deferred':
      return receiveDeferred(command, target, turn);
    case 'cancel-scheduled':
      return cancelScheduled(command, target, turn);
    case 'delete-messages':
      return deleteMessages(command, target, turn);
    case 'add-rule':
    case 'update-rule':
    case 'set-rules':
    case 'remove-rule':
    case 'get-rule':
    case 'list-rules':
      return performOnRules(command, target, turn);
    default:
      return performOnSession(command, target, turn);
  }
}

type OnRules = Extract<AtEntity, { readonly kind: `${string}-rule` | `${string}-rules` }>;

function performOnRules(command: OnRules, target: Target, turn: ModelTurn): ExpectedResult {
  switch (command.kind) {
    case 'add-rule':
      return addRule(command, target, turn);
    case 'update-rule':
      return updateRule(command, target, turn);
    case 'set-rules':
      return setRules(command, target, turn);
    case 'remove-rule':
      return removeRule(command, target, turn);
    case 'get-rule':
      return getRule(command, target);
    case 'list-rules':
      return listRules(command, target);
  }
}

type OnSession = Extract<AtEntity, { readonly kind: `${string}-session-${string}` | 'list-sessions' }>;

function performOnSession(command: OnSession, target: Target, turn: ModelTurn): ExpectedResult {
  switch (command.kind) {
    case 'renew-session-lock':
      return renewSessionLock(command, target, turn);
    case 'get-session-state':
      return getSessionState(command, target, turn);
    case 'set-session-state':
      return setSessionState(command, target, turn);
    case 'list-sessions':
      return listSessions(command, target, turn);
  }
}
