// Creates topics and subscriptions, or applies descriptions to those that exist; their messages and rules stay.

import type { Expected } from '../command.js';
import type { Links } from '../delivery/links.js';
import { NEVER } from '../instant.js';
import type { Limits } from '../limits.js';
import { forgetMessageIds } from '../message/duplicate-detection.js';
import type { Result } from '../result.js';
import type { RuleCompiler } from '../rules/rule-compiler.js';
import { DEFAULT_RULE, type RuleDescription } from '../rules/rule-description.js';
import { ServiceBusError } from '../service-bus-error.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { subscriptionPathOf } from './entity-path.js';
import { checkForwarding } from './forwarding-check.js';
import { watchIdle } from './idle-deletion.js';
import { alreadyExists, checkExpected, type Namespace } from './namespace.js';
import type { Queue } from './queue.js';
import { isSameDescription } from './queue-description-check.js';
import type { Subscription } from './subscription.js';
import { checkRules, putRule } from './subscription-rules.js';
import type { Topic } from './topic.js';
import type { SubscriptionDescription, TopicDescription } from './topic-description.js';
import {
  checkSubscriptionDescription,
  checkSubscriptionUpdate,
  checkTopicDescription,
  checkTopicUpdate,
} from './topic-description-check.js';

export type TopicResources = {
  readonly namespace: Namespace;
  readonly links: Links;
  readonly limits: Limits;
  readonly ruleCompiler: RuleCompiler;
};

export type GivenTopic = { readonly description: TopicDescription; readonly expected?: Expected };

export type GivenSubscription = {
  readonly topicName: string;
  readonly description: SubscriptionDescription;
  readonly rules?: readonly RuleDescription[] | undefined;
  readonly expected?: Expected;
};

const DONE: Result = { kind: 'done' };

export function putTopic(
  { description, expected }: GivenTopic,
  { namespace, links, limits }: TopicResources,
  turn: TurnInProgress,
): Result {
  const existing = namespace.findTopic(description.name);
  checkExpected(existing, expected, description.name);
  if (namespace.findQueue(description.name) !== undefined) throw alreadyExists(description.name); // ENT-03
  if (existing !== undefined) checkTopicUpdate(existing.description, description);
  checkTopicDescription(description, limits);
  if (existing === undefined) {
    const times = { createdTime: turn.now, updatedTime: turn.now };
    const topic = namespace.addTopic({ description, ...times, ...namespace.takeStoreIds() });
    started(topic.intake, turn);
    turn.events.push({ kind: 'topic-put', topic: topic.record() });
  } else updateTopic(existing, description, links, turn);
  return DONE;
}

function updateTopic(topic: Topic, given: TopicDescription, links: Links, turn: TurnInProgress): void {
  const description = { ...given, name: topic.description.name }; // ENT-02
  if (isSameDescription(topic.description, description)) return;
  forgetMessageIds(topic.intake, turn); // by the old window: no id comes to life again
  topic.update(description, turn.now);
  forgetMessageIds(topic.intake, turn);
  started(topic.intake, turn);
  turn.events.push({ kind: 'topic-put', topic: topic.record() });
  links.detachDisabled(topic.intake, turn);
}

export function putSubscription(
  { topicName, description: given, rules, expected }: GivenSubscription,
  { namespace, links, limits, ruleCompiler }: TopicResources,
  turn: TurnInProgress,
): Result {
  const topic = namespace.topic(topicName);
  const existing = topic.find(given.name);
  checkExpected(existing, expected, subscriptionPathOf(topic.description.name, given.name));
  if (existing !== undefined) checkSubscriptionUpdate(topic, existing.description, given);
  checkSubscriptionDescription(topic, given, limits);
  checkForwarding(given, topic.description.name, (name) => namespace.hasDestination(name));
  const description = given.forwardTo === undefined ? given : { ...given, autoDeleteOnIdleMs: NEVER }; // FWD-09
  if (existing !== undefined) {
    updateSubscription(existing, description, links, turn);
    return DONE;
  }
  checkSubscriptionCount(topic, limits);
  const compiled = checkRules(topic, rules ?? [DEFAULT_RULE], limits, ruleCompiler); // TOP-02
  const subscription = namespace.addSubscription({
    description,
    topicStoreId: topic.intake.main.id,
    createdTime: turn.now,
    updatedTime: turn.now,
    ...namespace.takeStoreIds(),
  });
  started(subscription.queue, turn);
  topic.intake.used(turn.now);
  turn.events.push({ kind: 'subscription-put', subscription: subscription.record() });
  for (const rule of compiled) putRule(subscription, rule, turn);
  return DONE;
}

function updateSubscription(
  subscription: Subscription,
  given: SubscriptionDescription,
  links: Links,
  turn: TurnInProgress,
): void {
  const description = { ...given, name: subscription.description.name }; // ENT-02
  if (isSameDescription(subscription.description, description)) return;
  subscription.update(description, turn.now);
  started(subscription.queue, turn);
  turn.events.push({ kind: 'subscription-put', subscription: subscription.record() });
  links.detachDisabled(subscription.queue, turn);
}

function started(queue: Queue, turn: TurnInProgress): void {
  watchIdle(queue);
  turn.touch(queue.main);
  queue.deadLetters.forwardAnew(); // FWD-01: it may be that dead letters go on now
  turn.touch(queue.deadLetters);
}

/** LIM-09, TOP-12. */
function checkSubscriptionCount({ subscriptions, description }: Topic, limits: Limits): void {
  const { maxSubscriptionsPerTopic } = limits;
  if (subscriptions.size < maxSubscriptionsPerTopic) return;
  const text = `Topic '${description.name}' has ${subscriptions.size} subscriptions; the limit is ${maxSubscriptionsPerTopic}.`;
  throw new ServiceBusError('quota-exceeded', text, description.name);
}
