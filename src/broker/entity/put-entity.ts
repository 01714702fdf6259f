// Creates a queue, topic or subscription, or applies a description to the one that exists: its messages, locks and rules stay
// (ENT-09). The answer is what it is then.

import type { BrokerParts } from '../broker-parts.js';
import type { Event } from '../event.js';
import { type CommandOf, inNamespace, type NamespaceHandler } from '../handler.js';
import { NEVER } from '../instant.js';
import type { Limits } from '../limits.js';
import { forgetMessageIds } from '../message/duplicate-detection.js';
import type { Result } from '../result.js';
import { DEFAULT_RULE } from '../rules/rule-description.js';
import { ServiceBusError } from '../service-bus-error.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { nameKey, subscriptionPathOf } from './entity-path.js';
import { checkForwarding } from './forwarding-check.js';
import { watchIdle } from './idle-deletion.js';
import { alreadyExists, checkExpected, claimEntity } from './namespace.js';
import type { Queue } from './queue.js';
import { checkQueueDescription, checkQueueUpdate, isSameDescription } from './queue-description-check.js';
import { queueInfo } from './queue-info.js';
import type { Subscription } from './subscription.js';
import { type CheckedRule, checkRules, putRule } from './subscription-rules.js';
import type { Topic } from './topic.js';
import {
  checkSubscriptionDescription,
  checkSubscriptionUpdate,
  checkTopicDescription,
  checkTopicUpdate,
} from './topic-description-check.js';
import { subscriptionInfo, topicInfo } from './topic-info.js';

const DONE: Result = { kind: 'done' };

type PutCommand = CommandOf<'put-queue' | 'put-topic' | 'put-subscription'>;

/** One that is there; its description is replaced as a whole. */
type Entity<Description> = {
  readonly description: Description;
  readonly update: (description: Description, now: number) => void;
};

/** The differences between the kinds of entities when they are put. */
type Kind<C extends PutCommand, E> = {
  /** Throws when its topic is not there. */
  readonly find: (command: C, parts: BrokerParts) => E | undefined;
  readonly pathOf: (command: C, parts: BrokerParts) => string;
  /** Throws for a description that it cannot have, now or ever. */
  readonly check: (command: C, existing: E | undefined, parts: BrokerParts) => void;
  /** Checks what else must be right when it is new, and gives `create` its rules. */
  readonly prepare?: (command: C, parts: BrokerParts) => readonly CheckedRule[];
  readonly create: (
    command: C,
    rules: readonly CheckedRule[],
    parts: BrokerParts,
    turn: TurnInProgress,
  ) => void;
  /** The description that is to hold; ENT-02: the name in the case of its creation. */
  readonly meant?: (description: C['description']) => C['description'];
  readonly queueOf: (entity: E) => Queue;
  readonly eventOf: (entity: E) => Event;
};

const NAME_IN_USE = { about: 'name-in-use' } as const;

type Checked<E> = { readonly existing: E | undefined; readonly rules: readonly CheckedRule[] };

function putting<C extends PutCommand, E extends Entity<C['description']>>(
  kind: Kind<C, E>,
): NamespaceHandler<C, Checked<E>> {
  return inNamespace(
    (command: C, parts: BrokerParts) => {
      const existing = kind.find(command, parts);
      const path = kind.pathOf(command, parts);
      claimEntity(path, parts.claims);
      checkExpected(existing, command.expected, path);
      kind.check(command, existing, parts);
      const rules = existing === undefined ? (kind.prepare?.(command, parts) ?? []) : [];
      return { existing, rules };
    },
    ({ existing, rules }, command, parts, turn) => {
      if (existing === undefined) kind.create(command, rules, parts, turn);
      else update(existing, command.description, kind, parts, turn);
      return DONE; // the turn ends with another answer
    },
  );
}

function update<C extends PutCommand, E extends Entity<C['description']>>(
  entity: E,
  given: C['description'],
  kind: Kind<C, E>,
  { links }: BrokerParts,
  turn: TurnInProgress,
): void {
  const { meant = (one) => one } = kind;
  const description = meant({ ...given, name: entity.description.name }); // ENT-02
  if (isSameDescription(entity.description, description)) return;
  const queue = kind.queueOf(entity);
  forgetMessageIds(queue, turn); // by the old window: no id comes to life again
  entity.update(description, turn.now);
  forgetMessageIds(queue, turn);
  started(queue, turn);
  turn.events.push(kind.eventOf(entity));
  links.detachDisabled(queue, turn);
}

