// The rules of a subscription: added, removed and listed by name (TOP-11); they hold for what is accepted afterwards (TOP-08).

import type { RuleRecord } from '../event.js';
import type { Limits } from '../limits.js';
import type { Result } from '../result.js';
import type { CompiledRule, RuleCompiler } from '../rules/rule-compiler.js';
import type { RuleDescription } from '../rules/rule-description.js';
import { ServiceBusError } from '../service-bus-error.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { nameKey } from './entity-path.js';
import type { MessageStore } from './message-store.js';
import { alreadyExists, entityNotFound } from './namespace.js';
import type { Subscription } from './subscription.js';
import type { Topic } from './topic.js';

export const MAX_RULE_NAME_LENGTH = 50;
const RULE_NAME = /^(?:\$Default|[A-Za-z0-9](?:[\w\-.~]*[A-Za-z0-9])?)$/i;

/** TOP-02. */
export const DEFAULT_RULE: RuleDescription = {
  name: '$Default',
  filter: { kind: 'true' },
  action: undefined,
};

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

export function removeRule(store: MessageStore, name: string, turn: TurnInProgress): Result {
  const subscription = subscriptionOf(store);
  const rule = subscription.findRule(name);
  if (rule === undefined) throw entityNotFound(`${store.path}/${name}`);
  subscription.removeRule(name);
  turn.events.push({ kind: 'rule-removed', storeId: store.id, name: rule.record.description.name });
  return { kind: 'done' };
}

export function listRules(store: MessageStore, range: { skip: number; maxCount: number }): Result {
  const { skip, maxCount } = range;
  if (!(maxCount >= 1) || !(skip >= 0)) {
    const text = `The rules to list are ${maxCount} after the first ${skip}; the number must be 1 or more, and none or more may be left out.`;
    throw new ServiceBusError('argument-out-of-range', text, store.path);
  }
  const { rules } = subscriptionOf(store);
  return { kind: 'rules', rules: rules.slice(skip, skip + maxCount).map(({ record }) => record) };
}

/** Throws for the first that cannot be a rule; names are to be unique among them. */
export function checkRules(
  topic: Topic,
  descriptions: readonly RuleDescription[],
  limits: Limits,
  compiler: RuleCompiler,
): readonly CheckedRule[] {
  const names = new Set<string>();
  const checked = descriptions.map((description) => {
    checkName(topic, description.name);
    if (names.has(nameKey(description.name))) throw alreadyExists(description.name);
    names.add(nameKey(description.name));
    return { description, compiled: compiler.rule(description) };
  });
  checkCounts(topic, descriptions, limits);
  return checked;
}

export function putRule(
  subscription: Subscription,
  { description, compiled }: CheckedRule,
  turn: TurnInProgress,
): void {
  const record: RuleRecord = { description, createdTime: turn.now };
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
  if (name.length <= MAX_RULE_NAME_LENGTH && RULE_NAME.test(name)) return;
  const text =
    `'${name}' cannot be the name of a rule: up to ${MAX_RULE_NAME_LENGTH} letters, digits, '.', '-', '_' and '~', ` +
    "a letter or digit first and last, or '$Default'.";
  throw new ServiceBusError('argument', text, description.name);
}

/** LIM-10, LIM-11: of all subscriptions of a topic together. */
function checkCounts(topic: Topic, added: readonly RuleDescription[], limits: Limits): void {
  const { sql, correlation } = topic.filterCounts;
  const addedCorrelation = added.filter(({ filter }) => filter.kind === 'correlation').length;
  const addedSql = added.length - addedCorrelation;
  checkCount(
    topic,
    'correlation filters',
    correlation + addedCorrelation,
    limits.maxCorrelationFiltersPerTopic,
  );
  checkCount(topic, 'SQL filters', sql + addedSql, limits.maxSqlFiltersPerTopic);
}

function checkCount({ description }: Topic, what: string, count: number, limit: number): void {
  if (count <= limit) return;
  const text = `With this topic '${description.name}' would have ${count} ${what}; the limit is ${limit}.`;
  throw new ServiceBusError('quota-exceeded', text, description.name);
}
