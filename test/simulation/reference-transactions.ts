// Transactions in the reference model: what is enlisted is held and kept as it is, and takes effect as a whole or not at all.

import type { Command, Outcome, SessionClaim, StepCommand } from '../../src/broker/contract/command.js';
import { type DescribedEntity, pathOf } from '../../src/broker/contract/entities/entity.js';
import { NEVER } from '../../src/broker/contract/instant.js';
import { partitionOf } from '../../src/broker/store/partition.js';
import { findHold } from './reference-receivers.js';
import { activateScheduled, ownKeyOf, reserve, storedBytes } from './reference-send.js';
import {
  type Claimed,
  type CommandOf,
  copyState,
  DONE,
  type ExpectedResult,
  failed,
  findTarget,
  happened,
  isSessionStore,
  type ModelMessage,
  type ModelOperation,
  type ModelQueue,
  type ModelState,
  type ModelTransaction,
  type ModelTurn,
  nothingExpected,
  PARTITION_SIZE,
  returnCounted,
  subscriptionsOf,
  type Target,
  topicOf,
} from './reference-state.js';

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

// Several commands as one step in the reference model: what each refuses by itself, and what one may not do after another.

export type Perform = (command: Command, turn: ModelTurn) => ExpectedResult;

/** What a command counts on, and what of it is another thing afterwards; by names of the model's own. */
type Claim = {
  readonly needs: readonly string[];
  readonly takes: readonly string[];
  /** What it brings into a queue or topic that has a limit, or takes away. */
  readonly room: Room | undefined;
};

type Room = Claimed['rooms'][number];

/** Whatever a broker may say of something that an earlier command of the step or transaction has. */
const TAKEN = [
  ...['not-allowed', 'message-lock-lost', 'session-lock-lost', 'message-not-found'],
  ...['session-cannot-be-locked', 'entity-already-exists'],
];

export function performStep(
  commands: readonly StepCommand[],
  turn: ModelTurn,
  perform: Perform,
): ExpectedResult {
  const claimed: Claimed = { things: [], rooms: [] };
  for (const command of commands) {
    const reasons = refusalsAfter(command, claimed, turn, perform);
    if (reasons.length === 0) continue;
    if (command !== commands[0]) happened('a step refused after its first command', turn);
    if (isTaken(claimOf(command, claimed, turn), claimed)) {
      happened('a step refused for what it has itself', turn);
    }
    return failed(...reasons);
  }
  const results = commands.map((command) => perform(command, { ...turn, hasRoom: true }));
  const refused = results.findIndex(({ kind }) => kind === 'failed');
  if (refused >= 0) throw new Error(`command ${refused} of a step counts on what an earlier one has changed`);
  return { kind: 'step', results };
}

/** Why the command cannot be done after those that have claimed something before it. If it can, it has claimed its own then. */
export function refusalsAfter(
  command: StepCommand,
  claimed: Claimed,
  turn: ModelTurn,
  perform: Perform,
): readonly string[] {
  const claim = claimOf(command, claimed, turn);
  const { room } = claim;
  const needsRoom = room !== undefined && (command.kind === 'send' || room.bytes > 0);
  const reasons = [
    ...refusalsOf(command, turn, perform).filter((one) => one !== 'quota-exceeded' || room === undefined),
    ...(isTaken(claim, claimed) ? TAKEN : []),
    ...(needsRoom && isFullWith(room.queueName, claimed, turn) ? ['quota-exceeded'] : []),
  ];
  if (reasons.length > 0) return reasons;
  claimed.things.push(...claim.takes);
  if (room !== undefined) claimed.rooms.push(room);
  return [];
}

function isTaken({ needs }: Claim, { things }: Claimed): boolean {
  return needs.some((one) => things.includes(one));
}

/** Tried on a copy: the first of a step that is refused is the last that is looked at. */
function refusalsOf(command: Command, turn: ModelTurn, perform: Perform): readonly string[] {
  const trial = { ...turn, state: copyState(turn.state), expected: nothingExpected(), isTrial: true };
  const result = perform(command, trial);
  return result.kind === 'failed' ? result.reasons : [];
}

