// Messages come in, in the reference model: at once, at their scheduled time, or not at all if they are duplicates. And what it
// says no to: every reason there is, since the order in which a broker looks is its own affair.

import type { Command } from '../../src/broker/contract/command.js';
import type { QueueDescription } from '../../src/broker/contract/entities/queue-description.js';
import type { Limits } from '../../src/broker/contract/limits.js';
import {
  MESSAGE_STATE,
  type NewMessage,
  type PropertyValue,
  type SystemChanges,
} from '../../src/broker/contract/message-properties.js';
import type { Filter, ParameterValue, RuleDescription } from '../../src/broker/contract/rule-description.js';
import { ServiceBusError } from '../../src/broker/contract/service-bus-error.js';
import { partitionOf } from '../../src/broker/store/partition.js';
import { CONTENT_READER, type MadeProperties, readHead, readProperties } from './message-content.js';
import {
  type Arrived,
  activate,
  type ExpectedResult,
  effectiveTimeToLive,
  failed,
  happened,
  isDeadLetterQueue,
  keyOf,
  type Luggage,
  type ModelMessage,
  type ModelNote,
  type ModelQueue,
  type ModelState,
  type ModelTurn,
  newMessage,
  nextNumber,
  PARTITION_SIZE,
  PARTITIONS,
  type Place,
  put,
  reasonOf,
  remove,
  subscriptionsOf,
  type Target,
  type ToldFanOut,
  topicOf,
  type WaitingFanOut,
  waitingIn,
} from './reference-state.js';
import { check } from './simulation-failure.js';

type Send = Extract<Command, { kind: 'send' }>;

export function send(
  { messages, numbers, isBatch = false }: Send,
  target: Target,
  turn: ModelTurn,
): ExpectedResult {
  const { queue } = target;
  queue.activeAt = turn.now;
  const reasons = refusalsOfSend(target, messages, turn, { isBatch });
  if (reasons.length > 0) return failed(...reasons);
  queue.accessedAt = turn.now;
  const sequenceNumbers = messages.map((message, index) => {
    const isScheduled = (message.scheduledEnqueueTime ?? 0) > turn.now; // else it has a new number: SCH-03
    const reserved = isScheduled ? numbers?.[index] : undefined;
    return accept(queue, message, newLuggage(message), turn, { reserved });
  });
  return { kind: 'sent', sequenceNumbers };
}

/** SCH-04: told before the messages are there. A message that repeats another is told the number of that, and has none. */
export function reserve(
  queue: ModelQueue,
  messages: readonly NewMessage[],
  turn: ModelTurn,
): readonly { readonly told: number; readonly reserved: number | undefined }[] {
  return messages.map((message) => {
    const noted = findNoted(queue, message);
    if (noted !== undefined) {
      happened('a number told of a message that repeats another', turn);
      return { told: noted.number, reserved: undefined };
    }
    const number = nextNumber(queue, partitionFor(queue, message), turn);
    return { told: number, reserved: number };
  });
}

export function newLuggage({ messageId }: NewMessage): Luggage {
  const invented = messageId === undefined ? { id: undefined } : undefined;
  const nothing = {
    isShared: false,
    submittedNumber: undefined,
    deadLetterSource: undefined,
    hops: 0,
  };
  return { invented, ...nothing, changes: {}, systemChanges: {} };
}

/** Sent, or forwarded: all refusals have been made. */
export function accept(
  queue: ModelQueue,
  message: NewMessage,
  luggage: Luggage,
  turn: ModelTurn,
  {
    comesBack = false,
    reserved,
  }: { readonly comesBack?: boolean; readonly reserved?: number | undefined } = {},
): number {
  const key = duplicateKey(queue, message);
  const noted = findNoted(queue, message);
  if (noted !== undefined && comesBack) happened('M1 of an id that came back', turn);
  else if (noted !== undefined) {
    happened(luggage.hops > 0 ? 'M3 forwarded' : 'M3', turn);
    return noted.number; // DUP-05
  }
  const number = reserved ?? nextNumber(queue, partitionFor(queue, message), turn);
  if (key !== undefined && noted === undefined) {
    const note = { key, number, acceptedAt: turn.now };
    queue.noted.push(note);
    turn.expected.noted.push({ queue, note });
  }
  store(queue, message, luggage, number, turn);
  return number;
}

