// Transactions in the reference model: what is enlisted is held and kept as it is, and takes effect as a whole or not at all.

import type { Command } from '../../src/broker/contract/command.js';
import { NEVER } from '../../src/broker/contract/instant.js';
import { partitionOf } from '../../src/broker/store/partition.js';
import { findHold } from './reference-receivers.js';
import { activateScheduled, ownKeyOf, reserve } from './reference-send.js';
import {
  findTarget,
  type ModelMessage,
  type ModelOperation,
  type ModelQueue,
  type ModelState,
  type ModelTransaction,
  PARTITION_SIZE,
  type Target,
  topicOf,
} from './reference-state.js';
import { type Perform, performStep, refusalsAfter } from './reference-step.js';
import {
  type CommandOf,
  DONE,
  type ExpectedResult,
  failed,
  happened,
  type ModelTurn,
  returnCounted,
} from './reference-turn.js';

/** TXN-08. */
const TIMEOUT_MS = 2 * 60_000;

type Held = CommandOf<'send' | 'settle' | 'settle-many' | 'cancel-scheduled' | 'set-session-state'>;
type Known = Pick<ModelTransaction, 'id' | 'connectionId'>;

export function declareTransaction(
  { connectionId }: CommandOf<'declare-transaction'>,
  { limits, state }: ModelTurn,
): ExpectedResult {
  if (!limits.hasTransactions) return failed('not-allowed');
  state.lastTransactionId += 1;
  const id = state.lastTransactionId;
  state.transactions.push({
    id,
    connectionId,
    operations: [],
    claimed: { things: [], rooms: [] },
    dueAt: NEVER,
    isDoomed: false,
    sentCount: 0,
    entityName: undefined,
    partitionId: undefined,
  });
  return { kind: 'declared', transactionId: id };
}

export function enlist(asked: CommandOf<'enlist'>, turn: ModelTurn, perform: Perform): ExpectedResult {
  const transaction = turn.state.transactions.find((one) => isMeant(one, asked));
  if (transaction === undefined) return failed(whyUnknown(asked, turn));
  if (transaction.dueAt === NEVER) transaction.dueAt = turn.now + TIMEOUT_MS;
  const result = isHeld(asked.command)
    ? hold(transaction, asked.command, asked, turn, perform)
    : perform(asked.command, turn);
  if (result.kind === 'failed') transaction.isDoomed = true;
  else if (transaction.isDoomed) happened('enlisted in a doomed transaction', turn);
  return result;
}

export function discharge(asked: CommandOf<'discharge'>, turn: ModelTurn, perform: Perform): ExpectedResult {
  const { state } = turn;
  const { isFailed } = asked;
  const transaction = state.transactions.find((one) => isMeant(one, asked));
  if (transaction === undefined) {
    const reason = whyUnknown(asked, turn);
    return isFailed && reason === 'transaction-timeout' ? DONE : failed(reason);
  }
  state.transactions = state.transactions.filter((one) => one !== transaction);
  unpin(transaction, state);
  if (isFailed) {
    happened('rolled back', turn);
    giveBack(transaction, turn);
    return DONE;
  }
  return commit(transaction, turn, perform);
}

/** TXN-04. */
function commit(transaction: ModelTransaction, turn: ModelTurn, perform: Perform): ExpectedResult {
  const { isDoomed, operations } = transaction;
  const commands = operations.map(({ command }) => command);
  const hasLostSession = operations.some(({ holderId }) => !isHolding(holderId, turn));
  const result = isDoomed || hasLostSession ? failed() : performStep(commands, turn, perform);
  if (result.kind === 'failed') {
    happened(isDoomed ? 'commit of a doomed transaction' : 'commit refused', turn);
    giveBack(transaction, turn);
    return failed('transaction-rolled-back');
  }
  happened(operations.length > 1 ? 'committed, several' : `committed, ${operations.length}`, turn);
  for (const { kind } of commands) happened(`committed ${kind}`, turn);
  return DONE;
}

/** The link that holds the session that the command names. */
function holderOf(command: Held, queue: ModelQueue, turn: ModelTurn): number | undefined {
  const claim = 'session' in command && queue.description.requiresSession ? command.session : undefined;
  return claim === undefined ? undefined : findHold(claim, queue, turn)?.linkId;
}

function isHolding(linkId: number | undefined, { state }: ModelTurn): boolean {
  return linkId === undefined || state.holds.some((hold) => hold.linkId === linkId);
}

/** TXN-08. */
export function rollBackDue(turn: ModelTurn): void {
  const { state, now } = turn;
  const due = state.transactions.filter(({ dueAt }) => dueAt <= now);
  if (due.length === 0) return;
  state.transactions = state.transactions.filter(({ dueAt }) => dueAt > now);
  rollBack(due, 'rolled back by time', turn);
}

/** To their clients they have timed out. */
export function rollBackAll(turn: ModelTurn): void {
  const all = turn.state.transactions;
  turn.state.transactions = [];
  rollBack(all, 'rolled back by a reset', turn);
}

function rollBack(due: readonly ModelTransaction[], what: string, turn: ModelTurn): void {
  const { state } = turn;
  for (const transaction of due) {
    happened(what, turn);
    state.timedOut.push(transaction);
    unpin(transaction, state);
  }
  for (const transaction of due) giveBack(transaction, turn);
}

function isMeant({ id, connectionId }: Known, asked: CommandOf<'enlist' | 'discharge'>): boolean {
  return id === asked.transactionId && connectionId === asked.connectionId;
}

