// The subscriptions of JMS programs: a consumer of a topic makes its own or resumes it, and a program unsubscribes (JMS-50 to JMS-60).

import type { WantedSubscriber } from '../contract/command.js';
import { checkDescription } from '../contract/entities/description-check.js';
import type { DescribedSubscription } from '../contract/entities/entity.js';
import { nameKey } from '../contract/entities/entity-path.js';
import {
  isInLimits,
  MAX_CLIENT_ID_LENGTH,
  MAX_SUBSCRIBER_NAME_LENGTH,
  type Subscriber,
  type SubscriberIdentity,
  subscriberName,
} from '../contract/entities/subscriber.js';
import { describeSubscription } from '../contract/entities/topic-description.js';
import type { Result } from '../contract/result.js';
import { DEFAULT_RULE, type RuleDescription } from '../contract/rule-description.js';
import { ServiceBusError } from '../contract/service-bus-error.js';
import { entityResult } from '../queue/link-commands.js';
import { checkMayReceive } from '../queue/links.js';
import { isSameSelector } from '../selectors/selector-parser.js';
import type { Queue } from '../store/queue.js';
import { type CheckedRule, checkRules, putRule } from '../topics/subscription-rules.js';
import type { Subscription, Topic } from '../topics/topic.js';
import { checkFanOutComplete } from '../topics/waiting-fan-out.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import { type CommandOf, inNamespace } from '../turn/handler.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import { deleteEntity } from './delete-entity.js';
import { checkNewSubscription, createEntity } from './put-entity.js';
import { mayNotCreate } from './used-entities.js';

type AttachSubscriber = CommandOf<'attach-subscriber'>;

/** The subscription to consume from, with its rules if they change, or the one to be deleted and the one to be made. */
type Checked =
  | { readonly resumed: Subscription; readonly rules: readonly CheckedRule[] }
  | { readonly replaced: Subscription | undefined; readonly made: NewSubscription };

type NewSubscription = {
  readonly subscriber: Subscriber;
  readonly described: DescribedSubscription;
  readonly rules: readonly CheckedRule[];
};

const DONE: Result = { kind: 'done' };

export const ATTACH_SUBSCRIBER = inNamespace(
  (command: AttachSubscriber, parts: BrokerParts): Checked => {
    const topic = parts.namespace.topic(command.topicName);
    const subscriber = identified(command.subscriber, parts);
    const existing = parts.namespace.findSubscriber(subscriberName(subscriber));
    if (existing === undefined)
      return { replaced: undefined, made: checkNew(topic, subscriber, command, parts, undefined) };
    checkSharing(existing, subscriber);
    const isSame = existing.topic === topic && hasSelector(existing, subscriber.selector); // JMS-56
    if (existing.queue.keeperCount > 0 && !(isSame && subscriber.isShared)) throw inUse(existing); // JMS-53
    if (!isSame) return { replaced: existing, made: checkNew(topic, subscriber, command, parts, existing) };
    checkMayReceive(existing.queue.main, { hasSession: false }); // JMS-19
    return { resumed: existing, rules: rulesDecidedBy(subscriber, existing, command, parts) };
  },
  (checked: Checked, command, parts, turn) => {
    const { main } = 'resumed' in checked ? resume(checked, command, turn) : make(checked, parts, turn);
    const { linkId, receiveMode, client } = command;
    parts.links.attachReceiver({ linkId, store: main, receiveMode, client, isKeeper: true });
    main.queue.used(turn.now);
    turn.touch(main); // TTL-09
    return entityResult(main, parts.limits);
  },
);

export const FIND_SUBSCRIBER = inNamespace(
  (identity: CommandOf<'find-subscriber'>, parts) => checkUnsubscribe(identity, parts),
  ({ topic, subscriber }: Unsubscribed) => ({
    kind: 'subscriber',
    topicName: topic.description.name,
    subscriber,
  }),
);

export const UNSUBSCRIBE = inNamespace(
  (identity: CommandOf<'unsubscribe'>, parts) => checkUnsubscribe(identity, parts),
  ({ queue }: Unsubscribed, _command, parts, turn) => {
    deleteEntity(queue, parts, turn);
    return DONE;
  },
);

type Unsubscribed = { readonly queue: Queue; readonly topic: Topic; readonly subscriber: Subscriber };

/** JMS-60 */
function checkUnsubscribe(
  { name, clientId }: Omit<SubscriberIdentity, 'isDurable'>,
  { namespace, locks }: BrokerParts,
): Unsubscribed {
  const shown = subscriberName({ name, clientId, isDurable: true });
  const found = namespace.findSubscriber(shown);
  if (found?.subscriber === undefined) {
    const text = `There is no durable subscription '${name}'${clientId === '' ? '' : ` of client '${clientId}'`}.`;
    throw new ServiceBusError('entity-not-found', text, { entityPath: shown, about: 'no-subscription' });
  }
  const { queue, topic, subscriber } = found;
  const isConsumed = queue.stores.some(({ receiverCount }) => receiverCount > 0);
  const isEnlisted = () =>
    locks.held(({ store, pinnedBy }) => store.queue === queue && pinnedBy !== undefined).length > 0;
  if (isConsumed || (queue.main.lockedCount > 0 && isEnlisted())) {
    const why = isConsumed ? 'a consumer' : 'a message in an open transaction';
    const text = `Cannot unsubscribe '${shown}', because the subscription has ${why}. Close it first.`;
    throw new ServiceBusError('not-allowed', text, { entityPath: queue.main.path });
  }
  return { queue, topic, subscriber };
}