/** SND-14, with what is to come and to go. */
function isFullWith(queueName: string, { rooms }: Claimed, { state, limits }: ModelTurn): boolean {
  const queue = state.queues.find(({ name }) => name === queueName);
  if (queue === undefined || !limits.hasEntitySizes) return false;
  const brought = rooms.filter((one) => one.queueName === queueName);
  const bytes = brought.reduce((sum, one) => sum + one.bytes, storedBytes(queue, state));
  return bytes >= queue.description.maxSizeInMegabytes * 2 ** 20;
}

function claimOf(command: StepCommand, claimed: Claimed, turn: ModelTurn): Claim {
  const entities = entitiesOf(command, turn);
  const inStore = 'entityPath' in command ? claimInStore(command, claimed, turn) : NOTHING;
  return {
    needs: [...entities.needs, ...inStore.needs],
    takes: [...entities.takes, ...inStore.takes],
    room: inStore.room,
  };
}

const NOTHING: Claim = { needs: [], takes: [], room: undefined };

/** ENT-04, TOP-11: names of entities, and the rules of a topic as a whole. */
function entitiesOf(command: StepCommand, turn: ModelTurn): Claim {
  const named = namesIn(command).map((name) => entityName(name, turn));
  const needs = [...new Set(named.flat())];
  const own = needs.slice(0, 1);
  switch (command.kind) {
    case 'put-entity': {
      const path = pathOf(command);
      const isNew = findTarget(turn.state, path) === undefined;
      const rules =
        command.type === 'subscription' && isNew ? [`rules ${command.topicName.toLowerCase()}`] : [];
      return {
        needs: [...needs, ...rules, ...destinations(command, turn)],
        takes: [...own, ...rules],
        room: undefined,
      };
    }
    case 'delete-entity':
      return { needs, takes: own, room: undefined };
    case 'add-rule':
    case 'update-rule':
    case 'remove-rule':
    case 'set-rules': {
      const rules = [`rules ${topicNameIn(command.entityPath)}`];
      return { needs: [...needs, ...rules], takes: rules, room: undefined };
    }
    case 'get-rule':
      return { needs: [...needs, `rules ${topicNameIn(command.entityPath)}`], takes: [], room: undefined };
    default:
      return { needs, takes: [], room: undefined };
  }
}

/** The entity itself first. */
function namesIn(command: StepCommand): readonly string[] {
  if (command.kind === 'transfer' && command.isChecked !== true)
    return [command.entityPath, command.destination];
  if ('entityPath' in command) return [command.entityPath];
  const topic = 'topicName' in command ? [command.topicName] : [];
  return command.kind === 'put-entity' ? [pathOf(command), ...topic] : topic;
}

/** A subscription with its topic. */
function entityName(path: string, { state }: ModelTurn): readonly string[] {
  const name =
    findTarget(state, path)?.queue.name ?? path.replace(/(\/\$transfer)?\/\$deadletterqueue$/i, '');
  const topic = /^(.+)\/subscriptions\/[^/]+$/i.exec(name)?.[1];
  return [name, ...(topic === undefined ? [] : [topic])].map((one) => `entity ${one.toLowerCase()}`);
}

function destinations(entity: DescribedEntity, turn: ModelTurn): readonly string[] {
  if (entity.type === 'topic') return [];
  const { name, forwardTo, forwardDeadLetteredMessagesTo } = entity.description;
  return [forwardTo, forwardDeadLetteredMessagesTo]
    .filter((one) => one !== undefined)
    .filter((one) => entity.type !== 'queue' || one.toLowerCase() !== name.toLowerCase())
    .flatMap((one) => entityName(one, turn));
}

function topicNameIn(path: string): string {
  return path.toLowerCase().split('/subscriptions/')[0] ?? path;
}

type InStore = Extract<StepCommand, { readonly entityPath: string }>;