function findNoted(queue: ModelQueue, message: NewMessage): ModelNote | undefined {
  const key = duplicateKey(queue, message);
  return key === undefined ? undefined : queue.noted.find((one) => one.key === key);
}

function store(
  queue: ModelQueue,
  message: NewMessage,
  luggage: Luggage,
  number: number,
  turn: ModelTurn,
): void {
  const { now } = turn;
  const { content, sessionId, scheduledEnqueueTime: enqueueAt = now } = message;
  const timeToLiveMs = message.timeToLiveMs ?? Number.POSITIVE_INFINITY;
  const isScheduled = enqueueAt > now; // SCH-05
  happened(isScheduled ? 'M2' : 'M1', turn);
  if (luggage.hops > 0) happened(`${isScheduled ? 'M2' : 'M1'} forwarded`, turn);
  if (message.scheduledEnqueueTime !== undefined && !isScheduled) happened('scheduled too late', turn);
  if (queue.kind === 'topic' && !isScheduled) {
    fanOut(queue, { number, enqueuedTime: now, message, luggage, wasScheduled: false }, turn);
    return;
  }
  const stored = newMessage(queue, luggage, {
    place: 'main',
    number,
    state: isScheduled ? MESSAGE_STATE.scheduled : MESSAGE_STATE.active,
    enqueuedTime: now,
    expiresAt: isScheduled ? Number.POSITIVE_INFINITY : now + effectiveTimeToLive(queue, timeToLiveMs, turn),
    schedule: isScheduled ? { enqueueAt, timeToLiveMs } : undefined,
    content,
    sessionId,
  });
  queue.messages.push(stored);
  put(queue, stored, turn);
}

/** DUP-01, DUP-02; undefined when the message is not checked (DUP-07). */
function duplicateKey({ description }: ModelQueue, message: NewMessage): string | undefined {
  const { messageId, sessionId, partitionKey } = message;
  if (!description.requiresDuplicateDetection || messageId === undefined) return undefined;
  return JSON.stringify([messageId, description.enablePartitioning ? (sessionId ?? partitionKey ?? '') : '']);
}

/** PRT-02. */
function partitionFor(queue: ModelQueue, message: NewMessage): number {
  if (!queue.description.enablePartitioning) return 0;
  const key = ownKeyOf(queue, message) ?? message.viaPartitionKey;
  if (key !== undefined) return partitionOf(key);
  const partition = queue.nextPartition;
  queue.nextPartition = (partition + 1) % PARTITIONS;
  return partition;
}

/** PRT-02. */
export function ownKeyOf(
  { description }: ModelQueue,
  { sessionId, partitionKey, messageId }: NewMessage,
): string | undefined {
  return sessionId ?? partitionKey ?? (description.requiresDuplicateDetection ? messageId : undefined);
}

function hasSeveralKeys(queue: ModelQueue, messages: readonly NewMessage[]): boolean {
  const keys = new Set(messages.map((message) => ownKeyOf(queue, message)));
  return queue.description.enablePartitioning && keys.size > 1;
}

/** SCH-11. */
export function isHeldBack(queue: ModelQueue): boolean {
  return queue.kind === 'topic' && !maySend(queue);
}

/** What an open transaction cancels waits for that (TXN-02). */
export function activateScheduled(queue: ModelQueue, turn: ModelTurn): void {
  const due = queue.messages.filter(
    ({ schedule, cancelledBy }) =>
      (schedule?.enqueueAt ?? turn.now + 1) <= turn.now && cancelledBy === undefined,
  );
  if (isHeldBack(queue)) {
    if (due.length > 0) happened('held back at a topic', turn);
    return;
  }
  due.sort((a, b) => timeOf(a) - timeOf(b) || a.number - b.number);
  for (const message of due) {
    if (queue.kind === 'topic') activateAtTopic(queue, message, turn);
    else activate(queue, message, turn);
  }
}

