// Topics and subscriptions come, change, are looked at and go in the reference model.

import type { Command } from '../../src/broker/command.js';
import { describeQueue, type QueueDescription } from '../../src/broker/entity/queue-description.js';
import type { SubscriptionDescription, TopicDescription } from '../../src/broker/entity/topic-description.js';
import type { RuleDescription } from '../../src/broker/rules/rule-description.js';
import { refusalsOfDescription } from './reference-checks.js';
import { DONE, type ExpectedResult, failed } from './reference-expected.js';
import { rulesInOrder } from './reference-fan-out.js';
import { create, findNamed, lookedAt, removeQueue, update } from './reference-queues.js';
import { refusalsOfRule } from './reference-rules.js';
import { findTarget, type ModelQueue, subscriptionsOf, type Target, topicOf } from './reference-state.js';
import { happened, type ModelTurn } from './reference-turn.js';

type Of<K extends Command['kind']> = Extract<Command, { kind: K }>;

/** TOP-02. */
const DEFAULT_RULE: RuleDescription = { name: '$Default', filter: { kind: 'true' }, action: undefined };

export function putTopic(given: TopicDescription, turn: ModelTurn): ExpectedResult {
  const topic = findTarget(turn.state, given.name)?.queue;
  const description = intakeOf(given);
  const reasons = [
    ...refusalsOfDescription(description, topic?.description, turn),
    ...(topic !== undefined && topic.kind !== 'topic' ? ['entity-already-exists'] : []), // ENT-03
    ...(/\/subscriptions\//i.test(given.name) ? ['argument'] : []),
  ];
  if (reasons.length > 0) return failed(...reasons);
  if (topic === undefined) create({ kind: 'topic', description, topic: given }, turn);
  else if (!isSame(given, topic.topic)) {
    topic.topic = given;
    update(topic, description, turn);
    for (const subscription of subscriptionsOf(topic, turn.state)) follow(subscription, given);
  }
  return DONE;
}

export function deleteTopic(name: string, turn: ModelTurn): ExpectedResult {
  const topic = findNamed(name, 'topic', turn);
  if (topic === undefined) return failed('entity-not-found');
  removeQueue(topic, turn);
  return DONE;
}

export function putSubscription(
  { topicName, description: given, rules = [DEFAULT_RULE] }: Of<'put-subscription'>,
  turn: ModelTurn,
): ExpectedResult {
  const topic = findNamed(topicName, 'topic', turn);
  if (topic?.topic === undefined) return failed('entity-not-found');
  const description = queueOf(topic.topic, given);
  const subscription = findTarget(turn.state, description.name)?.queue;
  const isLimited = subscriptionsOf(topic, turn.state).length >= turn.limits.maxSubscriptionsPerTopic;
  const reasons = [
    ...refusalsOfDescription(description, subscription?.description, turn),
    ...(/^[\w.-]{1,50}$/.test(given.name) ? [] : ['argument']), // ENT-01
    ...(subscription === undefined && isLimited ? ['quota-exceeded'] : []), // LIM-09
    ...(subscription === undefined ? refusalsOfRules(rules, topic, turn) : []),
  ];
  if (reasons.length > 0) return failed(...reasons);
  if (subscription === undefined) {
    const records = rules.map((rule) => ({ description: rule, createdTime: turn.now }));
    const kind = 'subscription';
    create({ kind, description, subscription: given, topicName: topic.name, rules: records }, turn);
    for (const { name } of rules) turn.expected.rules.push(`put ${description.name} ${name}`);
    topic.activeAt = turn.now;
  } else if (!isSame(given, subscription.subscription)) {
    subscription.subscription = given;
    update(subscription, description, turn);
  }
  return DONE;
}

/** TOP-11, LIM-10, LIM-11. */
function refusalsOfRules(
  rules: readonly RuleDescription[],
  topic: ModelQueue,
  { state, limits }: ModelTurn,
): readonly string[] {
  const names = rules.map(({ name }) => name.toLowerCase());
  const there = subscriptionsOf(topic, state).flatMap((one) => one.rules);
  const all = [...there.map(({ description }) => description), ...rules];
  const count = (isMeant: (kind: string) => boolean) =>
    all.filter(({ filter }) => isMeant(filter.kind)).length;
  const isLimited =
    count((kind) => kind !== 'correlation') > limits.maxSqlFiltersPerTopic ||
    count((kind) => kind === 'correlation') > limits.maxCorrelationFiltersPerTopic;
  return [
    ...rules.flatMap(refusalsOfRule),
    ...(new Set(names).size < names.length ? ['entity-already-exists'] : []),
    ...(isLimited ? ['quota-exceeded'] : []),
  ];
}

export function deleteSubscription(
  { topicName, name }: Of<'delete-subscription'>,
  turn: ModelTurn,
): ExpectedResult {
  const subscription = findNamed(`${topicName}/Subscriptions/${name}`, 'subscription', turn);
  if (subscription === undefined) return failed('entity-not-found');
  removeQueue(subscription, turn);
  return DONE;
}

export function addRule({ rule }: Of<'add-rule'>, target: Target, turn: ModelTurn): ExpectedResult {
  const { queue } = target;
  queue.activeAt = turn.now; // IDL-05
  const topic = topicOf(queue, turn.state);
  if (topic === undefined || target.place === 'dead') return failed('not-allowed');
  const isThere = findRule(rule.name, queue) !== undefined;
  const reasons = [
    ...refusalsOfRules([rule], topic, turn),
    ...(isThere ? ['entity-already-exists'] : []), // TOP-11
  ];
  if (reasons.length > 0) return failed(...reasons);
  queue.rules.push({ description: rule, createdTime: turn.now });
  turn.expected.rules.push(`put ${queue.name} ${rule.name}`);
  return DONE;
}

export function removeRule({ name }: Of<'remove-rule'>, target: Target, turn: ModelTurn): ExpectedResult {
  const { queue } = target;
  queue.activeAt = turn.now;
  if (queue.kind !== 'subscription' || target.place === 'dead') return failed('not-allowed');
  const rule = findRule(name, queue);
  if (rule === undefined) return failed('entity-not-found');
  queue.rules = queue.rules.filter((one) => one !== rule);
  turn.expected.rules.push(`removed ${queue.name} ${rule.description.name}`);
  if (queue.rules.length === 0) happened('last rule removed', turn);
  return DONE;
}

export function listRules(
  { skip, maxCount }: Of<'list-rules'>,
  target: Target,
  turn: ModelTurn,
): ExpectedResult {
  const { queue } = target;
  queue.activeAt = turn.now;
  const reasons = [
    (queue.kind !== 'subscription' || target.place === 'dead') && 'not-allowed',
    (skip < 0 || maxCount < 1) && 'argument-out-of-range',
  ].filter((reason) => reason !== false);
  if (reasons.length > 0) return failed(...reasons);
  return { kind: 'rules', rules: rulesInOrder(queue).slice(skip, skip + maxCount) };
}

function findRule(name: string, { rules }: ModelQueue) {
  return rules.find(({ description }) => description.name.toLowerCase() === name.toLowerCase());
}

export function topicInfo(name: string, turn: ModelTurn): ExpectedResult {
  const topic = findNamed(name, 'topic', turn);
  if (topic === undefined) return failed('entity-not-found');
  const subscriptionCount = subscriptionsOf(topic, turn.state).length;
  return { kind: 'topic-info', ...lookedAt(topic, turn), subscriptionCount };
}

export function subscriptionInfo(
  { topicName, name }: Of<'get-subscription-info'>,
  turn: ModelTurn,
): ExpectedResult {
  const subscription = findNamed(`${topicName}/Subscriptions/${name}`, 'subscription', turn);
  if (subscription === undefined) return failed('entity-not-found');
  return { kind: 'subscription-info', ...lookedAt(subscription, turn) };
}

/** What a topic's changes mean for its subscriptions. */
function follow(subscription: ModelQueue, topic: TopicDescription): void {
  if (subscription.subscription === undefined) return;
  subscription.description = queueOf(topic, subscription.subscription);
}

/** As far as a topic is a queue. */
function intakeOf({ supportOrdering: _, ...given }: TopicDescription): QueueDescription {
  return describeQueue(given.name, given);
}

/** As far as a subscription is one; what it can hold is the topic's. */
function queueOf(topic: TopicDescription, given: SubscriptionDescription): QueueDescription {
  const { name, deadLetteringOnFilterEvaluationExceptions: _, ...rest } = given;
  const { enablePartitioning, maxSizeInMegabytes, maxMessageSizeInKilobytes } = topic;
  return describeQueue(`${topic.name}/Subscriptions/${name}`, {
    ...rest,
    enablePartitioning,
    maxSizeInMegabytes,
    maxMessageSizeInKilobytes,
  });
}

/** But for the name, which keeps the case of its creation (ENT-02). */
function isSame<T extends { readonly name: string }>(given: T, old: T | undefined): boolean {
  const keys = Object.keys(given) as (keyof T)[];
  return keys.every((key) => key === 'name' || given[key] === old?.[key]);
}
