// Creates a queue, topic or subscription, or updates the description of an existing one, which keeps its messages, locks and
// rules (ENT-09). Answers with the entity as it is afterwards.

import type { EntityType } from '../activity.js';
import type { BrokerParts } from '../broker-parts.js';
import { alreadyExists } from '../entities/entity-errors.js';
import { isSubscriptionPath, nameKey, subscriptionPathOf } from '../entities/entity-path.js';
import {
  checkForwarding,
  checkQueueDescription,
  checkQueueUpdate,
  isSameDescription,
} from '../entities/queue-description-check.js';
import {
  checkSubscriptionDescription,
  checkSubscriptionUpdate,
  checkTopicDescription,
  checkTopicUpdate,
} from '../entities/topic-description-check.js';
import type { Event } from '../event.js';
import { type CommandOf, inNamespace, type NamespaceHandler } from '../handler.js';
import { NEVER } from '../instant.js';
import type { Limits } from '../limits.js';
import { forgetMessageIds } from '../queue/accept.js';
import type { Queue } from '../queue/queue.js';
import type { Result } from '../result.js';
import { DEFAULT_RULE } from '../rules/rule-description.js';
import { ServiceBusError } from '../service-bus-error.js';
import { type CheckedRule, checkRules, putRule } from '../topics/subscription-rules.js';
import type { Subscription, Topic } from '../topics/topic.js';
import { checkFanOutComplete } from '../topics/waiting-fan-out.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { watchIdle } from './due-work.js';
import { queueInfo, subscriptionInfo, topicInfo } from './entity-info.js';
import { checkExpected, claimEntity } from './namespace.js';

const DONE: Result = { kind: 'done' };

type PutCommand = CommandOf<'put-queue' | 'put-topic' | 'put-subscription'>;

/** An existing entity; an update replaces the whole description. */
type Entity<Description> = {
  readonly description: Description;
  readonly update: (description: Description, now: number) => void;
};

/** The differences between kinds of entities in a put. */
type Kind<C extends PutCommand, E> = {
  /** Throws when the topic of a subscription does not exist. */
  readonly find: (command: C, parts: BrokerParts) => E | undefined;
  readonly pathOf: (command: C, parts: BrokerParts) => string;
  /** Throws for an invalid description and for a forbidden change. */
  readonly check: (command: C, existing: E | undefined, parts: BrokerParts) => void;
  /** Further checks for a new entity; returns the rules for `create`. */
  readonly prepare?: (command: C, parts: BrokerParts) => readonly CheckedRule[];
  readonly create: (
    command: C,
    rules: readonly CheckedRule[],
    parts: BrokerParts,
    turn: TurnInProgress,
  ) => void;
  /** Adjusts the description before it is stored. */
  readonly adjust?: (description: C['description'], limits: Limits) => C['description'];
  readonly queueOf: (entity: E) => Queue;
  readonly eventOf: (entity: E) => Event;
  readonly entity: EntityType;
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
      turn.activities?.push({
        kind: existing === undefined ? 'entity-created' : 'entity-updated',
        entity: kind.entity,
        path: kind.pathOf(command, parts),
      });
      if (existing === undefined) kind.create(command, rules, parts, turn);
      else update(existing, command.description, kind, parts, turn);
      return DONE; // `infoAfter` replaces it at the end of the turn
    },
  );
}

function update<C extends PutCommand, E extends Entity<C['description']>>(
  entity: E,
  given: C['description'],
  kind: Kind<C, E>,
  { links, limits }: BrokerParts,
  turn: TurnInProgress,
): void {
  const { adjust = (description) => description } = kind;
  const description = adjust({ ...given, name: entity.description.name }, limits); // ENT-02: that of a subscription keeps its spelling
  if (isSameDescription(entity.description, description)) return;
  const queue = kind.queueOf(entity);
  forgetMessageIds(queue, turn); // by the old window, so that a longer one does not revive expired ids
  entity.update(description, turn.now);
  forgetMessageIds(queue, turn);
  reschedule(queue, turn);
  turn.events.push(kind.eventOf(entity));
  links.detachDisabled(queue, turn);
}