/** SCH-08: by the rules of now. */
function activateAtTopic(topic: ModelQueue, message: ModelMessage, turn: ModelTurn): void {
  const wasHeldBack = timeOf(message) < topic.enqueuesFrom - 1;
  happened(wasHeldBack ? 'M4 at a topic that is active again' : 'M4 at a topic', turn);
  const { content, schedule, sessionId } = message;
  const number = nextNumber(topic, Math.floor(message.number / PARTITION_SIZE), turn);
  remove(topic, message, turn);
  const head = readHead(content);
  const messageId = message.systemChanges.messageId ?? head.messageId;
  const asSent = { ...head, content, messageId, sessionId, timeToLiveMs: schedule?.timeToLiveMs };
  const enqueuedTime = turn.now;
  fanOut(topic, { number, enqueuedTime, message: asSent, luggage: message, wasScheduled: true }, turn);
}

function timeOf({ schedule }: ModelMessage): number {
  return schedule?.enqueueAt ?? 0;
}

const MEGABYTE = 2 ** 20;

type Check = readonly [isWrong: boolean, reason: string];

/**
 * What the broker's own checks of a description say no to: they look at nothing but what is given, and have tests of
 * their own. The model shows that they are made.
 */
export function refusalsOf(...checks: readonly (() => void)[]): readonly string[] {
  return checks.flatMap((make) => {
    try {
      make();
      return [];
    } catch (error) {
      if (error instanceof ServiceBusError) return [error.reason];
      throw error;
    }
  });
}

/** FWD-02: whether messages may be forwarded to a queue or topic of this name. */
export function mayForwardTo(destination: string, { queues }: ModelState): boolean {
  return queues.some(
    (one) => one.kind !== 'subscription' && one.name.toLowerCase() === destination.toLowerCase(),
  );
}

/** For messages that are sent together. */
export function refusalsOfSend(
  { queue, place }: Target,
  messages: readonly NewMessage[],
  { limits, state, hasRoom = false }: ModelTurn,
  { isBatch = false } = {},
): readonly string[] {
  const { description } = queue;
  const sizes = messages.map((message) => message.content.length);
  return reasonsAmong([
    [isDeadLetterQueue(place) || queue.kind === 'subscription', 'not-allowed'],
    [!maySend(queue), 'entity-disabled'],
    [messages.length > limits.maxBatchCount, 'not-allowed'],
    [sizes.some((size) => size > maxSize(queue, limits)), 'message-size-exceeded'],
    [messages.length > 1 && sum(sizes) > limits.maxMessageSizeBytes, 'message-size-exceeded'],
    [!hasRoom && isFull(queue, state, limits), 'quota-exceeded'],
    [isBatch && hasSeveralKeys(queue, messages), 'not-allowed'], // PRT-06
    ...messages.flatMap((message) => checksOfMessage(message, description, limits)),
  ]);
}

function checksOfMessage(
  message: NewMessage,
  { requiresSession, requiresDuplicateDetection, enablePartitioning }: QueueDescription,
  limits: Limits,
): readonly Check[] {
  const { messageId, sessionId, replyToSessionId, partitionKey, viaPartitionKey } = message;
  const keys = [messageId, sessionId, partitionKey];
  const isKeyless = keys.every((key) => key === undefined);
  const isSplit = sessionId !== undefined && partitionKey !== undefined && sessionId !== partitionKey;
  const ids = [...keys, replyToSessionId, viaPartitionKey];
  const isBinary = message.unsupportedProperty?.type === 'binary';
  return [
    [requiresSession && sessionId === undefined, 'not-allowed'], // SND-06
    [ids.some((id) => (id?.length ?? 0) > limits.maxIdLength), 'not-allowed'], // MSG-07
    [message.unsupportedProperty !== undefined && !isBinary, 'not-allowed'], // SND-16
    [isBinary, 'message-size-exceeded'], // MSG-11
    [message.headBytes > limits.maxHeadBytes, 'message-size-exceeded'], // MSG-08
    [message.largestPropertyBytes > limits.maxPropertyBytes, 'property-size-exceeded'],
    [message.timeToLiveMs !== undefined && message.timeToLiveMs < 0, 'argument'],
    [isSplit, 'not-allowed'], // PRT-03
    [enablePartitioning && requiresDuplicateDetection && isKeyless, 'not-allowed'], // DUP-06
  ];
}

