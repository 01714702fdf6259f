// Creates a queue, topic or subscription, or updates the description of an existing one, which keeps its messages, locks and
// rules (ENT-09). Answers with the entity as it is afterwards.

import type { Expected } from '../contract/command.js';
import {
  checkDescription,
  checkForwarding,
  checkUpdate,
  isSameDescription,
} from '../contract/entities/description-check.js';
import { type DescribedEntity, type EntityDescription, pathOf } from '../contract/entities/entity.js';
import { alreadyExists, entityNotFound } from '../contract/entities/entity-errors.js';
import { checkText, nameKey } from '../contract/entities/entity-path.js';
import { parseSubscriberName } from '../contract/entities/subscriber.js';
import type { EntityRecord, SubscriptionRecord } from '../contract/event.js';
import { type Instant, NEVER } from '../contract/instant.js';
import type { Limits } from '../contract/limits.js';
import type { Result } from '../contract/result.js';
import { DEFAULT_RULE, type RuleDescription } from '../contract/rule-description.js';
import { ServiceBusError } from '../contract/service-bus-error.js';
import { forgetMessageIds } from '../queue/accept.js';
import type { Queue } from '../store/queue.js';
import { type CheckedRule, checkRules, putRule } from '../topics/subscription-rules.js';
import { entityOf, type Subscription, subscriptionOf, type Topic } from '../topics/topic.js';
import { checkFanOutComplete } from '../topics/waiting-fan-out.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import { type CommandOf, inNamespace } from '../turn/handler.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import { watchIdle } from './due-work.js';
import { infoOf } from './entity-info.js';
import { claimEntity, type Namespace } from './namespace.js';

type PutEntity = CommandOf<'put-entity'>;

type Checked = {
  readonly entity: DescribedEntity;
  readonly existing: Queue | undefined;
  /** The rules of a new subscription. */
  readonly rules: readonly CheckedRule[];
};

/** Facts about an entity that are not in its description. */
type CreationFacts = Pick<SubscriptionRecord, 'isVolatile' | 'subscriber'>;

const DONE: Result = { kind: 'done' };

export const PUT_ENTITY = inNamespace(
  (command: PutEntity, parts: BrokerParts): Checked => {
    const { namespace, claims, limits } = parts;
    checkText(command.description.name);
    const topic = command.type === 'subscription' ? namespace.topic(command.topicName) : undefined;
    const entity = topic === undefined ? command : { ...command, topicName: topic.description.name };
    const path = pathOf(entity);
    const existing = namespace.findEntity(path);
    claimEntity(path, claims);
    checkExisting(existing, entity, command.expected);
    checkDescription(entity, limits);
    if (topic !== undefined) checkSubscriber(entity.description.name, existing, topic, namespace);
    const isItself = (name: string) => entity.type === 'queue' && nameKey(name) === path;
    checkForwarding(entity, (name) => isItself(name) || namespace.hasDestination(name));
    const isNewSubscription = topic !== undefined && existing === undefined;
    const rules = isNewSubscription ? checkNewSubscription(topic, command.rules, parts) : [];
    return { entity: withDefaults(entity, limits), existing, rules };
  },
  ({ entity, existing, rules }: Checked, _command, parts, turn) => {
    if (existing !== undefined) {
      turn.activities?.push({ kind: 'entity-updated', entity: entity.type, path: pathOf(entity) });
    }
    if (existing === undefined) {
      const { name } = entity.description;
      const identity = entity.type === 'subscription' ? parseSubscriberName(name) : undefined;
      createEntity(
        entity,
        rules,
        parts,
        turn,
        identity && { subscriber: { ...identity, isShared: undefined } },
      );
    } else updateEntity(existing, entity.description, parts, turn);
    return DONE; // `infoAfter` replaces it at the end of the turn
  },
);

/** Throws if the put expects the opposite (ENT-03, ENT-04), an entity of another type has the path, or a property is fixed. */
function checkExisting(found: Queue | undefined, entity: DescribedEntity, expected: Expected): void {
  const path = pathOf(entity);
  const existing = found?.type === entity.type ? found : undefined;
  if (expected === 'absent' && existing !== undefined) throw alreadyExists(path);
  if (expected === 'present' && existing === undefined) throw entityNotFound(path);
  if (found?.isVolatile === true && found.type !== 'subscription') throw isTemporary(path); // JMS-45
  if (existing !== undefined) checkUpdate(entityOf(existing).description, entity);
  else if (found !== undefined) {
    const isName = found.type !== 'subscription' && entity.type !== 'subscription';
    throw alreadyExists(path, isName ? { about: 'name-in-use' } : {}); // ENT-03
  }
}

/** JMS-15, JMS-17: the subscription of a JMS program is durable if an administrator creates it, and its name is not used by another topic. */
function checkSubscriber(
  name: string,
  existing: Queue | undefined,
  topic: Topic,
  namespace: Namespace,
): void {
  const identity = parseSubscriberName(name);
  if (identity === undefined || existing !== undefined) return;
  const entityPath = topic.description.name;
  if (!identity.isDurable) {
    const text = `'${name}' cannot be the name of a subscription: one that ends in $ND comes and goes with the JMS programs that use it. End it in $D.`;
    throw new ServiceBusError('argument', text, { entityPath, property: 'name', value: name });
  }
  const other = namespace.findSubscriber(name);
  if (other !== undefined) throw alreadyExists(other.queue.main.path, { about: 'name-in-use' });
}