function claimInStore(command: InStore, claimed: Claimed, turn: ModelTurn): Claim {
  const target = findTarget(turn.state, command.entityPath);
  if (target === undefined) return NOTHING;
  const { queue, place } = target;
  const store = `${place} ${queue.name}`;
  const session = 'session' in command ? sessionNeeds(command.session, target) : [];
  const needsOnly = (needs: readonly string[]): Claim => ({ needs, takes: [], room: undefined });
  const both = (things: readonly string[], needs: readonly string[] = []): Claim => ({
    needs: [...things, ...needs],
    takes: things,
    room: undefined,
  });
  switch (command.kind) {
    case 'send':
      return {
        ...NOTHING,
        room: { queueName: queue.name, bytes: bytesOfSend(command.messages, queue, turn) },
      };
    case 'settle':
      return {
        ...both([`lock ${command.lockToken}`]),
        room: roomOfCompleted(command, [command.lockToken], queue),
      };
    case 'settle-many': {
      const locks = both(
        command.lockTokens.map((token) => `lock ${token}`),
        session,
      );
      return { ...locks, room: roomOfCompleted(command, command.lockTokens, queue) };
    }
    case 'renew-lock':
      return needsOnly(command.lockTokens.map((token) => `lock ${token}`));
    case 'receive-deferred': {
      const messages = command.sequenceNumbers.map((number) => `message ${store} ${number}`);
      const ofOne = `deferred ${store} ${command.session?.sessionId}`;
      return both(messages, [`deferred ${store}`, ofOne, ...session]);
    }
    case 'cancel-scheduled': {
      const going = queue.messages.filter(
        (one) =>
          one.schedule !== undefined && place === 'main' && command.sequenceNumbers.includes(one.number),
      );
      const claim = both(command.sequenceNumbers.map((number) => `message ${store} ${number}`));
      return { ...claim, room: { queueName: queue.name, bytes: -bytesOf(going) } };
    }
    case 'delete-messages': {
      const ofOne = command.session === undefined ? '' : ` ${command.session.sessionId}`;
      return { needs: session, takes: [`deferred ${store}${ofOne}`], room: undefined };
    }
    case 'set-session-state':
      return { needs: session, takes: [], room: roomForState(command, target, claimed, turn) };
    default:
      return needsOnly(session);
  }
}

function sessionNeeds(claim: SessionClaim | undefined, target: Target): readonly string[] {
  if (claim === undefined || !isSessionStore(target)) return [];
  return [`session ${target.queue.name} ${claim.sessionId}`];
}

/** SES-15; against the size that an earlier command has set. */
function roomForState(
  { session, state }: Extract<StepCommand, { kind: 'set-session-state' }>,
  { queue }: Target,
  { rooms }: Claimed,
  turn: ModelTurn,
): Room {
  const key = `${queue.name} ${session.sessionId}`;
  const before = queue.sessionStates.find(({ sessionId }) => sessionId === session.sessionId);
  const ofSession = rooms.filter((one) => one.session === key);
  const planned = ofSession.reduce((sum, one) => sum + one.bytes, before?.content.length ?? 0);
  const queueName = (topicOf(queue, turn.state) ?? queue).name;
  return { queueName, bytes: (state?.length ?? 0) - planned, session: key };
}

/** A topic without subscriptions keeps nothing. */
function bytesOfSend(
  messages: readonly { readonly content: Uint8Array }[],
  queue: ModelQueue,
  turn: ModelTurn,
): number {
  const keepsNothing = queue.kind === 'topic' && subscriptionsOf(queue, turn.state).length === 0;
  return keepsNothing ? 0 : bytesOf(messages);
}

/** Of a subscription it is not counted: others may share the content. */
function roomOfCompleted(
  { outcome }: { readonly outcome: Outcome },
  tokens: readonly string[],
  queue: ModelQueue,
): Room | undefined {
  if (outcome.kind !== 'complete' || queue.kind === 'subscription') return undefined;
  const going = queue.messages.filter(({ lock }) => lock !== undefined && tokens.includes(lock.token));
  return { queueName: queue.name, bytes: -bytesOf(going) };
}

function bytesOf(messages: readonly { readonly content: Uint8Array }[]): number {
  return messages.reduce((sum, { content }) => sum + content.length, 0);
}
