// The rules of a subscription: added, removed and listed by name (TOP-11); they hold for what is accepted afterwards (TOP-08).

import type { RuleRecord } from '../event.js';
import type { Limits } from '../limits.js';
import type { Result } from '../result.js';
import type { CompiledRule, RuleCompiler } from '../rules/rule-compiler.js';
import type { RuleDescription } from '../rules/rule-description.js';
import { ServiceBusError } from '../service-bus-error.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { checkPage, type Page, pageOf } from './entity-page.js';
import { nameKey } from './entity-path.js';
import type { MessageStore } from './message-store.js';
import { alreadyExists, entityNotFound } from './namespace.js';
import { INNER_NAME_PATTERN } from './queue-limits.js';
import type { Subscription, SubscriptionRule } from './subscription.js';
import type { Topic } from './topic.js';

export const MAX_RULE_NAME_LENGTH = 50;

export type CheckedRule = { readonly description: RuleDescription; readonly compiled: CompiledRule };
export type RuleResources = { readonly limits: Limits; readonly ruleCompiler: RuleCompiler };

export function addRule(
  store: MessageStore,
  description: RuleDescription,
  { limits, ruleCompiler }: RuleResources,
  turn: TurnInProgress,
): Result {
  const subscription = subscriptionOf(store);
  const existing = subscription.findRule(description.name);
  if (existing !== undefined) throw alreadyExists(`${store.path}/${existing.record.description.name}`);
  for (const rule of checkRules(subscription.topic, [description], limits, ruleCompiler)) {
    putRule(subscription, rule, turn);
  }
  return { kind: 'done' };
}

/** TOP-08: what has been accepted before stays what it is. */
export function updateRule(
  store: MessageStore,
  description: RuleDescription,
  { limits, ruleCompiler }: RuleResources,
  turn: TurnInProgress,
): Result {
  const subscription = subscriptionOf(store);
  const existing = ruleOf(store, description.name);
  const { description: leaving, createdTime } = existing.record;
  const given = underItsName(description, existing);
  const checked = checkRules(subscription.topic, [given], limits, ruleCompiler, [leaving]);
  for (const rule of checked) putRule(subscription, rule, turn, createdTime);
  return { kind: 'done' };
}

/** All at once: nothing is accepted between one rule and the next. Those that are there as given stay as they are. */
export function setRules(
  store: MessageStore,
  descriptions: readonly RuleDescription[],
  { limits, ruleCompiler }: RuleResources,
  turn: TurnInProgress,
): Result {
  const subscription = subscriptionOf(store);
  const leaving = subscription.rules.map(({ record }) => record.description);
  const given = descriptions.map((one) => underItsName(one, subscription.findRule(one.name)));
  const checked = checkRules(subscription.topic, given, limits, ruleCompiler, leaving);
  const keys = new Set(given.map(({ name }) => nameKey(name)));
  for (const { name } of leaving) if (!keys.has(nameKey(name))) dropRule(subscription, name, turn);
  for (const rule of checked) {
    const existing = subscription.findRule(rule.description.name)?.record;
    if (existing === undefined) putRule(subscription, rule, turn);
    else if (!isSameRule(existing.description, rule.description)) {
      putRule(subscription, rule, turn, existing.createdTime);
    }
  }
  return { kind: 'done' };
}

export function getRule(store: MessageStore, name: string): Result {
  return { kind: 'rules', rules: [ruleOf(store, name).record] };
}

export function removeRule(store: MessageStore, name: string, turn: TurnInProgress): Result {
  const subscription = subscriptionOf(store);
  dropRule(subscription, ruleOf(store, name).record.description.name, turn);
  return { kind: 'done' };
}

/** TOP-11: in the case in which it was created. */
function underItsName(given: RuleDescription, existing: SubscriptionRule | undefined): RuleDescription {
  return existing === undefined ? given : { ...given, name: existing.record.description.name };
}

/** By the name it was created with. */
function dropRule(subscription: Subscription, name: string, turn: TurnInProgress): void {
  subscription.removeRule(name);
  turn.events.push({ kind: 'rule-removed', storeId: subscription.queue.main.id, name });
}

