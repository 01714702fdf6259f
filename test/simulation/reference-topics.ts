// Topics, subscriptions and their rules are put, read and deleted in the reference model.

import { isDeepStrictEqual } from 'node:util';
import {
  checkDescription,
  checkForwarding,
  checkUpdate,
} from '../../src/broker/contract/entities/description-check.js';
import {
  describeQueue,
  type QueueDescription,
} from '../../src/broker/contract/entities/queue-description.js';
import type {
  SubscriptionDescription,
  TopicDescription,
} from '../../src/broker/contract/entities/topic-description.js';
import { NEVER } from '../../src/broker/contract/instant.js';
import type { RuleDescription } from '../../src/broker/contract/rule-description.js';
import {
  create,
  findNamed,
  isRefusedPage,
  isSame,
  pageOf,
  refusalsOfExpected,
  update,
} from './reference-entities.js';
import { refusalsOfRule, rulesInOrder } from './reference-fan-out.js';
import { mayForwardTo, refusalsOf } from './reference-send.js';
import {
  findTarget,
  isDeadLetterQueue,
  type ModelQueue,
  subscriptionsOf,
  type Target,
  topicOf,
  waitingIn,
} from './reference-state.js';
import {
  type CommandOf,
  DONE,
  type ExpectedResult,
  failed,
  happened,
  type ModelTurn,
} from './reference-turn.js';

type PutEntity = CommandOf<'put-entity'>;

/** TOP-02. */
const DEFAULT_RULE: RuleDescription = { name: '$Default', filter: { kind: 'true' }, action: undefined };

