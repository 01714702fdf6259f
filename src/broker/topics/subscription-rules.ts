// Adds, removes and lists the rules of a subscription by name (TOP-11). They apply to messages accepted afterwards (TOP-08).

import { alreadyExists, changedInStep, entityNotFound } from '../contract/entities/entity-errors.js';
import { checkPage, pageOf } from '../contract/entities/entity-page.js';
import { nameKey } from '../contract/entities/entity-path.js';
import { INNER_NAME_PATTERN } from '../contract/entities/queue-description.js';
import type { RuleRecord } from '../contract/event.js';
import type { Limits } from '../contract/limits.js';
import type { Result } from '../contract/result.js';
import type { RuleDescription } from '../contract/rule-description.js';
import { ServiceBusError } from '../contract/service-bus-error.js';
import type { CompiledRule } from '../rules/rule-compiler.js';
import type { MessageStore } from '../store/queue.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import type { Claims } from '../turn/claims.js';
import { type CommandOf, inNamespace, inStore } from '../turn/handler.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import { type Subscription, type SubscriptionRule, subscriptionOf, type Topic } from './topic.js';
import { checkFanOutComplete } from './waiting-fan-out.js';

const MAX_RULE_NAME_LENGTH = 50;

export type CheckedRule = { readonly description: RuleDescription; readonly compiled: CompiledRule };
const DONE: Result = { kind: 'done' };

export const ADD_RULE = inStore(
  (store, { rule }: CommandOf<'add-rule'>, parts) => {
    const subscription = subscriptionAt(store);
    const existing = subscription.findRule(rule.name);
    if (existing !== undefined) throw alreadyExists(`${store.path}/${existing.record.description.name}`);
    checkFanOutComplete(subscription.topic);
    return checkRules(subscription.topic, [rule], parts);
  },
  (store, rules: readonly CheckedRule[], _command, _parts, turn) => {
    for (const rule of rules) putRule(subscriptionAt(store), rule, turn);
    return DONE;
  },
);

/** TOP-08: messages accepted before do not change. */
export const UPDATE_RULE = inStore(
  (store, { rule }: CommandOf<'update-rule'>, parts) => {
    const existing = ruleOf(store, rule.name);
    const given = withExistingName(rule, existing);
    checkFanOutComplete(subscriptionAt(store).topic);
    return checkRules(subscriptionAt(store).topic, [given], parts, [existing.record.description]);
  },
  (store, rules: readonly CheckedRule[], _command, _parts, turn) => {
    for (const rule of rules) putRule(subscriptionAt(store), rule, turn);
    return DONE;
  },
);

/** Replaces all rules in one turn, so that every message sees either the old or the new ones. Equal rules stay unchanged. */
export const SET_RULES = inStore(checkSetRules, applySetRules);

function checkSetRules(
  store: MessageStore,
  { rules }: CommandOf<'set-rules'>,
  parts: BrokerParts,
): readonly CheckedRule[] {
  const subscription = subscriptionAt(store);
  const replaced = subscription.rules.map(({ record }) => record.description);
  const given = rules.map((one) => withExistingName(one, subscription.findRule(one.name)));
  if (replaced.length !== given.length || given.some((rule) => isChanged(subscription, rule))) {
    checkFanOutComplete(subscription.topic);
  }
  return checkRules(subscription.topic, given, parts, replaced);
}

function applySetRules(
  store: MessageStore,
  rules: readonly CheckedRule[],
  _command: CommandOf<'set-rules'>,
  _parts: BrokerParts,
  turn: TurnInProgress,
): Result {
  setRules(subscriptionAt(store), rules, turn);
  return DONE;
}

/** Replaces all rules of the subscription. Those that do not change keep their creation time. */
export function setRules(
  subscription: Subscription,
  rules: readonly CheckedRule[],
  turn: TurnInProgress,
): void {
  const keys = new Set(rules.map(({ description }) => nameKey(description.name)));
  for (const { record } of subscription.rules) {
    const { name } = record.description;
    if (!keys.has(nameKey(name))) dropRule(subscription, name, turn);
  }
  for (const rule of rules) if (isChanged(subscription, rule.description)) putRule(subscription, rule, turn);
}

/** Whether the subscription does not have this very rule. */
function isChanged(subscription: Subscription, rule: RuleDescription): boolean {
  const existing = subscription.findRule(rule.name);
  return existing === undefined || !isSameRule(existing.record.description, rule);
}

export const REMOVE_RULE = inStore(
  (store, { name }: CommandOf<'remove-rule'>, { claims }) => {
    const rule = ruleOf(store, name);
    const { topic } = subscriptionAt(store);
    checkFanOutComplete(topic);
    claimRules(topic, claims);
    return rule;
  },
  (store, { record }: SubscriptionRule, _command, _parts, turn) => {
    dropRule(subscriptionAt(store), record.description.name, turn);
    return DONE;
  },
);

/** Reading rules does not count as use of the subscription (IDL-03). */
export const GET_RULE = inNamespace(
  ({ entityPath, name }: CommandOf<'get-rule'>, { namespace, claims }) => {
    const store = namespace.store(entityPath);
    checkRulesUnclaimed(subscriptionAt(store).topic, claims);
    return ruleOf(store, name);
  },
  ({ record }: SubscriptionRule) => ({ kind: 'rules', rules: [record] }),
);

export const LIST_RULES = inNamespace(
  (command: CommandOf<'list-rules'>, { namespace }) => {
    const store = namespace.store(command.entityPath);
    checkPage(command, 'rules', store.path);
    return subscriptionAt(store);
  },
  ({ rules }: Subscription, page) => ({
    kind: 'rules',
    rules: pageOf(rules, page).map(({ record }) => record),
  }),
);

