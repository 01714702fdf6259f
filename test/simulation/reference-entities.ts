// Queues are put, read, listed and deleted in the reference model; lists are by name, ignoring case, a page at a time.

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
import { MESSAGE_STATE } from '../../src/broker/contract/message-properties.js';
import type { RuleDescription } from '../../src/broker/contract/rule-description.js';
import { detach } from './reference-receivers.js';
import {
  isHeldBack,
  mayForwardTo,
  mayReceive,
  maySend,
  refusalsOf,
  refusalsOfRule,
  rulesInOrder,
  storedBytes,
} from './reference-send.js';
import {
  type CommandOf,
  DONE,
  destinationOf,
  dropOperationsAt,
  type ExpectedResult,
  failed,
  findTarget,
  happened,
  isDeadLetterQueue,
  type LookedAt,
  type ModelQueue,
  type ModelTurn,
  PARTITIONS,
  PLACES,
  type Place,
  subscriptionsOf,
  type Target,
  topicOf,
  waitingIn,
} from './reference-state.js';
import { rollBackAll } from './reference-transactions.js';

type PutQueue = Extract<CommandOf<'put-entity'>, { type: 'queue' }>;

export function putQueue({ description: given, expected }: PutQueue, turn: ModelTurn): ExpectedResult {
  const queue = findTarget(turn.state, given.name)?.queue;
  const old = queue?.description;
  const reasons = [
    ...refusalsOfExpected(expected, findNamed(given.name, 'queue', turn), turn),
    ...refusalsOf(
      () => checkDescription({ type: 'queue', description: given }, turn.limits),
      () => old !== undefined && checkUpdate(old, { type: 'queue', description: given }),
      () =>
        checkForwarding(
          { type: 'queue', description: given },
          (one) => one.toLowerCase() === given.name || mayForwardTo(one, turn.state),
        ),
    ),
    ...(queue !== undefined && queue.kind !== 'queue' ? ['entity-already-exists'] : []), // ENT-03
  ];
  if (reasons.length > 0) return failed(...reasons);
  const lifeMs = Math.min(given.defaultMessageTimeToLiveMs, turn.limits.maxTimeToLiveMs); // ENT-10
  const description = { ...given, defaultMessageTimeToLiveMs: lifeMs };
  if (queue === undefined) create({ kind: 'queue', description }, turn);
  else if (!isSame(description, old)) update(queue, description, turn);
  return DONE;
}

/** ENT-03, ENT-04. */
export function refusalsOfExpected(
  expected: PutQueue['expected'],
  existing: ModelQueue | undefined,
  turn: ModelTurn,
): readonly string[] {
  if (expected !== undefined)
    happened(`put, ${expected} expected, ${existing?.kind ?? 'nothing'} there`, turn);
  if (expected === 'absent' && existing !== undefined) return ['entity-already-exists'];
  return expected === 'present' && existing === undefined ? ['entity-not-found'] : [];
}

export function deleteEntity({ queue, place }: Target, turn: ModelTurn): ExpectedResult {
  if (place !== 'main') return failed('entity-not-found');
  const topic = topicOf(queue, turn.state);
  if (topic !== undefined) topic.activeAt = turn.now; // IDL-04
  happened(`deleted a ${queue.kind}`, turn);
  removeQueue(queue, turn);
  return DONE;
}

export function findNamed(
  name: string,
  kind: ModelQueue['kind'],
  { state }: ModelTurn,
): ModelQueue | undefined {
  return state.queues.find((one) => one.kind === kind && one.name.toLowerCase() === name.toLowerCase());
}