export function maxSize({ description }: ModelQueue, limits: Limits): number {
  const kilobytes = description.maxMessageSizeInKilobytes;
  return kilobytes === undefined ? limits.maxMessageSizeBytes : 1024 * kilobytes;
}

/** LIM-05. */
export function isFull(queue: ModelQueue, state: ModelState, { hasEntitySizes }: Limits): boolean {
  const whole = topicOf(queue, state) ?? queue;
  return hasEntitySizes && storedBytes(whole, state) >= whole.description.maxSizeInMegabytes * MEGABYTE;
}

/** CNT-01, SES-15: states count as messages do; CNT-02: copies at a topic count once. */
export function storedBytes(queue: ModelQueue, state: ModelState): number {
  const subscriptions = subscriptionsOf(queue, state);
  const copies = subscriptions.flatMap((one) => one.messages).map(({ content }) => content);
  const states = [queue, ...subscriptions].flatMap((one) => one.sessionStates);
  const counted = [...queue.messages, ...states].map(({ content }) => content);
  return sum([...counted, ...new Set(copies)].map(({ length }) => length));
}

export function maySend({ description }: ModelQueue): boolean {
  return description.status !== 'Disabled' && description.status !== 'SendDisabled';
}

export function mayReceive({ description }: ModelQueue): boolean {
  return description.status !== 'Disabled' && description.status !== 'ReceiveDisabled';
}