function identified({ name, ...wanted }: WantedSubscriber, { nextGuid }: BrokerParts): Subscriber {
  return { ...wanted, name: name ?? nextGuid() };
}

/** JMS-17: whether an administrator has created it and no consumer has had it yet. */
function isUndecided({ subscriber }: Subscription): boolean {
  return subscriber?.isShared === undefined;
}

/** JMS-56; the first consumer of one that is undecided may have any. */
function hasSelector(existing: Subscription, wanted: string | undefined): boolean {
  const selector = existing.subscriber?.selector;
  if (isUndecided(existing) || selector === wanted) return true;
  return selector !== undefined && wanted !== undefined && isSameSelector(selector, wanted);
}

/**
 * JMS-17: the rules that the first consumer gives to a subscription of an administrator: its selector in place of the default rule. The
 * administrator's own rules stay (JMS-18), and so do the messages.
 */
function rulesDecidedBy(
  subscriber: Subscriber,
  existing: Subscription,
  { mayCreate }: AttachSubscriber,
  parts: BrokerParts,
): readonly CheckedRule[] {
  if (!isUndecided(existing) || subscriber.selector === undefined) return [];
  const { topic } = existing;
  const present = existing.rules.map(({ record }) => record.description);
  const decided = checkRules(topic, rulesOf(subscriber), parts, present); // JMS-85
  if (present.length !== 1 || !present.every(isDefaultRule)) return [];
  if (!mayCreate) throw mayNotCreate(topic.description.name); // JMS-11: it takes as much to change a rule
  checkFanOutComplete(topic);
  return decided;
}

function isDefaultRule({ name, filter, action }: RuleDescription): boolean {
  return nameKey(name) === nameKey(DEFAULT_RULE.name) && filter.kind === 'true' && action === undefined;
}

/** JMS-55 */
function checkSharing({ subscriber, queue }: Subscription, wanted: Subscriber): void {
  const isShared = subscriber?.isShared;
  if (isShared === undefined || isShared === wanted.isShared) return;
  const text = `The subscription '${subscriberName(wanted)}' is ${isShared ? '' : 'not '}shared, and this consumer is ${isShared ? 'not' : ''}. Unsubscribe it first, or take another name.`;
  throw new ServiceBusError('not-allowed', text, { entityPath: queue.main.path });
}

/** JMS-52. The text is the service's. */
function inUse({ queue, description: { name } }: Subscription): ServiceBusError {
  const text = `Cannot create a new consumer on subscriber '${name}' because there is already a subscriber using the same name with an active consumer on the same or different topic.`;
  return new ServiceBusError('not-allowed', text, { entityPath: queue.main.path });
}

function checkNew(
  topic: Topic,
  subscriber: Subscriber,
  { autoDeleteOnIdleMs, mayCreate }: AttachSubscriber,
  parts: BrokerParts,
  replaced: Subscription | undefined,
): NewSubscription {
  const name = subscriberName(subscriber);
  const topicName = topic.description.name;
  if (!mayCreate) throw mayNotCreate(topicName);
  if (!isInLimits(subscriber)) throw tooLong(subscriber, topicName);
  // JMS-58: one that is not durable goes with its consumers
  const idle = subscriber.isDurable ? { autoDeleteOnIdleMs } : {};
  const described = {
    type: 'subscription',
    topicName,
    description: describeSubscription(name, idle),
  } as const;
  checkDescription(described, parts.limits);
  const rules = checkNewSubscription(topic, rulesOf(subscriber), parts, replaced);
  return { subscriber, described, rules };
}

/** JMS-18 */
function rulesOf({ selector }: Subscriber): readonly RuleDescription[] {
  if (selector === undefined) return [DEFAULT_RULE];
  return [{ ...DEFAULT_RULE, filter: { kind: 'selector', expression: selector } }];
}

function tooLong({ name, clientId }: Subscriber, entityPath: string): ServiceBusError {
  const text =
    `A subscription has a name of 1 to ${MAX_SUBSCRIBER_NAME_LENGTH} characters and a client id of up to ${MAX_CLIENT_ID_LENGTH}; ` +
    `these have ${name.length} and ${clientId.length}.`;
  return new ServiceBusError('argument', text, { entityPath, property: 'name', value: name.length });
}

function make(
  { replaced, made }: Exclude<Checked, { readonly resumed: Subscription }>,
  parts: BrokerParts,
  turn: TurnInProgress,
): Queue {
  if (replaced !== undefined) deleteEntity(replaced.queue, parts, turn);
  const { subscriber, described, rules } = made;
  const isVolatile = subscriber.isDurable ? undefined : ({ isVolatile: true } as const);
  return createEntity(described, rules, parts, turn, { subscriber, ...isVolatile }); // JMS-51
}

/** JMS-17: the first consumer of one that an administrator has created says whether it is shared, and its selector. */
function resume(
  { resumed: subscription, rules }: Extract<Checked, { readonly resumed: Subscription }>,
  { subscriber: { isShared, selector } }: AttachSubscriber,
  turn: TurnInProgress,
): Queue {
  const { subscriber, queue } = subscription;
  if (subscriber !== undefined && isUndecided(subscription)) {
    subscription.subscriber = { ...subscriber, isShared, ...(selector === undefined ? {} : { selector }) };
    turn.events.push({ kind: 'entity-put', entity: subscription.record() });
    for (const rule of rules) putRule(subscription, rule, turn);
  }
  return queue;
}