export const PUT_QUEUE = putting<CommandOf<'put-queue'>, Queue>({
  find: ({ description }, { namespace }) => namespace.findQueue(description.name),
  pathOf: ({ description }) => description.name,
  check({ description }, existing, { namespace, limits }) {
    const { name } = description;
    if (namespace.findTopic(name) !== undefined) throw alreadyExists(name, NAME_IN_USE); // ENT-03
    if (isSubscriptionPath(name) && namespace.findSubscription(name) !== undefined) throw alreadyExists(name);
    if (existing !== undefined) checkQueueUpdate(existing.description, description);
    checkQueueDescription(description, limits);
    const exists = (destination: string) =>
      nameKey(destination) === name || namespace.hasDestination(destination);
    checkForwarding(description, undefined, exists);
  },
  create({ description: given }, _rules, { namespace, limits }, turn) {
    const description = withinTier(given, limits);
    const queue = namespace.addQueue({ description, ...createdAt(turn), ...namespace.takeStoreIds() });
    reschedule(queue, turn);
    turn.queuePut(queue);
  },
  adjust: withinTier,
  entity: 'queue',
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
    const topic = namespace.addTopic({ description, ...createdAt(turn), ...namespace.takeStoreIds() });
    reschedule(topic.intake, turn);
    turn.events.push({ kind: 'topic-put', topic: topic.record() });
  },
  entity: 'topic',
  queueOf: ({ intake }) => intake,
  eventOf: (topic) => ({ kind: 'topic-put', topic: topic.record() }),
});

export const PUT_SUBSCRIPTION = putting<CommandOf<'put-subscription'>, Subscription>({
  find: ({ topicName, description }, { namespace }) => namespace.topic(topicName).find(description.name),
  pathOf: ({ topicName, description }, { namespace }) =>
    subscriptionPathOf(namespace.topic(topicName).description.name, description.name),
  check({ topicName, description }, existing, { namespace, limits }) {
    const topic = namespace.topic(topicName);
    const path = subscriptionPathOf(topicName, description.name);
    if (namespace.findQueue(path) !== undefined) throw alreadyExists(path);
    if (existing !== undefined) checkSubscriptionUpdate(topic, existing.description, description);
    checkSubscriptionDescription(topic, description, limits);
    checkForwarding(description, topic.description.name, (name) => namespace.hasDestination(name));
  },
  prepare({ topicName, rules = [DEFAULT_RULE] }, parts) {
    const topic = parts.namespace.topic(topicName);
    checkSubscriptionCount(topic, parts.limits);
    checkFanOutComplete(topic);
    return checkRules(topic, rules, parts); // TOP-02
  },
  create({ topicName, description }, rules, { namespace }, turn) {
    const topic = namespace.topic(topicName);
    const subscription = namespace.addSubscription({
      description: withoutIdling(description),
      topicStoreId: topic.intake.main.id,
      ...createdAt(turn),
      ...namespace.takeStoreIds(),
    });
    reschedule(subscription.queue, turn);
    topic.intake.used(turn.now);
    turn.events.push({ kind: 'subscription-put', subscription: subscription.record() });
    for (const rule of rules) putRule(subscription, rule, turn);
  },
  adjust: withoutIdling,
  entity: 'subscription',
  queueOf: ({ queue }) => queue,
  eventOf: (subscription) => ({ kind: 'subscription-put', subscription: subscription.record() }),
});

/** The answer to a put that has been executed. */
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

type QueueDescription = CommandOf<'put-queue'>['description'];
type SubscriptionDescription = CommandOf<'put-subscription'>['description'];

/** ENT-10: in Basic the default is the longest time. */
function withinTier(description: QueueDescription, { maxTimeToLiveMs }: Limits): QueueDescription {
  const defaultMessageTimeToLiveMs = Math.min(description.defaultMessageTimeToLiveMs, maxTimeToLiveMs);
  return { ...description, defaultMessageTimeToLiveMs };
}

/** FWD-09. */
function withoutIdling(description: SubscriptionDescription): SubscriptionDescription {
  return description.forwardTo === undefined ? description : { ...description, autoDeleteOnIdleMs: NEVER };
}

function createdAt({ now }: TurnInProgress) {
  return { createdTime: now, updatedTime: now };
}

function reschedule(queue: Queue, turn: TurnInProgress): void {
  watchIdle(queue);
  turn.touch(queue.main);
  queue.deadLetters.resetRetry(); // FWD-01: dead letters may have to be forwarded now
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