function reasonsAmong(checks: readonly Check[]): readonly string[] {
  return checks.filter(([isWrong]) => isWrong).map(([, reason]) => reason);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

// A message at a topic, in the reference model: each subscription gets what its rules make of it (TOP-01 to TOP-09).
// There are few expressions, and each has its own line here.

/** A message, as rules see it. */
type Ruled = MadeProperties & {
  readonly messageId: string | undefined;
  readonly sessionId: string | undefined;
};

/** What an action does to a copy; the values as text. */
type Changes = {
  /** Null: removed. */
  readonly properties: Readonly<Record<string, string | null>>;
  readonly system: SystemChanges;
};

/** It cannot be carried out (TOP-09). */
const FAILS = 'fails';

/** SQL-09: what is unknown does not match. */
export const CONDITIONS: Readonly<Record<string, (message: Ruled) => boolean | typeof FAILS>> = {
  "color = 'red'": ({ color }) => color === 'red',
  "user.Color IN ('red', 'blue')": ({ color }) => color === 'red' || color === 'blue',
  "NOT color = 'red'": ({ color }) => color !== undefined && color !== 'red',
  'color IS NULL': ({ color }) => color === undefined,
  "sys.Label LIKE 'al%' OR quantity > 2": ({ subject = '', quantity = 0 }) =>
    subject.startsWith('al') || quantity > 2,
  'EXISTS(quantity)': ({ quantity }) => quantity !== undefined,
  "sys.SessionId = 'east'": ({ sessionId }) => sessionId === 'east',
  '12 / quantity > 3': ({ quantity }) => {
    if (quantity === undefined) return false;
    return quantity === 0 ? FAILS : Math.trunc(12 / quantity) > 3;
  },
};

/** Conditions that mean the same as selectors. */
export const SELECTORS: Readonly<Record<string, (message: Ruled) => boolean>> = {
  "color = 'red'": ({ color }) => color === 'red',
  "NOT color = 'red'": ({ color }) => color !== undefined && color !== 'red',
};

const NOTHING: Changes = { properties: {}, system: {} };

export const ACTIONS: Readonly<Record<string, (message: Ruled, at: number) => Changes | typeof FAILS>> = {
  "SET color = 'green'": () => ({ ...NOTHING, properties: { color: 'green' } }),
  'REMOVE color': ({ color }) =>
    color === undefined ? NOTHING : { ...NOTHING, properties: { color: null } },
  "SET sys.Label = 'beta'; SET by = 'rule'": () => ({
    properties: { by: 'rule' },
    system: { subject: 'beta' },
  }),
  "SET sys.SessionId = 'east'": () => ({ ...NOTHING, system: { sessionId: 'east' } }),
  'REMOVE sys.SessionId': () => ({ ...NOTHING, system: { sessionId: null } }),
  'SET sys.TimeToLive = 1000': () => ({ ...NOTHING, system: { timeToLiveMs: 1000 } }),
  "SET sys.MessageId = 'm1'": () => ({ ...NOTHING, system: { messageId: 'm1' } }),
  'REMOVE sys.TimeToLive': () => ({ ...NOTHING, system: { timeToLiveMs: null } }),
  'REMOVE sys.MessageId': () => ({ ...NOTHING, system: { messageId: null } }),
  'SET sys.ScheduledEnqueueTimeUtc = @at': (_, at) => ({ ...NOTHING, system: { scheduledEnqueueTime: at } }),
  'SET share = 12 / quantity': ({ quantity }) => {
    if (quantity === 0) return FAILS;
    const share = quantity === undefined ? 'null' : String(Math.trunc(12 / quantity)); // ACT-05
    return { ...NOTHING, properties: { share } };
  },
};

function matches(filter: Filter, message: Ruled): boolean | typeof FAILS {
  switch (filter.kind) {
    case 'true':
      return true;
    case 'false':
      return false;
    case 'sql':
      return known(CONDITIONS, filter.expression)(message);
    case 'selector':
      return known(SELECTORS, filter.expression)(message);
    case 'correlation': {
      const { subject, sessionId, messageId, properties = {} } = filter;
      return (
        (subject === undefined || subject === message.subject) &&
        (sessionId === undefined || sessionId === message.sessionId) &&
        (messageId === undefined || messageId === message.messageId) &&
        Object.entries(properties).every(([name, value]) => hasProperty(message, name, value))
      );
    }
  }
}

/** COR-02: text equals text alone, and an integer integers alone. */
function hasProperty(message: Ruled, name: string, value: ParameterValue): boolean {
  if (name.toLowerCase() === 'color') return value === message.color;
  if (name.toLowerCase() !== 'quantity') return false;
  return typeof value === 'object' && value.value === String(message.quantity);
}

function act({ action }: RuleDescription, message: Ruled): Changes | typeof FAILS {
  const at = action?.parameters?.['@at'];
  const time = typeof at === 'object' && at.type === 'timestamp' ? at.value : 0;
  return action === undefined ? NOTHING : known(ACTIONS, action.expression)(message, time);
}

/** Why a rule cannot be had; none when it can. */
export function refusalsOfRule({ name, filter, action }: RuleDescription): readonly string[] {
  const isName = name.length > 0 && name.length <= 50 && !name.includes('/');
  const isSelector = filter.kind !== 'selector' || filter.expression in SELECTORS;
  const isFilter = isSelector && (filter.kind !== 'sql' || filter.expression in CONDITIONS);
  const isGiven = filter.kind !== 'correlation' || Object.keys(filter).length > 1; // COR-01
  const isAction = action === undefined || action.expression in ACTIONS;
  return isName && isFilter && isGiven && isAction ? [] : ['argument'];
}

function known<T>(table: Readonly<Record<string, T>>, expression: string): T {
  const found = table[expression];
  if (found === undefined) throw new Error(`the model does not know '${expression}'`);
  return found;
}

type Copy = {
  /** Whose action has made it. */
  readonly rule?: RuleDescription;
  readonly subscription: ModelQueue;
  readonly place: Place;
  readonly sessionId: string | undefined;
  readonly changes: ModelMessage['changes'];
  readonly systemChanges: SystemChanges;
};

/** The text is the broker's own; the model takes any. */
export const ANY_TEXT = '(any text)';

const SESSION_IS_NULL = reasonOf(
  'Session id is null.',
  "Session enabled entity doesn't allow a message whose session identifier is null.",
);

/** As far as the broker tells, and otherwise whole. */
export function fanOut(topic: ModelQueue, arrived: Arrived, turn: ModelTurn): void {
  const isBehind = waitingIn(topic).length > 0;
  if (isBehind) happened('send behind waiting copies', turn);
  const toldIndex = turn.isTrial === true ? undefined : toldIndexOf(topic, arrived, turn);
  const told = toldIndex === undefined ? undefined : turn.fanOuts[toldIndex];
  const all = subscriptionsOf(topic, turn.state).map(({ name }) => name);
  if (told === undefined || toldIndex === undefined) {
    check(turn.isTrial === true || !isBehind, 'a message overtakes one of which copies wait');
    if (turn.isTrial !== true && all.length > 0) checkBelowLimit(turn);
    const copies = copiesBetween(topic, arrived, { rest: all, copyCount: 0 }, NOTHING_LEFT, turn);
    happened(copies.length > 1 ? 'fan-out, shared' : `fan-out, ${copies.length}`, turn);
    const isShared = arrived.luggage.isShared || copies.length > 1;
    for (const copy of copies) storeCopy(topic, arrived, copy, isShared, turn);
    return;
  }
  const copies = isBehind ? [] : copiesBetween(topic, arrived, { rest: all, copyCount: 0 }, told, turn);
  const { rest, copyCount } = told;
  if (!isBehind) checkLimit(turn);
  else {
    const hasNone = copyCount === 0 && all.every((name) => rest.includes(name));
    check(hasNone, 'a message overtakes in part one of which copies wait');
  }
  for (const copy of copies) storeCopy(topic, arrived, copy, true, turn);
  wait(topic, { arrived, rest, copyCount, turn: turn.number, toldIndex }, turn);
  if (!isBehind) topic.fanOutAt = turn.now + 1;
}

/** What the broker has told next of a message of which copies wait; undefined when it has told nothing more in this turn. */
function toldIndexOf(
  topic: ModelQueue,
  { number, fanOut: waiting }: Pick<ModelMessage, 'number' | 'fanOut'>,
  { fanOuts, number: turnNumber }: ModelTurn,
): number | undefined {
  const from = waiting?.turn === turnNumber ? waiting.toldIndex + 1 : 0;
  const index = fanOuts.findIndex(({ key }, at) => at >= from && key === `${topic.name} dead ${number}`);
  return index < 0 ? undefined : index;
}

/** TOP-15: by what was made before. */
function checkBelowLimit({ expected, behaviour, isFanOutWhole }: ModelTurn): void {
  const isBelow = expected.fanOutCost.least < behaviour.maxFanOutCost;
  check(isBelow || isFanOutWhole === true, 'copies are made that cost too much');
}

function checkLimit({ expected, behaviour }: ModelTurn): void {
  check(expected.fanOutCost.most >= behaviour.maxFanOutCost, 'copies wait that do not cost too much');
}

function wait(topic: ModelQueue, waitingFanOut: WaitingFanOut, turn: ModelTurn): void {
  const { number, enqueuedTime, message, luggage, wasScheduled } = waitingFanOut.arrived;
  const { timeToLiveMs = Number.POSITIVE_INFINITY, content } = message;
  const waiting = newMessage(topic, luggage, {
    place: 'dead',
    number,
    wasScheduled,
    enqueuedTime,
    expiresAt: enqueuedTime + timeToLiveMs,
    content,
    sessionId: undefined,
    isShared: true,
    fanOut: waitingFanOut,
  });
  topic.messages.push(waiting);
  put(topic, waiting, turn);
}

/** To be called when all is done that is due, but for what forwards: something must go on in each topic in which copies wait. */
export function checkFanOutsGoOn(turn: ModelTurn): void {
  for (const topic of turn.state.queues) {
    if (waitingIn(topic).length === 0 || topic.fanOutAt > turn.now) continue;
    const goesOn = nextPieceOf(topic, turn) !== undefined || goesOnWithForwarded(topic, turn);
    check(goesOn, 'a fan-out does not go on');
  }
}

/**
 * Whether the broker goes on with a message that is forwarded to the topic in this turn: after a restart it begins with the lowest
 * partition.
 */
function goesOnWithForwarded(topic: ModelQueue, { fanOuts }: ModelTurn): boolean {
  const keys = fanOuts.map(({ key }) => key).filter((key) => key.startsWith(`${topic.name} dead `));
  return new Set(keys).size < keys.length;
}

/** The message of the topic with whose copies the broker goes on next in this turn, and when among all that it removes. */
export function nextPieceOf(
  topic: ModelQueue,
  turn: ModelTurn,
): { readonly message: ModelMessage; readonly removedCount: number } | undefined {
  const indexes = waitingIn(topic).flatMap((message) => toldIndexOf(topic, message, turn) ?? []);
  const told = turn.fanOuts[Math.min(...indexes)];
  const message = waitingIn(topic).find((one) => keyOf(topic, one) === told?.key);
  return message === undefined || told === undefined
    ? undefined
    : { message, removedCount: told.removedCount };
}

/** TOP-15: as far as the broker tells, but in order. */
export function continueFanOut(topic: ModelQueue, message: ModelMessage, turn: ModelTurn): void {
  const { fanOut: waiting, partitionId } = message;
  const toldIndex = toldIndexOf(topic, message, turn) ?? -1;
  const told = turn.fanOuts[toldIndex];
  if (told === undefined || waiting === undefined) throw new Error('the broker has told nothing of this');
  happened('fan-out went on in pieces', turn);
  const [first] = waitingIn(topic).filter((one) => one.partitionId === partitionId);
  check(first === message, 'copies of a message are made before those of an earlier one');
  const { arrived } = waiting;
  const copies = copiesBetween(topic, arrived, waiting, told, turn);
  for (const copy of copies) storeCopy(topic, arrived, copy, true, turn);
  if (told.isComplete) remove(topic, message, turn);
  else {
    const { rest, copyCount } = told;
    message.fanOut = { arrived, rest, copyCount, turn: turn.number, toldIndex };
    put(topic, message, turn);
  }
  topic.fanOutAt = turn.now + 1;
}

type Mark = Pick<ToldFanOut, 'rest' | 'copyCount'>;
const NOTHING_LEFT: Mark = { rest: [], copyCount: 0 };

/** What is made between two marks, for the subscriptions that are still there. */
function copiesBetween(
  topic: ModelQueue,
  arrived: Arrived,
  from: Mark,
  to: Mark,
  turn: ModelTurn,
): readonly Copy[] {
  const { fanOutCost } = turn.expected;
  return subscriptionsOf(topic, turn.state).flatMap((subscription) => {
    const { name, rules } = subscription;
    if (!from.rest.includes(name) || to.rest.slice(1).includes(name)) return [];
    const all = copiesFor(subscription, arrived, turn);
    const start = from.rest[0] === name ? from.copyCount : 0;
    const made = all.slice(start, to.rest[0] === name ? to.copyCount : all.length);
    fanOutCost.most += MOST_RULE_COST * rules.length + MOST_COPY_COST * made.length;
    fanOutCost.least += LEAST_COPY_COST * made.length;
    return made;
  });
}

/** With what the action of the longest expression costs, whether its copy is made or not. */
const MOST_RULE_COST = 12;
const MOST_COPY_COST = 12;
const LEAST_COPY_COST = 1;

function copiesFor(subscription: ModelQueue, arrived: Arrived, turn: ModelTurn): readonly Copy[] {
  const { changes, systemChanges } = arrived.luggage;
  const { sessionId } = arrived.message;
  const ruled = ruledOf(arrived);
  const plain: Copy = { subscription, place: 'main', sessionId, changes, systemChanges };
  const copies: Copy[] = [];
  for (const { description } of rulesInOrder(subscription)) {
    const isMatch = matches(description.filter, ruled);
    if (isMatch === FAILS) return failedIn('FilterException', plain, turn);
    if (!isMatch) continue;
    if (description.action === undefined) {
      const isFirst = !copies.some(({ rule }) => rule === undefined);
      happened(isFirst ? 'copy' : 'rule matched as well', turn); // TOP-03
      if (isFirst) copies.push(plain);
      continue;
    }
    const changed = act(description, ruled);
    const properties = {
      ...encoded(changed === FAILS ? {} : changed.properties),
      RuleName: description.name,
    }; // TOP-04
    if (changed === FAILS || sizeOf(properties) > turn.limits.maxHeadBytes) {
      return failedIn('RuleActionException', plain, turn);
    }
    happened('copy by action', turn);
    const { sessionId: newId = sessionId } = changed.system;
    copies.push({
      ...plain,
      sessionId: newId ?? undefined,
      rule: description,
      changes: { ...changes, ...properties },
      systemChanges: { ...systemChanges, ...changed.system },
    });
  }
  if (copies.length === 0) happened('no rule matched', turn);
  return copies.map((copy) => withoutSession(copy, turn));
}

/** As it was sent, and as rules have changed it before. */
function ruledOf({ message, luggage }: Arrived): Ruled {
  const { messageId, sessionId, content } = message;
  const sent = readProperties(content);
  const { changes, systemChanges } = luggage;
  const color = changes.color === undefined ? sent.color : textOf(changes.color);
  const { subject = sent.subject } = systemChanges;
  return { ...sent, color, subject: subject ?? undefined, messageId, sessionId };
}

function textOf(value: PropertyValue | null): string | undefined {
  if (value === null) return undefined;
  return typeof value === 'string' ? value : new TextDecoder().decode(value);
}

/** MSG-08. */
export function sizeOf(changes: ModelMessage['changes']): number {
  const sizes = Object.entries(changes).map(([name, value]) => name.length + (value?.length ?? 0));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** ACT-03. */
function encoded(properties: Changes['properties']): ModelMessage['changes'] {
  const encode = (value: string | null) => (value === null ? null : CONTENT_READER.encode(value));
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, encode(value)]));
}