export function putTopic(
  { description: given, expected }: Extract<PutEntity, { type: 'topic' }>,
  turn: ModelTurn,
): ExpectedResult {
  const topic = findTarget(turn.state, given.name)?.queue;
  const description = intakeOf(given);
  const reasons = [
    ...refusalsOfExpected(expected, findNamed(given.name, 'topic', turn), turn),
    ...refusalsOf(
      () => checkDescription({ type: 'topic', description: given }, turn.limits),
      () => topic?.topic !== undefined && checkUpdate(topic.topic, { type: 'topic', description: given }),
    ),
    ...(topic !== undefined && topic.kind !== 'topic' ? ['entity-already-exists'] : []), // ENT-03
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

export function putSubscription(
  {
    topicName,
    description: asked,
    rules = [DEFAULT_RULE],
    expected,
  }: Extract<PutEntity, { type: 'subscription' }>,
  turn: ModelTurn,
): ExpectedResult {
  const topic = findNamed(topicName, 'topic', turn);
  if (topic?.topic === undefined) return failed('entity-not-found');
  const topicDescription = topic.topic;
  const entity = { type: 'subscription', topicName: topic.name, description: asked } as const;
  const given = asked.forwardTo === undefined ? asked : { ...asked, autoDeleteOnIdleMs: NEVER }; // FWD-09
  const description = queueOf(topicDescription, given);
  const subscription = findTarget(turn.state, description.name)?.queue;
  const old = subscription?.subscription;
  const isLimited = subscriptionsOf(topic, turn.state).length >= turn.limits.maxSubscriptionsPerTopic;
  const reasons = [
    ...refusalsOfExpected(expected, findNamed(description.name, 'subscription', turn), turn),
    ...refusalsOf(
      () => checkDescription(entity, turn.limits),
      () => old !== undefined && checkUpdate(old, entity),
      () => checkForwarding(entity, (one) => mayForwardTo(one, turn.state)),
    ),
    ...(subscription !== undefined && subscription.kind !== 'subscription' ? ['entity-already-exists'] : []), // ENT-03
    ...(subscription === undefined && isLimited ? ['quota-exceeded'] : []), // LIM-09
    ...(subscription === undefined ? [...refusalsOfRules(rules, topic, turn), ...busyIn(topic)] : []),
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
  return {
    ...describeQueue('', { ...rest, enablePartitioning, maxSizeInMegabytes, maxMessageSizeInKilobytes }),
    name: `${topic.name}/Subscriptions/${name}`,
  };
}

/** TOP-11, LIM-10, LIM-11: these come, and those go in their favour. */
function refusalsOfRules(
  rules: readonly RuleDescription[],
  topic: ModelQueue,
  { state, limits }: ModelTurn,
  leaving: ModelQueue['rules'] = [],
): readonly string[] {
  const names = rules.map(({ name }) => name.toLowerCase());
  const there = subscriptionsOf(topic, state).flatMap((one) => one.rules);
  const staying = there.filter((one) => !leaving.includes(one));
  const all = [...staying.map(({ description }) => description), ...rules];
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

export function addRule({ rule }: CommandOf<'add-rule'>, target: Target, turn: ModelTurn): ExpectedResult {
  const topic = useRules(target, turn);
  if (topic === undefined) return failed('not-allowed');
  const { queue } = target;
  const isThere = findRule(rule.name, queue) !== undefined;
  const reasons = [
    ...refusalsOfRules([rule], topic, turn),
    ...busyIn(topic),
    ...(isThere ? ['entity-already-exists'] : []), // TOP-11
  ];
  if (reasons.length > 0) return failed(...reasons);
  putRule(queue, rule, turn);
  return DONE;
}

export function updateRule(
  { rule }: CommandOf<'update-rule'>,
  target: Target,
  turn: ModelTurn,
): ExpectedResult {
  const topic = useRules(target, turn);
  if (topic === undefined) return failed('not-allowed');
  const { queue } = target;
  const existing = findRule(rule.name, queue);
  if (existing === undefined) return failed('entity-not-found', ...refusalsOfRule(rule));
  const reasons = [...refusalsOfRules([rule], topic, turn, [existing]), ...busyIn(topic)];
  if (reasons.length > 0) return failed(...reasons);
  putRule(queue, rule, turn);
  return DONE;
}

/** Those that are there as given stay as they are. */
export function setRules({ rules }: CommandOf<'set-rules'>, target: Target, turn: ModelTurn): ExpectedResult {
  const topic = useRules(target, turn);
  if (topic === undefined) return failed('not-allowed');
  const { queue } = target;
  const isChanged =
    rules.length !== queue.rules.length ||
    rules.some((rule) => {
      const existing = findRule(rule.name, queue);
      return existing === undefined || !isSameRule(existing.description, rule);
    });
  const reasons = [...refusalsOfRules(rules, topic, turn, queue.rules), ...(isChanged ? busyIn(topic) : [])];
  if (reasons.length > 0) return failed(...reasons);
  for (const { description } of [...queue.rules]) {
    if (rules.some((one) => isNamed(one, description.name))) continue;
    happened('rule left out', turn);
    dropRule(queue, description.name, turn);
  }
  for (const rule of rules) {
    const existing = findRule(rule.name, queue);
    const isSame = existing !== undefined && isSameRule(existing.description, rule);
    happened(isSame ? 'rule set that was there' : 'rule set', turn);
    if (!isSame) putRule(queue, rule, turn);
  }
  return DONE;
}

export function removeRule(
  { name }: CommandOf<'remove-rule'>,
  target: Target,
  turn: ModelTurn,
): ExpectedResult {
  const topic = useRules(target, turn);
  if (topic === undefined) return failed('not-allowed');
  const { queue } = target;
  const rule = findRule(name, queue);
  if (rule === undefined) return failed('entity-not-found');
  if (busyIn(topic).length > 0) return failed(...busyIn(topic));
  dropRule(queue, rule.description.name, turn);
  if (queue.rules.length === 0) happened('last rule removed', turn);
  return DONE;
}

/** A look is no use (IDL-05). */
export function getRule({ name }: CommandOf<'get-rule'>, { queue, place }: Target): ExpectedResult {
  if (queue.kind !== 'subscription' || isDeadLetterQueue(place)) return failed('not-allowed');
  const rule = findRule(name, queue);
  return rule === undefined ? failed('entity-not-found') : { kind: 'rules', rules: [rule] };
}

export function listRules(page: CommandOf<'list-rules'>, { queue, place }: Target): ExpectedResult {
  const reasons = [
    (queue.kind !== 'subscription' || isDeadLetterQueue(place)) && 'not-allowed',
    isRefusedPage(page) && 'argument-out-of-range',
  ].filter((reason) => reason !== false);
  if (reasons.length > 0) return failed(...reasons);
  return { kind: 'rules', rules: pageOf(rulesInOrder(queue), page) };
}

/** TOP-15. */
function busyIn(topic: ModelQueue): readonly string[] {
  return waitingIn(topic).length > 0 ? ['server-busy'] : [];
}

/** IDL-05. Answers the topic; undefined: it is no subscription that is asked. */
function useRules({ queue, place }: Target, turn: ModelTurn): ModelQueue | undefined {
  queue.activeAt = turn.now;
  return isDeadLetterQueue(place) ? undefined : topicOf(queue, turn.state);
}

/** TOP-11: one that is there keeps its name. */
function putRule(queue: ModelQueue, rule: RuleDescription, turn: ModelTurn): void {
  const existing = findRule(rule.name, queue);
  const { name } = existing?.description ?? rule;
  queue.rules = queue.rules.filter((one) => one !== existing);
  queue.rules.push({ description: { ...rule, name }, createdTime: turn.now });
  turn.expected.rules.push(`put ${queue.name} ${name}`);
}

function dropRule(queue: ModelQueue, name: string, turn: ModelTurn): void {
  queue.rules = queue.rules.filter(({ description }) => description.name !== name);
  turn.expected.rules.push(`removed ${queue.name} ${name}`);
}

function findRule(name: string, { rules }: ModelQueue) {
  return rules.find(({ description }) => isNamed(description, name));
}

function isNamed(rule: { readonly name: string }, name: string): boolean {
  return rule.name.toLowerCase() === name.toLowerCase();
}

/** But for the case of the name. */
function isSameRule(one: RuleDescription, other: RuleDescription): boolean {
  return isDeepStrictEqual({ ...one, name: '' }, { ...other, name: '' });
}
