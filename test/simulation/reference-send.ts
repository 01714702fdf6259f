// Messages come in, in the reference model: at once, at their scheduled time, or not at all if they are duplicates. And what it
// says no to: every reason there is, since the order in which a broker looks is its own affair.

import type { Command } from '../../src/broker/contract/command.js';
import type { QueueDescription } from '../../src/broker/contract/entities/queue-description.js';
import type { Limits } from '../../src/broker/contract/limits.js';
import { MESSAGE_STATE, type NewMessage } from '../../src/broker/contract/message-properties.js';
import { ServiceBusError } from '../../src/broker/contract/service-bus-error.js';
import { partitionOf } from '../../src/broker/store/partition.js';
import { readHead } from './message-content.js';
import { fanOut } from './reference-fan-out.js';
import {
  isDeadLetterQueue,
  type Luggage,
  type ModelMessage,
  type ModelNote,
  type ModelQueue,
  type ModelState,
  newMessage,
  PARTITION_SIZE,
  PARTITIONS,
  subscriptionsOf,
  type Target,
  topicOf,
} from './reference-state.js';
import {
  activate,
  type ExpectedResult,
  effectiveTimeToLive,
  failed,
  happened,
  type ModelTurn,
  nextNumber,
  put,
  remove,
} from './reference-turn.js';

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