/** Claims the rules of the whole topic, because their number is limited per topic. */
function claimRules(topic: Topic, claims: Claims): void {
  checkRulesUnclaimed(topic, claims);
  claims.take(topic.filterCounts);
}

function checkRulesUnclaimed({ description, filterCounts }: Topic, claims: Claims): void {
  if (!claims.has(filterCounts)) return;
  throw changedInStep(`The rules of topic '${description.name}' are`, description.name);
}

/** TOP-11: keeps the name in the case in which the rule was created. */
function withExistingName(given: RuleDescription, existing: SubscriptionRule | undefined): RuleDescription {
  return existing === undefined ? given : { ...given, name: existing.record.description.name };
}

/** `name` is in the case in which the rule was created. */
function dropRule(subscription: Subscription, name: string, turn: TurnInProgress): void {
  subscription.removeRule(name);
  const path = rulePathOf(subscription, name);
  turn.activities?.push({ kind: 'entity-deleted', entity: 'rule', path });
  turn.events.push({ kind: 'rule-removed', storeId: subscription.queue.main.id, name });
}

/** Throws entity-not-found. */
function ruleOf(store: MessageStore, name: string): SubscriptionRule {
  const rule = subscriptionAt(store).findRule(name);
  if (rule === undefined) throw entityNotFound(`${store.path}/${name}`);
  return rule;
}

/** Compares plain data; the order of keys does not matter, because each client writes its own. */
function isSameRule(a: RuleDescription, b: RuleDescription): boolean {
  return canonical(a) === canonical(b);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** Throws for the first invalid rule or repeated name. `replaced` are the rules that go, so they do not count. */
export function checkRules(
  topic: Topic,
  descriptions: readonly RuleDescription[],
  { limits, ruleCompiler, claims }: BrokerParts,
  replaced: readonly RuleDescription[] = [],
): readonly CheckedRule[] {
  const names = new Set<string>();
  const checked = descriptions.map((description) => {
    checkName(topic, description.name);
    if (names.has(nameKey(description.name))) throw alreadyExists(description.name);
    names.add(nameKey(description.name));
    return { description, compiled: ruleCompiler.rule(description) };
  });
  checkCounts(topic, { added: descriptions, replaced }, limits);
  claimRules(topic, claims);
  return checked;
}

/** A changed rule gets a new creation time, as in the service's answers. */
export function putRule(
  subscription: Subscription,
  { description, compiled }: CheckedRule,
  turn: TurnInProgress,
): void {
  const record: RuleRecord = { description, createdTime: turn.now };
  turn.activities?.push({
    kind: subscription.findRule(description.name) === undefined ? 'entity-created' : 'entity-updated',
    entity: 'rule',
    path: rulePathOf(subscription, description.name),
  });
  subscription.putRule({ record, compiled });
  subscription.queue.used(turn.now); // IDL-05
  turn.events.push({ kind: 'rule-put', storeId: subscription.queue.main.id, rule: record });
}

function rulePathOf({ queue }: Subscription, name: string): string {
  return `${queue.main.path}/Rules/${name}`;
}

function subscriptionAt({ queue, isDeadLetterQueue, path }: MessageStore): Subscription {
  const subscription = subscriptionOf(queue);
  if (subscription !== undefined && !isDeadLetterQueue) return subscription;
  const text = `'${path}' is not a subscription, and only those have rules.`;
  throw new ServiceBusError('not-allowed', text, { entityPath: path, about: 'no-subscription' });
}

function checkName({ description }: Topic, name: string): void {
  const isAllowed = INNER_NAME_PATTERN.test(name) || /^\$Default$/i.test(name);
  if (name.length <= MAX_RULE_NAME_LENGTH && isAllowed) return;
  const text =
    `'${name}' cannot be the name of a rule: up to ${MAX_RULE_NAME_LENGTH} letters, digits, '.', '-', '_' and '~', ` +
    "not dots alone, or '$Default'.";
  const data = { entityPath: description.name, property: 'rule', value: name, limit: MAX_RULE_NAME_LENGTH };
  throw new ServiceBusError('argument', text, data);
}

/** LIM-10, LIM-11: limits the filters of all subscriptions of a topic together. */
function checkCounts(topic: Topic, { added, replaced }: RuleChange, limits: Limits): void {
  const { maxCorrelationFiltersPerTopic, maxSqlFiltersPerTopic } = limits;
  const { sql, correlation } = topic.filterCounts;
  const moreCorrelation = correlationCount(added) - correlationCount(replaced);
  const moreSql = added.length - replaced.length - moreCorrelation;
  checkCount(topic, 'correlationFilters', [correlation, moreCorrelation], maxCorrelationFiltersPerTopic);
  checkCount(topic, 'sqlFilters', [sql, moreSql], maxSqlFiltersPerTopic);
}

type RuleChange = {
  readonly added: readonly RuleDescription[];
  readonly replaced: readonly RuleDescription[];
};

function correlationCount(rules: readonly RuleDescription[]): number {
  return rules.filter(({ filter }) => filter.kind === 'correlation').length;
}

const FILTERS = { correlationFilters: 'correlation filters', sqlFilters: 'SQL filters' } as const;

/** Refuses additions only: a topic may already exceed a limit that was lowered. */
function checkCount(
  { description }: Topic,
  property: keyof typeof FILTERS,
  [present, more]: readonly [number, number],
  limit: number,
): void {
  const count = present + more;
  if (count <= limit || more <= 0) return;
  const text = `With this topic '${description.name}' would have ${count} ${FILTERS[property]}; the limit is ${limit}.`;
  const data = { entityPath: description.name, property, value: count, limit };
  throw new ServiceBusError('quota-exceeded', text, data);
}
