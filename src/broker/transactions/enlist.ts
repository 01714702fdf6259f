// Enlists a command in a transaction: checks it when it arrives and holds it until the discharge. A command that a rollback
// would not have to undo is executed at once (TXN-02).

import type { SingleCommand, StepCommand } from '../contract/command.js';
import type { NewMessage } from '../contract/message-properties.js';
import type { Result } from '../contract/result.js';
import { ServiceBusError } from '../contract/service-bus-error.js';
import { check, executeOne } from '../execution/step.js';
import { choosePartition, findOriginal } from '../queue/accept.js';
import { sessionsOf } from '../sessions/message-sessions.js';
import { duplicateKeyOf } from '../store/duplicate-detection.js';
import type { MessageStore, Queue } from '../store/queue.js';
import type { StoredMessage } from '../store/stored-message.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import type { CommandOf } from '../turn/handler.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import { restrictToOneEntity, routeThroughVia } from './one-entity.js';
import type { Operation, Transaction } from './transaction.js';

/** The most operations in one transaction: they wait in memory, and a commit is one turn. */
const MAX_OPERATIONS = 10_000;

/** The most messages that all operations of a transaction are about, which a commit changes in 0.5 s. */
const MAX_MESSAGES = 100_000;

/** The commands that take effect with the discharge (TXN-07). */
type HeldCommand = Extract<
  StepCommand,
  { kind: 'send' | 'transfer' | 'settle' | 'settle-many' | 'cancel-scheduled' | 'set-session-state' }
>;

/** Commands executed at once: they only read or affect a lock. .NET sends the transaction id with all its requests. */
const IMMEDIATE: readonly SingleCommand['kind'][] = [
  'renew-lock',
  'renew-session-lock',
  'receive-deferred',
  'peek',
  'get-session-state',
  'list-sessions',
  'get-rule',
  'list-rules',
  'find-entity',
];

type Membership = {
  readonly via: string | undefined;
  /** Whether the transaction is about one entity (TXN-03). */
  readonly isOfOne: boolean;
  readonly isForgotten: boolean;
};

export function enlist(
  {
    transactionId,
    connectionId,
    command,
    via,
    spansEntities = false,
    isForgotten = false,
  }: CommandOf<'enlist'>,
  parts: BrokerParts,
  turn: TurnInProgress,
): Result {
  const transaction = parts.transactions.find(transactionId, connectionId);
  parts.transactions.begin(transaction, turn.now);
  try {
    if (IMMEDIATE.includes(command.kind)) return succeeded(executeOne(command, parts, turn));
    if (!isHeld(command)) throw notTransactional(command);
    const isOfOne = parts.limits.hasOneEntityTransactions && !spansEntities; // JMS-70
    const routed = isOfOne ? routeThroughVia(command, via, parts) : command;
    return hold(transaction, routed, { via, isOfOne, isForgotten }, parts, turn);
  } catch (error) {
    // Makes the commit fail: a client that sends without waiting for outcomes notices the error in no other way.
    if (error instanceof ServiceBusError) transaction.doom(error);
    throw error;
  }
}

function hold(
  transaction: Transaction,
  command: HeldCommand,
  { via, isOfOne, isForgotten }: Membership,
  parts: BrokerParts,
  turn: TurnInProgress,
): Result {
  if (transaction.operations.length >= MAX_OPERATIONS) throw tooMany(transaction);
  const checked = check(command, transaction.claims, parts, turn);
  const store = checked.store ?? parts.namespace.store(command.entityPath);
  if (isOfOne) restrictToOneEntity(transaction, command, store, via, parts);
  checkCount(transaction, command, parts);
  store.queue.used(turn.now); // IDL-03
  const operation = {
    command,
    store,
    isForgotten,
    locks: locksOf(command, parts),
    scheduled: [],
    sessionLock: sessionOf(command, store),
  };
  if (command.kind === 'send' && command.reservesNumbers === true) {
    const reserved = reserveNumbers(store.queue, command.messages, turn);
    const numbers = reserved.map(({ sequenceNumber, isDuplicate }) =>
      isDuplicate ? undefined : sequenceNumber,
    );
    transaction.operations.push({ ...operation, command: { ...command, numbers } });
    return { kind: 'sent', sequenceNumbers: reserved.map(({ sequenceNumber }) => sequenceNumber) };
  }
  const held = { ...operation, command: asCommitted(command), scheduled: scheduledOf(command, operation) };
  pin(held, transaction, parts);
  transaction.operations.push(held);
  turn.touch(store); // pinned messages and locks are no longer due
  return { kind: 'enlisted' };
}