function isTemporary(path: string): ServiceBusError {
  const text = `'${path}' is temporary: it lives as long as the client that made it wants it, and cannot be changed. Take another name.`;
  return new ServiceBusError('not-allowed', text, { entityPath: path, about: 'name-in-use' });
}

/** TOP-02, LIM-09, TOP-12. `replaced`: the subscription that goes for it, which does not count if it is one of the topic. */
export function checkNewSubscription(
  topic: Topic,
  rules: readonly RuleDescription[] = [DEFAULT_RULE],
  parts: BrokerParts,
  replaced?: Subscription,
): readonly CheckedRule[] {
  const { name } = topic.description;
  const going = replaced?.topic === topic ? replaced : undefined;
  const size = topic.subscriptions.size - (going === undefined ? 0 : 1);
  const { maxSubscriptionsPerTopic: limit } = parts.limits;
  if (size < limit) {
    checkFanOutComplete(topic);
    const goingRules = going?.rules.map(({ record }) => record.description);
    return checkRules(topic, rules, parts, goingRules);
  }
  const text = `Topic '${name}' has ${size} subscriptions; the limit is ${limit}.`;
  throw new ServiceBusError('quota-exceeded', text, {
    entityPath: name,
    property: 'subscriptions',
    value: size,
    limit,
  });
}

/** The entity as it is stored. */
export function withDefaults(entity: DescribedEntity, { maxTimeToLiveMs }: Limits): DescribedEntity {
  switch (entity.type) {
    case 'queue': {
      const { type, description } = entity;
      // ENT-10: in Basic the default is the longest time.
      const defaultMessageTimeToLiveMs = Math.min(description.defaultMessageTimeToLiveMs, maxTimeToLiveMs);
      return { type, description: { ...description, defaultMessageTimeToLiveMs } };
    }
    case 'topic':
      return { type: entity.type, description: entity.description };
    case 'subscription': {
      const { type, topicName, description } = entity;
      const never = description.forwardTo === undefined ? {} : { autoDeleteOnIdleMs: NEVER }; // FWD-09
      return { type, topicName, description: { ...description, ...never } };
    }
  }
}

/** Creates a checked entity, with the rules of a subscription. Returns its queue. */
export function createEntity(
  entity: DescribedEntity,
  rules: readonly CheckedRule[],
  { namespace }: BrokerParts,
  turn: TurnInProgress,
  given: CreationFacts = {},
): Queue {
  turn.activities?.push({ kind: 'entity-created', entity: entity.type, path: pathOf(entity) });
  const record = { ...newRecord(entity, namespace, turn.now), ...given };
  const queue = namespace.add(record);
  reschedule(queue, turn);
  turn.events.push({ kind: 'entity-put', entity: record });
  const subscription = subscriptionOf(queue);
  if (subscription === undefined) return queue;
  subscription.topic.intake.used(turn.now);
  for (const rule of rules) putRule(subscription, rule, turn);
  return queue;
}

/** The record of a new entity, with ids for its stores. */
export function newRecord(entity: DescribedEntity, namespace: Namespace, now: Instant): EntityRecord {
  const added = { createdTime: now, updatedTime: now, ...namespace.takeStoreIds() };
  if (entity.type !== 'subscription') return { ...entity, ...added };
  const { topicName, ...subscription } = entity;
  return { ...subscription, ...added, topicStoreId: namespace.topic(topicName).intake.main.id };
}

/** Applies a checked description to an existing entity. */
export function updateEntity(
  queue: Queue,
  given: EntityDescription,
  { links }: BrokerParts,
  turn: TurnInProgress,
): void {
  const entity = entityOf(queue);
  const description = { ...given, name: entity.description.name }; // ENT-02: that of a subscription keeps its spelling
  if (isSameDescription(entity.description, description)) return;
  forgetMessageIds(queue, turn); // by the old window, so that a longer one does not revive expired ids
  entity.update(description, turn.now);
  forgetMessageIds(queue, turn);
  reschedule(queue, turn);
  turn.events.push({ kind: 'entity-put', entity: entity.record() });
  links.detachDisabled(queue, turn);
}

function reschedule(queue: Queue, turn: TurnInProgress): void {
  watchIdle(queue);
  turn.touch(queue.main);
  queue.deadLetters.resetRetry(); // FWD-01: dead letters may have to be forwarded now
  turn.touch(queue.deadLetters);
}

/** The answer to a put that has been executed. */
export function infoAfter(command: PutEntity, { namespace }: BrokerParts): Result {
  const queue = namespace.findEntity(pathOf(command));
  return queue === undefined ? DONE : { kind: 'entity-info', entity: infoOf(queue) }; // a later command of its step may have deleted its topic
}