function whyUnknown(asked: CommandOf<'enlist' | 'discharge'>, { state }: ModelTurn): string {
  const isTimedOut = state.timedOut.some((one) => isMeant(one, asked));
  return isTimedOut ? 'transaction-timeout' : 'transaction-unknown';
}

function isHeld(command: Command): command is Held {
  return ['send', 'settle', 'settle-many', 'cancel-scheduled', 'set-session-state'].includes(command.kind);
}

function hold(
  transaction: ModelTransaction,
  command: Held,
  { isForgotten = false }: CommandOf<'enlist'>,
  turn: ModelTurn,
  perform: Perform,
): ExpectedResult {
  const reasons = refusalsAfter(command, transaction.claimed, turn, perform);
  if (reasons.length > 0) return failed(...reasons);
  const target = findTarget(turn.state, command.entityPath);
  if (target === undefined) throw new Error('a command was good for an entity that is not there');
  if (!staysInScope(transaction, command, target, turn)) {
    happened('out of scope', turn);
    return failed('not-allowed');
  }
  if (command.kind === 'send') {
    transaction.sentCount += command.messages.length;
    if (transaction.sentCount > turn.limits.maxTransactionMessages) return failed('quota-exceeded'); // TXN-09
  }
  const { queue } = target;
  queue.activeAt = turn.now;
  queue.accessedAt = turn.now;
  const holderId = holderOf(command, queue, turn);
  const operation = { command, queueName: queue.name, isForgotten, holderId };
  if (command.kind === 'send' && command.reservesNumbers === true) {
    const taken = reserve(queue, command.messages, turn);
    const numbers = taken.map(({ reserved }) => reserved);
    transaction.operations.push({ ...operation, command: { ...command, numbers } });
    return { kind: 'sent', sequenceNumbers: taken.map(({ told }) => told) };
  }
  transaction.operations.push(operation);
  pin(transaction, command, queue);
  return { kind: 'enlisted' };
}

/** TXN-03, where it is so. */
function staysInScope(
  transaction: ModelTransaction,
  command: Held,
  { queue }: Target,
  { state, limits }: ModelTurn,
): boolean {
  if (!limits.hasOneEntityTransactions) return true;
  const entity = topicOf(queue, state) ?? queue;
  transaction.entityName ??= entity.name;
  if (transaction.entityName !== entity.name) return false;
  if (!entity.description.enablePartitioning) return true;
  const partitions = partitionsOf(command, queue);
  transaction.partitionId ??= partitions[0];
  return partitions.every((one) => one === transaction.partitionId);
}

/** Those that are named; a message without a key names none. */
function partitionsOf(command: Held, queue: ModelQueue): readonly number[] {
  switch (command.kind) {
    case 'send':
      return command.messages
        .map((message) => ownKeyOf(queue, message))
        .filter((key) => key !== undefined)
        .map(partitionOf);
    case 'set-session-state':
      return [partitionOf(command.session.sessionId)];
    case 'cancel-scheduled':
      return command.sequenceNumbers.map((number) => Math.floor(number / PARTITION_SIZE));
    default:
      return lockedBy(command, queue).map(({ number }) => Math.floor(number / PARTITION_SIZE));
  }
}

/** TXN-06. */
function pin({ id }: ModelTransaction, command: Held, queue: ModelQueue): void {
  for (const { lock } of lockedBy(command, queue)) if (lock !== undefined) lock.pinnedBy = id;
  if (command.kind !== 'cancel-scheduled') return;
  for (const message of queue.messages) {
    if (message.place === 'main' && command.sequenceNumbers.includes(message.number))
      message.cancelledBy = id;
  }
}

function unpin({ id }: ModelTransaction, { queues }: ModelState): void {
  for (const { messages } of queues) {
    for (const message of messages) {
      if (message.lock?.pinnedBy === id) message.lock.pinnedBy = undefined;
      if (message.cancelledBy === id) message.cancelledBy = undefined;
    }
  }
}

/** TXN-05, M39. */
function giveBack({ operations }: ModelTransaction, turn: ModelTurn): void {
  for (const { command, queueName, isForgotten } of operations) {
    const queue = turn.state.queues.find(({ name }) => name === queueName);
    if (queue === undefined) throw new Error('an operation of a queue that is gone was kept');
    for (const message of lockedBy(command, queue)) giveBackOne(queue, message, { isForgotten }, turn);
    if (command.kind !== 'cancel-scheduled' || command.sequenceNumbers.length === 0) continue;
    const dueCount = queue.messages.filter(
      ({ schedule }) => (schedule?.enqueueAt ?? NEVER) <= turn.now,
    ).length;
    if (dueCount > 0) happened('rolled back, a scheduled message has come due', turn);
    activateScheduled(queue, turn);
  }
}

function giveBackOne(
  queue: ModelQueue,
  message: ModelMessage,
  { isForgotten }: Pick<ModelOperation, 'isForgotten'>,
  turn: ModelTurn,
): void {
  const isOver = message.lock?.runsOut === true && message.lock.until <= turn.now;
  if (isOver) happened('rolled back, a lock has run out', turn);
  else if (isForgotten) happened('rolled back, the client has forgotten', turn);
  else happened('M39, locked as before', turn);
  if (isOver || isForgotten) returnCounted(queue, message, [], turn);
}

/** What the command settles, as far as it is still locked. */
function lockedBy(command: Command, { messages }: ModelQueue): readonly ModelMessage[] {
  if (command.kind !== 'settle' && command.kind !== 'settle-many') return [];
  const tokens = command.kind === 'settle' ? [command.lockToken] : [...new Set(command.lockTokens)];
  return tokens
    .map((token) => messages.find(({ lock }) => lock?.token === token))
    .filter((message) => message !== undefined);
}