export const PUT_QUEUE = putting<CommandOf<'put-queue'>, Queue>({
  find: ({ description }, { namespace }) => namespace.findQueue(description.name),
  pathOf: ({ description }) => description.name,
  check({ description }, existing, { namespace, limits }) {
    const { name } = description;
    if (namespace.findTopic(name) !== undefined) throw alreadyExists(name, NAME_IN_USE); // ENT-03
    if (existing !== undefined) checkQueueUpdate(existing.description, description);
    checkQueueDescription(description, limits);
    const isThere = (one: string) => nameKey(one) === nameKey(name) || namespace.hasDestination(one);
    checkForwarding(description, undefined, isThere);
  },
  create({ description }, _rules, { namespace }, turn) {
    const queue = namespace.addQueue({ description, ...bornAt(turn), ...namespace.takeStoreIds() });
    started(queue, turn);
    turn.queuePut(queue);
  },
  queueOf: (queue) => queue,
  eventOf: (queue) => ({ kind: 'queue-put', queue: queue.record() }),
});

export const PUT_TOPIC = putting<CommandOf<'put-topic'>, Topic>({
  find: ({ description }, { namespace }) => namespace.findTopic(description.name),
  pathOf: ({ description }) => description.name,
  check({ description }, existing, { namespace, limits }) {
    const { name } = description;
    if (namespace.findQueue(name) !== undefined) throw alreadyExists(name, NAME_IN_USE); // ENT-03
    if (existing !== undefined) checkTopicUpdate(existing.description, description);
    checkTopicDescription(description, limits);
  },
  create({ description }, _rules, { namespace }, turn) {
    const topic = namespace.addTopic({ description, ...bornAt(turn), ...namespace.takeStoreIds() });
    started(topic.intake, turn);
    turn.events.push({ kind: 'topic-put', topic: topic.record() });
  },
  queueOf: ({ intake }) => intake,
  eventOf: (topic) => ({ kind: 'topic-put', topic: topic.record() }),
});

export const PUT_SUBSCRIPTION = putting<CommandOf<'put-subscription'>, Subscription>({
  find: ({ topicName, description }, { namespace }) => namespace.topic(topicName).find(description.name),
  pathOf: ({ topicName, description }, { namespace }) =>
    subscriptionPathOf(namespace.topic(topicName).description.name, description.name),
  check({ topicName, description }, existing, { namespace, limits }) {
    const topic = namespace.topic(topicName);
    if (existing !== undefined) checkSubscriptionUpdate(topic, existing.description, description);
    checkSubscriptionDescription(topic, description, limits);
    checkForwarding(description, topic.description.name, (name) => namespace.hasDestination(name));
  },
  prepare({ topicName, rules = [DEFAULT_RULE] }, parts) {
    const topic = parts.namespace.topic(topicName);
    checkSubscriptionCount(topic, parts.limits);
    return checkRules(topic, rules, parts); // TOP-02
  },
  create({ topicName, description }, rules, { namespace }, turn) {
    const topic = namespace.topic(topicName);
    const subscription = namespace.addSubscription({
      description: withoutIdling(description),
      topicStoreId: topic.intake.main.id,
      ...bornAt(turn),
      ...namespace.takeStoreIds(),
    });
    started(subscription.queue, turn);
    topic.intake.used(turn.now);
    turn.events.push({ kind: 'subscription-put', subscription: subscription.record() });
    for (const rule of rules) putRule(subscription, rule, turn);
  },
  meant: withoutIdling,
  queueOf: ({ queue }) => queue,
  eventOf: (subscription) => ({ kind: 'subscription-put', subscription: subscription.record() }),
});

/** The answer to a put that has been carried out. */
export function infoAfter(command: PutCommand, parts: BrokerParts): Result {
  switch (command.kind) {
    case 'put-queue':
      return { kind: 'queue-info', queue: queueInfo(parts.namespace.queue(command.description.name)) };
    case 'put-topic':
      return { kind: 'topic-info', topic: topicInfo(parts.namespace.topic(command.description.name)) };
    case 'put-subscription': {
      const { topicName, description } = command;
      const subscription = parts.namespace.findTopic(topicName)?.find(description.name);
      if (subscription === undefined) return DONE; // a later command of its step has deleted the topic
      return { kind: 'subscription-info', subscription: subscriptionInfo(subscription) };
    }
  }
}

type SubscriptionDescription = CommandOf<'put-subscription'>['description'];

/** FWD-09. */
function withoutIdling(description: SubscriptionDescription): SubscriptionDescription {
  return description.forwardTo === undefined ? description : { ...description, autoDeleteOnIdleMs: NEVER };
}

function bornAt({ now }: TurnInProgress) {
  return { createdTime: now, updatedTime: now };
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
  throw new ServiceBusError('quota-exceeded', text, {
    entityPath: description.name,
    property: 'subscriptions',
    value: subscriptions.size,
    limit: maxSubscriptionsPerTopic,
  });
}