/** ENT-04, ENT-05: deleted by somebody, or idle for too long; a topic with its subscriptions. */
export function removeQueue(queue: ModelQueue, turn: ModelTurn): void {
  const topic = topicOf(queue, turn.state);
  if (topic !== undefined) topic.activeAt = Math.max(topic.activeAt ?? 0, queue.activeAt ?? 0);
  for (const subscription of subscriptionsOf(queue, turn.state)) {
    happened('subscription deleted with its topic', turn);
    removeQueue(subscription, turn);
  }
  if (queue.messages.length > 0) happened('M36', turn);
  if (queue.sessionStates.length > 0) happened('X18', turn);
  for (const place of PLACES) empty({ queue, place }, turn);
  for (const { description } of queue.rules) {
    turn.expected.rules.push(`removed ${queue.name} ${description.name}`);
  }
  dropOperationsAt(queue, turn.state);
  for (const link of turn.state.links.filter((one) => one.queueName === queue.name)) {
    if (link.connectionId !== undefined) happened('X18 links', turn);
    detach(link.id, turn);
    turn.expected.effects.push({ kind: 'detach', linkId: link.id, reason: 'entity-not-found' });
  }
  queue.isGone = true;
  turn.state.queues.splice(turn.state.queues.indexOf(queue), 1);
  turn.expected.queuesRemoved.push(queue.name);
}

/** Everything in it is gone at once.  */
export function empty({ queue, place }: Target, turn: ModelTurn): number {
  const messages = queue.messages.filter((message) => message.place === place);
  for (const message of messages) {
    message.lock = undefined;
    message.isGone = true;
  }
  queue.messages = queue.messages.filter((message) => message.place !== place);
  if (place === 'main') Object.assign(queue, { noted: [], sessionStates: [] });
  // An empty store is left as it is, unless the broker still has message-ids that are out of the window.
  if (!turn.removed.includes(`${queue.name} ${place} emptied`)) return messages.length;
  queue.turns[place] = 0;
  if (place === 'dead') Object.assign(queue, { retryAt: 0, retryMs: 1000 });
  if (place === 'transfer') queue.transferRetries = {};
  return messages.length;
}

/** A topic with the messages of its subscriptions; its room is free at once. Counts as use (IDL-03). */
export function purge(path: string, turn: ModelTurn): ExpectedResult {
  const target = findTarget(turn.state, path);
  if (target === undefined) return failed('entity-not-found');
  const { queue, place } = target;
  const subscriptions = place === 'main' ? subscriptionsOf(queue, turn.state) : [];
  let count = empty(target, turn);
  if (queue.kind === 'topic' && place === 'main') count += empty({ queue, place: 'dead' }, turn);
  for (const subscription of subscriptions) count += empty({ queue: subscription, place: 'main' }, turn);
  for (const used of [queue, ...subscriptions])
    Object.assign(used, { activeAt: turn.now, accessedAt: turn.now });
  happened(`purged a ${queue.kind}'s ${place}, ${Math.min(count, 1)}`, turn);
  return { kind: 'purged', count };
}

export function reset(turn: ModelTurn): ExpectedResult {
  let count = 0;
  rollBackAll(turn);
  for (const queue of turn.state.queues) for (const place of PLACES) count += empty({ queue, place }, turn);
  happened(`reset, ${Math.min(count, 1)}`, turn);
  return { kind: 'purged', count };
}

/** CNT-01. */
export function entityInfo({ queue, place }: Target, turn: ModelTurn): ExpectedResult {
  return place === 'main' ? { kind: 'entity-info', ...lookedAt(queue, turn) } : failed('entity-not-found');
}

/** CNT-01, CNT-02; as a list shows it, too. */
export function lookedAt(queue: ModelQueue, { state, now }: ModelTurn): LookedAt {
  const main = queue.messages.filter(({ place }) => place === 'main');
  const scheduled = main.filter((message) => message.state === MESSAGE_STATE.scheduled).length;
  const active = main.length - scheduled;
  const counts = {
    active,
    scheduled,
    deadLetter: queue.kind === 'topic' ? 0 : countIn(queue, 'dead'),
    transfer: countIn(queue, 'transfer'),
    transferDeadLetter: countIn(queue, 'failed'),
  };
  const subscriptionCount = subscriptionsOf(queue, state).length;
  return { queue: { ...queue }, counts, sizeBytes: storedBytes(queue, state), subscriptionCount, now };
}

function countIn({ messages }: ModelQueue, place: Place): number {
  return messages.filter((message) => message.place === place).length;
}

