// A command of a transaction: checked when it comes, and held until the discharge, or done at once if it changes nothing that a
// roll back would take back (TXN-02).

import type { BrokerParts } from '../broker-parts.js';
import type { SingleCommand, StepCommand } from '../command.js';
import type { MessageStore } from '../entity/message-store.js';
import type { CommandOf } from '../handler.js';
import { reserveNumbers } from '../message/reserved-numbers.js';
import type { StoredMessage } from '../message/stored-message.js';
import type { Result } from '../result.js';
import { ServiceBusError } from '../service-bus-error.js';
import { carryOutOne, check } from '../step.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { keepInOneEntity, throughVia } from './one-entity.js';
import type { Operation, Transaction } from './transaction.js';

/** Operations of one transaction: a commit is one turn, and what waits for it is in memory. */
const MOST_OPERATIONS = 10_000;

/** What takes effect with the discharge, and not before (TXN-07). */
type HeldCommand = Extract<
  StepCommand,
  { kind: 'send' | 'transfer' | 'settle' | 'settle-many' | 'cancel-scheduled' | 'set-session-state' }
>;

/** What is done when it comes, and stays done: it looks, or lasts no longer than a lock. .NET has the id on all its requests. */
const AT_ONCE: readonly SingleCommand['kind'][] = [
  ...(['renew-lock', 'renew-session-lock', 'receive-deferred', 'peek', 'get-session-state'] as const),
  ...(['list-sessions', 'get-rule', 'list-rules', 'find-entity'] as const),
];

export function enlist(
  { transactionId, connectionId, command, via, isForgotten = false }: CommandOf<'enlist'>,
  parts: BrokerParts,
  turn: TurnInProgress,
): Result {
  const transaction = parts.transactions.find(transactionId, connectionId);
  parts.transactions.begin(transaction, turn.now);
  try {
    if (AT_ONCE.includes(command.kind)) return succeeded(carryOutOne(command, parts, turn));
    if (!isHeld(command)) throw noPart(command);
    return hold(transaction, throughVia(command, via, parts), { via, isForgotten }, parts, turn);
  } catch (error) {
    // Its commit fails: only so a client learns of it that sends without waiting for outcomes.
    if (error instanceof ServiceBusError) transaction.doom(error);
    throw error;
  }
}

function hold(
  transaction: Transaction,
  command: HeldCommand,
  { via, isForgotten }: { readonly via: string | undefined; readonly isForgotten: boolean },
  parts: BrokerParts,
  turn: TurnInProgress,
): Result {
  if (transaction.operations.length >= MOST_OPERATIONS) throw tooMany(transaction);
  const { store } = check(command, transaction.claims, parts, turn);
  const place = store ?? parts.namespace.store(command.entityPath);
  keepInOneEntity(transaction, command, place, via, parts);
  checkCount(transaction, command, parts);
  place.queue.used(turn.now); // IDL-03
  const operation = {
    command,
    store: place,
    isForgotten,
    locks: locksOf(command, parts),
    scheduled: [],
    sessionLock: sessionOf(command, place),
  };
  if (command.kind === 'send' && command.reservesNumbers === true) {
    const reserved = reserveNumbers(place.queue, command.messages, turn);
    const numbers = reserved.map(({ sequenceNumber, isOfOther }) => (isOfOther ? undefined : sequenceNumber));
    transaction.operations.push({ ...operation, command: { ...command, numbers } });
    return { kind: 'sent', sequenceNumbers: reserved.map(({ sequenceNumber }) => sequenceNumber) };
  }
  const held = { ...operation, command: asCommitted(command), scheduled: scheduledOf(command, operation) };
  pin(held, transaction, parts);
  transaction.operations.push(held);
  turn.touch(place); // what is pinned is due no more
  return { kind: 'enlisted' };
}

/** A lock does not run out, and a message does not come due, while they are enlisted (TXN-06, M38). */
function pin({ locks, scheduled, store }: Operation, transaction: Transaction, parts: BrokerParts): void {
  for (const lock of locks) parts.locks.pin(lock, transaction);
  for (const message of scheduled) store.scheduled.pin(message);
}

/** TXN-11: where it cannot go then, it is dead-lettered or waits. */
function asCommitted(command: HeldCommand): HeldCommand {
  return command.kind === 'transfer' ? { ...command, isChecked: true } : command;
}

function locksOf(command: HeldCommand, { locks }: BrokerParts): Operation['locks'] {
  if (command.kind !== 'settle' && command.kind !== 'settle-many') return [];
  const tokens = command.kind === 'settle' ? [command.lockToken] : new Set(command.lockTokens);
  return [...tokens].map((token) => locks.find(token)).filter((lock) => lock !== undefined);
}

function sessionOf(command: HeldCommand, { sessions }: MessageStore): Operation['sessionLock'] {
  const session = 'session' in command ? command.session : undefined;
  return session === undefined ? undefined : sessions?.find(session.sessionId)?.lock;
}

function scheduledOf(command: HeldCommand, { store }: Pick<Operation, 'store'>): readonly StoredMessage[] {
  if (command.kind !== 'cancel-scheduled') return [];
  return command.sequenceNumbers
    .map((number) => store.log.find(number))
    .filter((message) => message !== undefined);
}

/** TXN-09, LIM-14: a batch counts by its messages. */
function checkCount(transaction: Transaction, command: HeldCommand, { limits }: BrokerParts): void {
  if (command.kind !== 'send' && command.kind !== 'transfer') return;
  transaction.sentCount += command.messages.length;
  const limit = limits.maxTransactionMessages;
  if (transaction.sentCount <= limit) return;
  const text = `Cannot send more than ${limit} messages in a single transaction.`;
  throw new ServiceBusError('quota-exceeded', text, { value: transaction.sentCount, limit });
}

function isHeld(command: SingleCommand): command is HeldCommand {
  return ['send', 'transfer', 'settle', 'settle-many', 'cancel-scheduled', 'set-session-state'].includes(
    command.kind,
  );
}

function tooMany({ operations }: Transaction): ServiceBusError {
  const value = operations.length;
  const text = `The transaction holds ${value} operations; the limit is ${MOST_OPERATIONS}. Commit it and begin another.`;
  return new ServiceBusError('quota-exceeded', text, { value, limit: MOST_OPERATIONS });
}

function noPart({ kind }: SingleCommand): ServiceBusError {
  const text =
    `'${kind}' can be no part of a transaction: a roll back would not take it back. ` +
    'Messages are sent, settled, scheduled and cancelled in one, and states of sessions set.';
  return new ServiceBusError('not-allowed', text);
}

/** A refusal that has changed something is a result, and dooms as any other. */
function succeeded(result: Result): Result {
  if (result.kind === 'failed') throw result.error;
  return result;
}