/** Throws entity-not-found. */
function ruleOf(store: MessageStore, name: string): SubscriptionRule {
  const rule = subscriptionOf(store).findRule(name);
  if (rule === undefined) throw entityNotFound(`${store.path}/${name}`);
  return rule;
}

/** Plain data, made by whoever gives it: the order of keys counts for nothing. */
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

export function listRules(store: MessageStore, page: Page): Result {
  checkPage(page, 'rules', store.path);
  const rules = pageOf(subscriptionOf(store).rules, page);
  return { kind: 'rules', rules: rules.map(({ record }) => record) };
}

/** Throws for the first that cannot be a rule; names are to be unique among them, and `leaving` go in their favour. */
export function checkRules(
  topic: Topic,
  descriptions: readonly RuleDescription[],
  limits: Limits,
  compiler: RuleCompiler,
  leaving: readonly RuleDescription[] = [],
): readonly CheckedRule[] {
  const names = new Set<string>();
  const checked = descriptions.map((description) => {
    checkName(topic, description.name);
    if (names.has(nameKey(description.name))) throw alreadyExists(description.name);
    names.add(nameKey(description.name));
    return { description, compiled: compiler.rule(description) };
  });
  checkCounts(topic, { added: descriptions, leaving }, limits);
  return checked;
}

export function putRule(
  subscription: Subscription,
  { description, compiled }: CheckedRule,
  turn: TurnInProgress,
  createdTime = turn.now,
): void {
  const record: RuleRecord = { description, createdTime };
  subscription.putRule({ record, compiled });
  subscription.queue.used(turn.now); // IDL-05
  turn.events.push({ kind: 'rule-put', storeId: subscription.queue.main.id, rule: record });
}

function subscriptionOf({ queue, isDeadLetterQueue, path }: MessageStore): Subscription {
  const { subscription } = queue;
  if (subscription !== undefined && !isDeadLetterQueue) return subscription;
  throw new ServiceBusError(
    'not-allowed',
    `'${path}' is not a subscription, and only those have rules.`,
    path,
  );
}

function checkName({ description }: Topic, name: string): void {
  const isFit = INNER_NAME_PATTERN.test(name) || /^\$Default$/i.test(name);
  if (name.length <= MAX_RULE_NAME_LENGTH && isFit) return;
  const text =
    `'${name}' cannot be the name of a rule: up to ${MAX_RULE_NAME_LENGTH} letters, digits, '.', '-', '_' and '~', ` +
    "not dots alone, or '$Default'.";
  throw new ServiceBusError('argument', text, description.name);
}

/** LIM-10, LIM-11: of all subscriptions of a topic together. */
function checkCounts(topic: Topic, { added, leaving }: RuleChange, limits: Limits): void {
  const { maxCorrelationFiltersPerTopic, maxSqlFiltersPerTopic } = limits;
  const { sql, correlation } = topic.filterCounts;
  const moreCorrelation = correlationCount(added) - correlationCount(leaving);
  const moreSql = added.length - leaving.length - moreCorrelation;
  checkCount(topic, 'correlation filters', [correlation, moreCorrelation], maxCorrelationFiltersPerTopic);
  checkCount(topic, 'SQL filters', [sql, moreSql], maxSqlFiltersPerTopic);
}

type RuleChange = {
  readonly added: readonly RuleDescription[];
  readonly leaving: readonly RuleDescription[];
};

function correlationCount(rules: readonly RuleDescription[]): number {
  return rules.filter(({ filter }) => filter.kind === 'correlation').length;
}

/** A limit lowered meanwhile forbids only more. */
function checkCount(
  { description }: Topic,
  what: string,
  [present, more]: readonly [number, number],
  limit: number,
): void {
  const count = present + more;
  if (count <= limit || more <= 0) return;
  const text = `With this topic '${description.name}' would have ${count} ${what}; the limit is ${limit}.`;
  throw new ServiceBusError('quota-exceeded', text, description.name);
}