type New = Pick<ModelQueue, 'kind' | 'description'> &
  Partial<Pick<ModelQueue, 'topicName' | 'topic' | 'subscription' | 'rules'>>;

export function create(given: New, turn: ModelTurn): void {
  const { kind, description, topicName, topic, subscription, rules = [] } = given;
  const { now } = turn;
  turn.state.queues.push({
    name: description.name,
    kind,
    topicName,
    topic,
    subscription,
    rules,
    createdTime: now,
    description,
    updatedTime: now,
    enqueuesFrom: now,
    counters: Array<number>(description.enablePartitioning ? PARTITIONS : 1).fill(0),
    nextPartition: 0,
    turns: { main: 0, dead: 0, transfer: 0, failed: 0 },
    messages: [],
    noted: [],
    sessionStates: [],
    activeAt: now,
    retryAt: 0,
    retryMs: 1000,
    hasTransfers: false,
    transferRetries: {},
    fanOutAt: 0,
    accessedAt: kind === 'subscription' ? now : undefined,
    isGone: false,
  });
  turn.expected.queuesPut.push(description.name);
}

/** ENT-07: what may no longer be done is detached. */
export function update(queue: ModelQueue, description: QueueDescription, turn: ModelTurn): void {
  const wasHeld = isHeldBack(queue);
  queue.description = description;
  if (wasHeld && !isHeldBack(queue)) queue.enqueuesFrom = turn.now + 1;
  queue.updatedTime = turn.now;
  queue.retryAt = 0;
  queue.retryMs = 1000;
  queue.activeAt = turn.now;
  turn.expected.queuesPut.push(queue.name);
  for (const link of turn.state.links.filter((one) => one.queueName === queue.name)) {
    const isDisabled = link.role === 'sender' ? !maySend(queue) : !mayReceive(queue);
    const isForwarding = link.role !== 'sender' && destinationOf({ queue, place: link.place }) !== undefined;
    if (!isDisabled && !isForwarding) continue;
    detach(link.id, turn);
    if (!isDisabled) happened('detached, it forwards now', turn);
    const reason = isDisabled ? 'entity-disabled' : 'not-allowed'; // RCV-11
    turn.expected.effects.push({ kind: 'detach', linkId: link.id, reason });
  }
}

export function isSame<T extends object>(given: T, old: T | undefined): boolean {
  const keys = Object.keys(given) as (keyof T)[];
  return keys.every((key) => isDeepStrictEqual(given[key], old?.[key]));
}

type Page = { readonly skip: number; readonly maxCount: number };
export function listEntities(command: CommandOf<'list-entities'>, turn: ModelTurn): ExpectedResult {
  const all =
    command.type === 'subscription' ? listedOf(command.topicName, turn) : ofKind(command.type, turn);
  if (all === undefined) return failed('entity-not-found');
  if (isRefusedPage(command)) return failed('argument-out-of-range');
  const entities = pageOf(all.toSorted(byName), command).map((queue) => lookedAt(queue, turn));
  happened(`listed ${Math.min(entities.length, 2)} ${command.type}s`, turn);
  return { kind: 'entities', entities };
}

function listedOf(topicName: string, turn: ModelTurn): readonly ModelQueue[] | undefined {
  const topic = findNamed(topicName, 'topic', turn);
  return topic && subscriptionsOf(topic, turn.state);
}

function ofKind(kind: ModelQueue['kind'], { state }: ModelTurn): readonly ModelQueue[] {
  return state.queues.filter((one) => one.kind === kind);
}

function byName({ name }: ModelQueue, other: ModelQueue): number {
  return name.toLowerCase() < other.name.toLowerCase() ? -1 : 1;
}

export function isRefusedPage({ skip, maxCount }: Page): boolean {
  return skip < 0 || maxCount < 1;
}

export function pageOf<T>(all: readonly T[], { skip, maxCount }: Page): readonly T[] {
  return all.filter((_, index) => index >= skip && index < skip + maxCount);
}

// Topics, subscriptions and their rules are put, read and deleted in the reference model.

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