/** TOP-09. */
function failedIn(what: string, plain: Copy, turn: ModelTurn): readonly Copy[] {
  const isKept = plain.subscription.subscription?.deadLetteringOnFilterEvaluationExceptions === true;
  happened(`${what}, ${isKept ? 'kept' : 'dropped'}`, turn);
  const changes = { ...plain.changes, DeadLetterReason: what, DeadLetterErrorDescription: ANY_TEXT };
  return isKept ? [{ ...plain, place: 'dead', changes }] : [];
}

/** SES-20. */
function withoutSession(copy: Copy, turn: ModelTurn): Copy {
  const { subscription, sessionId, changes } = copy;
  if (!subscription.description.requiresSession || sessionId !== undefined) return copy;
  happened('copy without session id', turn);
  const reason = Object.fromEntries(SESSION_IS_NULL.map(({ name, value }) => [name, String(value)]));
  return { ...copy, place: 'dead', changes: { ...changes, ...reason } };
}

/** By name, in any case the same. */
export function rulesInOrder({ rules }: ModelQueue): ModelQueue['rules'] {
  return rules.toSorted((a, b) => (key(a.description.name) < key(b.description.name) ? -1 : 1));
}

function key(name: string): string {
  return name.toLowerCase();
}

function storeCopy(
  topic: ModelQueue,
  { number, enqueuedTime, message, luggage, wasScheduled }: Arrived,
  copy: Copy,
  isShared: boolean,
  turn: ModelTurn,
): void {
  const { subscription, place, sessionId, changes, systemChanges } = copy;
  const own = nextNumber(subscription, Math.floor(number / PARTITION_SIZE), turn); // SEQ-05
  const stored = newMessage(subscription, luggage, {
    place,
    number: own,
    wasScheduled: wasScheduled && place === 'main',
    enqueuedTime,
    expiresAt:
      place === 'dead' ? Number.POSITIVE_INFINITY : enqueuedTime + lifeOf(topic, message, copy, turn),
    content: message.content,
    sessionId,
    isShared,
    submittedNumber: luggage.submittedNumber ?? number,
    systemChanges,
    changes: { ...changes },
    deadLetteredAt: place === 'dead' ? turn.now : undefined,
  });
  subscription.messages.push(stored);
  put(subscription, stored, turn);
}

/** TTL-03. */
function lifeOf(topic: ModelQueue, message: Arrived['message'], copy: Copy, { limits }: ModelTurn): number {
  const { timeToLiveMs: sentMs } = message;
  const { timeToLiveMs: changedMs } = copy.systemChanges;
  return Math.min(
    (changedMs === undefined ? sentMs : changedMs) ?? Number.POSITIVE_INFINITY,
    topic.description.defaultMessageTimeToLiveMs,
    copy.subscription.description.defaultMessageTimeToLiveMs,
    limits.maxTimeToLiveMs,
  );
}