/** Pins enlisted locks and scheduled messages: the locks do not expire and the messages do not come due (TXN-06, M38). */
function pin({ locks, scheduled, store }: Operation, transaction: Transaction, parts: BrokerParts): void {
  for (const lock of locks) parts.locks.pin(lock, transaction);
  for (const message of scheduled) store.scheduled.pin(message);
}

/** TXN-11: a committed transfer is not refused any more. If its destination refuses it, it waits or is dead-lettered. */
function asCommitted(command: HeldCommand): HeldCommand {
  return command.kind === 'transfer' ? { ...command, isChecked: true } : command;
}

function locksOf(command: HeldCommand, { locks }: BrokerParts): Operation['locks'] {
  if (command.kind !== 'settle' && command.kind !== 'settle-many') return [];
  const tokens = command.kind === 'settle' ? [command.lockToken] : new Set(command.lockTokens);
  return [...tokens].map((token) => locks.present(token)).filter((lock) => lock !== undefined);
}

function sessionOf(command: HeldCommand, store: MessageStore): Operation['sessionLock'] {
  const session = 'session' in command ? command.session : undefined;
  return session === undefined ? undefined : sessionsOf(store)?.find(session.sessionId)?.lock;
}

function scheduledOf(command: HeldCommand, { store }: Pick<Operation, 'store'>): readonly StoredMessage[] {
  if (command.kind !== 'cancel-scheduled') return [];
  return command.sequenceNumbers
    .map((number) => store.log.find(number))
    .filter((message) => message !== undefined);
}

/** TXN-09, LIM-14: a batch counts each of its messages. */
function checkCount(transaction: Transaction, command: HeldCommand, { limits }: BrokerParts): void {
  transaction.messageCount += messagesOf(command);
  if (transaction.messageCount > MAX_MESSAGES) {
    const value = transaction.messageCount;
    const text = `The transaction is about ${value} messages; the limit is ${MAX_MESSAGES}. Commit it and begin another.`;
    throw new ServiceBusError('quota-exceeded', text, { value, limit: MAX_MESSAGES });
  }
  if (command.kind !== 'send' && command.kind !== 'transfer') return;
  transaction.sentCount += command.messages.length;
  const limit = limits.maxTransactionMessages;
  if (transaction.sentCount <= limit) return;
  const text = `Cannot send more than ${limit} messages in a single transaction.`;
  throw new ServiceBusError('quota-exceeded', text, { value: transaction.sentCount, limit });
}

/** How many messages the command is about. */
function messagesOf(command: HeldCommand): number {
  if ('messages' in command) return command.messages.length;
  if ('lockTokens' in command) return command.lockTokens.length;
  return 'sequenceNumbers' in command ? command.sequenceNumbers.length : 1;
}

function isHeld(command: SingleCommand): command is HeldCommand {
  return ['send', 'transfer', 'settle', 'settle-many', 'cancel-scheduled', 'set-session-state'].includes(
    command.kind,
  );
}

function tooMany({ operations }: Transaction): ServiceBusError {
  const value = operations.length;
  const text = `The transaction holds ${value} operations; the limit is ${MAX_OPERATIONS}. Commit it and begin another.`;
  return new ServiceBusError('quota-exceeded', text, { value, limit: MAX_OPERATIONS });
}

function notTransactional({ kind }: SingleCommand): ServiceBusError {
  const text =
    `'${kind}' can be no part of a transaction: a roll back would not take it back. ` +
    'Messages are sent, settled, scheduled and cancelled in one, and states of sessions set.';
  return new ServiceBusError('not-allowed', text);
}

/** Throws the error of a refusal that came as a result because it had changes, so that it dooms the transaction too. */
function succeeded(result: Result): Result {
  if (result.kind === 'failed') throw result.error;
  return result;
}

type Reserved = {
  readonly sequenceNumber: number;
  /**
   * The message duplicates another one, which has this number (DUP-05). The commit accepts it if the other one's message-id has
   * been forgotten by then.
   */
  readonly isDuplicate: boolean;
};

/** Reserves the sequence numbers of messages scheduled in a transaction, in their order. */
function reserveNumbers(
  queue: Queue,
  messages: readonly NewMessage[],
  turn: TurnInProgress,
): readonly Reserved[] {
  return messages.map((message) => {
    const key = duplicateKeyOf(queue.description, message);
    const original = key === undefined ? undefined : findOriginal(queue, key, turn.now);
    if (original !== undefined) return { sequenceNumber: original.sequenceNumber, isDuplicate: true };
    const partitionId = choosePartition(queue, message);
    turn.numberTaken(queue, partitionId);
    return { sequenceNumber: queue.sequenceNumbers.take(partitionId), isDuplicate: false };
  });
}
