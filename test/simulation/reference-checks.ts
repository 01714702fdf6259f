// What the reference model says no to: every reason there is, since the order in which a broker looks is its own affair.

import type { AuthorizationRule } from '../../src/broker/entities/authorization-rule.js';
import type { QueueDescription } from '../../src/broker/entities/queue-description.js';
import type { Limits } from '../../src/broker/limits.js';
import type { NewMessage } from '../../src/broker/queue/message-properties.js';
import {
  isDeadLetterQueue,
  type ModelQueue,
  type ModelState,
  subscriptionsOf,
  type Target,
  topicOf,
} from './reference-state.js';
import type { ModelTurn } from './reference-turn.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const MEGABYTE = 2 ** 20;

type Check = readonly [isWrong: boolean, reason: string];

/** Empty when the description will do. `old` is that of the queue that exists. */
export function refusalsOfDescription(
  given: QueueDescription,
  old: QueueDescription | undefined,
  turn: ModelTurn,
): readonly string[] {
  const { limits } = turn;
  const windowMs = given.duplicateDetectionHistoryTimeWindowMs;
  const timeToLiveMs = given.defaultMessageTimeToLiveMs;
  const hasTooMuch =
    (given.requiresSession && !limits.hasSessions) ||
    (given.requiresDuplicateDetection && !limits.hasDuplicateDetection);
  return reasonsAmong([
    [old !== undefined && old.requiresSession !== given.requiresSession, 'not-allowed'],
    [old !== undefined && old.requiresDuplicateDetection !== given.requiresDuplicateDetection, 'not-allowed'],
    [old !== undefined && old.enablePartitioning !== given.enablePartitioning, 'not-allowed'],
    [given.name.includes('$') || given.name === '', 'argument'],
    [given.maxDeliveryCount < 1, 'argument'],
    [given.lockDurationMs < 1 || given.lockDurationMs > 5 * MINUTE, 'argument'],
    [1024 * (given.maxMessageSizeInKilobytes ?? 0) > limits.maxMessageSizeCeilingBytes, 'argument'],
    [windowMs < 5 * SECOND || windowMs > 7 * DAY, 'argument'],
    [given.defaultMessageTimeToLiveMs < SECOND, 'argument'],
    // S1-13; never is how a queue says that it sets no time to live of its own.
    [Number.isFinite(timeToLiveMs) && timeToLiveMs > limits.maxTimeToLiveMs, 'argument'],
    [given.autoDeleteOnIdleMs < 5 * MINUTE, 'argument'],
    [hasTooMuch, 'not-allowed'],
    [hasTooMuch, 'argument'],
    [!given.authorizationRules.every(isAuthorizationRule), 'argument'],
    [hasTwins(given.authorizationRules), 'argument'],
    ...checksOfForwarding(given, turn.state),
  ]);
}

/** Who may manage may also send and listen. */
function isAuthorizationRule({ keyName, rights, primaryKey, secondaryKey }: AuthorizationRule): boolean {
  const isManaging = rights.some((right) => right === 'Manage');
  const isShort = [keyName, primaryKey, secondaryKey].every((text) => text.length <= 256);
  return isShort && keyName !== '' && rights.length >= (isManaging ? 3 : 1);
}

function hasTwins(rules: readonly AuthorizationRule[]): boolean {
  const names = rules.map(({ keyName }) => keyName.toLowerCase());
  return names.some((name, index) => names.indexOf(name) < index);
}

/** FWD-02, SES-19. */
function checksOfForwarding(given: QueueDescription, { queues }: ModelState): readonly Check[] {
  const { name, forwardTo, forwardDeadLetteredMessagesTo, requiresSession, enablePartitioning } = given;
  const destinations = [forwardTo, forwardDeadLetteredMessagesTo].filter((one) => one !== undefined);
  const isSubscription = name.includes('/Subscriptions/');
  const mayTake = queues
    .filter(({ kind }) => kind !== 'subscription')
    .map((queue) => queue.name.toLowerCase());
  if (!isSubscription) mayTake.push(name.toLowerCase());
  const mayHaveSessions = enablePartitioning && !isSubscription;
  return [
    [forwardTo !== undefined && requiresSession && !mayHaveSessions, 'not-allowed'],
    [!destinations.every((one) => mayTake.includes(one.toLowerCase())), 'argument'],
  ];
}

/** The same for messages that are sent together. */
export function refusalsOfSend(
  { queue, place }: Target,
  messages: readonly NewMessage[],
  { limits, state, hasRoom = false }: ModelTurn,
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
  return [
    [requiresSession && sessionId === undefined, 'not-allowed'], // SND-06
    [ids.some((id) => (id?.length ?? 0) > limits.maxIdLength), 'not-allowed'], // MSG-07
    [message.unsupportedProperty !== undefined, 'not-allowed'], // SND-16
    [message.headBytes > limits.maxHeadBytes, 'message-size-exceeded'], // MSG-08
    [message.largestPropertyBytes > limits.maxPropertyBytes, 'message-size-exceeded'],
    [message.timeToLiveMs !== undefined && message.timeToLiveMs < 0, 'argument'],
    [enablePartitioning && isSplit, 'not-allowed'], // PRT-02
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
  const discarded =
    queue.kind === 'topic' ? state.discarded.filter((one) => one.topicName === queue.name) : [];
  const copies = [...subscriptions.flatMap((one) => one.messages), ...discarded].map(
    ({ content }) => content,
  );
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
