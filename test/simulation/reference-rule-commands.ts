// The rules of a subscription come, change, are looked at and go in the reference model.

import { isDeepStrictEqual } from 'node:util';
import type { Command } from '../../src/broker/command.js';
import type { RuleDescription } from '../../src/broker/rules/rule-description.js';
import { DONE, type ExpectedResult, failed } from './reference-expected.js';
import { rulesInOrder } from './reference-fan-out.js';
import { isRefusedPage, pageOf } from './reference-lists.js';
import { refusalsOfRule } from './reference-rules.js';
import {
  isDeadLetterQueue,
  type ModelQueue,
  subscriptionsOf,
  type Target,
  topicOf,
} from './reference-state.js';
import { happened, type ModelTurn } from './reference-turn.js';

type Of<K extends Command['kind']> = Extract<Command, { kind: K }>;

/** TOP-11, LIM-10, LIM-11: these come, and those go in their favour. */
export function refusalsOfRules(
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

export function addRule({ rule }: Of<'add-rule'>, target: Target, turn: ModelTurn): ExpectedResult {
  const topic = useRules(target, turn);
  if (topic === undefined) return failed('not-allowed');
  const { queue } = target;
  const isThere = findRule(rule.name, queue) !== undefined;
  const reasons = [
    ...refusalsOfRules([rule], topic, turn),
    ...(isThere ? ['entity-already-exists'] : []), // TOP-11
  ];
  if (reasons.length > 0) return failed(...reasons);
  putRule(queue, rule, turn);
  return DONE;
}

export function updateRule({ rule }: Of<'update-rule'>, target: Target, turn: ModelTurn): ExpectedResult {
  const topic = useRules(target, turn);
  if (topic === undefined) return failed('not-allowed');
  const { queue } = target;
  const existing = findRule(rule.name, queue);
  if (existing === undefined) return failed('entity-not-found', ...refusalsOfRule(rule));
  const reasons = refusalsOfRules([rule], topic, turn, [existing]);
  if (reasons.length > 0) return failed(...reasons);
  putRule(queue, rule, turn);
  return DONE;
}

/** Those that are there as given stay as they are. */
export function setRules({ rules }: Of<'set-rules'>, target: Target, turn: ModelTurn): ExpectedResult {
  const topic = useRules(target, turn);
  if (topic === undefined) return failed('not-allowed');
  const { queue } = target;
  const reasons = refusalsOfRules(rules, topic, turn, queue.rules);
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

export function removeRule({ name }: Of<'remove-rule'>, target: Target, turn: ModelTurn): ExpectedResult {
  if (useRules(target, turn) === undefined) return failed('not-allowed');
  const { queue } = target;
  const rule = findRule(name, queue);
  if (rule === undefined) return failed('entity-not-found');
  dropRule(queue, rule.description.name, turn);
  if (queue.rules.length === 0) happened('last rule removed', turn);
  return DONE;
}

/** A look is no use (IDL-05). */
export function getRule({ name }: Of<'get-rule'>, { queue, place }: Target): ExpectedResult {
  if (queue.kind !== 'subscription' || isDeadLetterQueue(place)) return failed('not-allowed');
  const rule = findRule(name, queue);
  return rule === undefined ? failed('entity-not-found') : { kind: 'rules', rules: [rule] };
}

export function listRules(page: Of<'list-rules'>, { queue, place }: Target): ExpectedResult {
  const reasons = [
    (queue.kind !== 'subscription' || isDeadLetterQueue(place)) && 'not-allowed',
    isRefusedPage(page) && 'argument-out-of-range',
  ].filter((reason) => reason !== false);
  if (reasons.length > 0) return failed(...reasons);
  return { kind: 'rules', rules: pageOf(rulesInOrder(queue), page) };
}

/** IDL-05. Answers the topic; undefined: it is no subscription that is asked. */
function useRules({ queue, place }: Target, turn: ModelTurn): ModelQueue | undefined {
  queue.activeAt = turn.now;
  return isDeadLetterQueue(place) ? undefined : topicOf(queue, turn.state);
}

/** TOP-11: one that is there keeps its name and the time of its creation. */
function putRule(queue: ModelQueue, rule: RuleDescription, turn: ModelTurn): void {
  const existing = findRule(rule.name, queue);
  const { name } = existing?.description ?? rule;
  const { createdTime } = existing ?? { createdTime: turn.now };
  queue.rules = queue.rules.filter((one) => one !== existing);
  queue.rules.push({ description: { ...rule, name }, createdTime });
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
