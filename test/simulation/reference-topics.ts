// Topics and subscriptions come, change, are looked at and go in the reference model.

import type { Command } from '../../src/broker/command.js';
import { describeQueue, type QueueDescription } from '../../src/broker/entity/queue-description.js';
import type { SubscriptionDescription, TopicDescription } from '../../src/broker/entity/topic-description.js';
import { NEVER } from '../../src/broker/instant.js';
import type { RuleDescription } from '../../src/broker/rules/rule-description.js';
import { refusalsOfDescription } from './reference-checks.js';
import { DONE, type ExpectedResult, failed } from './reference-expected.js';
import {
  create,
  findNamed,
  isSame,
  lookedAt,
  refusalsOfExpected,
  removeQueue,
  update,
} from './reference-queues.js';
import { refusalsOfRules } from './reference-rule-commands.js';
import { findTarget, type ModelQueue, subscriptionsOf, topicOf } from './reference-state.js';
import type { ModelTurn } from './reference-turn.js';

type Of<K extends Command['kind']> = Extract<Command, { kind: K }>;

/** TOP-02. */
const DEFAULT_RULE: RuleDescription = { name: '$Default', filter: { kind: 'true' }, action: undefined };

export function putTopic({ description: given, expected }: Of<'put-topic'>, turn: ModelTurn): ExpectedResult {
  const topic = findTarget(turn.state, given.name)?.queue;
  const description = intakeOf(given);
  const reasons = [
    ...refusalsOfExpected(expected, findNamed(given.name, 'topic', turn), turn),
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
  { topicName, description: asked, rules = [DEFAULT_RULE], expected }: Of<'put-subscription'>,
  turn: ModelTurn,
): ExpectedResult {
  const topic = findNamed(topicName, 'topic', turn);
  if (topic?.topic === undefined) return failed('entity-not-found');
  const given = asked.forwardTo === undefined ? asked : { ...asked, autoDeleteOnIdleMs: NEVER }; // FWD-09
  const description = queueOf(topic.topic, given);
  const subscription = findTarget(turn.state, description.name)?.queue;
  const isLimited = subscriptionsOf(topic, turn.state).length >= turn.limits.maxSubscriptionsPerTopic;
  const reasons = [
    ...refusalsOfExpected(expected, subscription, turn),
    ...refusalsOfDescription(queueOf(topic.topic, asked), subscription?.description, turn),
    ...(/^(?!\.+$)[\w.~-]{1,50}$/.test(given.name) ? [] : ['argument']), // ENT-01
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

export function deleteSubscription(
  { topicName, name }: Of<'delete-subscription'>,
  turn: ModelTurn,
): ExpectedResult {
  const subscription = findNamed(`${topicName}/Subscriptions/${name}`, 'subscription', turn);
  if (subscription === undefined) return failed('entity-not-found');
  const topic = topicOf(subscription, turn.state);
  if (topic !== undefined) topic.activeAt = turn.now; // IDL-04
  removeQueue(subscription, turn);
  return DONE;
}

export function topicInfo(name: string, turn: ModelTurn): ExpectedResult {
  const topic = findNamed(name, 'topic', turn);
  if (topic === undefined) return failed('entity-not-found');
  return { kind: 'topic-info', ...lookedAt(topic, turn) };
}

export function subscriptionInfo(
  { topicName, name }: Pick<Of<'get-subscription-info'>, 'topicName' | 'name'>,
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
