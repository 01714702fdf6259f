// Compares two namespaces: which entities and rules only one of them has, and which properties differ.

import type { EntityType } from '../broker/contract/entities/entity.js';
import { nameKey } from '../broker/contract/entities/entity-path.js';
import { DEFAULT_RULE, type Filter, type RuleDescription } from '../broker/contract/rule-description.js';
import type { Entities } from '../config/configured-entities.js';
import { entityProperties } from '../description/described-entity.js';

/** The properties of each entity and rule, as texts, by its kind and path. */
type Listing = ReadonlyMap<
  string,
  { readonly path: string; readonly properties: ReadonlyMap<string, string> }
>;

const FORWARDING: readonly string[] = ['forwardTo', 'forwardDeadLetteredMessagesTo'];

type Names = { readonly a: string; readonly b: string };

/** One line for each difference; none if both are the same. Keys of authorization rules are not compared. */
export function compareDefinitions(a: Entities, b: Entities, names: Names): readonly string[] {
  const [inA, inB] = [listingOf(a), listingOf(b)];
  const lines: string[] = [];
  for (const [key, { path, properties }] of inA) {
    const other = inB.get(key);
    if (other === undefined) lines.push(`${path} is only in ${names.a}`);
    else lines.push(...differences(path, properties, other.properties, names));
  }
  for (const [key, { path }] of inB) if (!inA.has(key)) lines.push(`${path} is only in ${names.b}`);
  return withoutChildren(lines);
}

function differences(
  path: string,
  a: ReadonlyMap<string, string>,
  b: ReadonlyMap<string, string>,
  names: Names,
): string[] {
  return [...new Set([...a.keys(), ...b.keys()])]
    .filter((name) => a.get(name) !== b.get(name))
    .map(
      (name) =>
        `${path}: ${name} is ${a.get(name) ?? 'not set'} in ${names.a}, and ${b.get(name) ?? 'not set'} in ${names.b}`,
    );
}

function listingOf({ queues, topics }: Entities): Listing {
  const listing = new Map<string, { path: string; properties: ReadonlyMap<string, string> }>();
  const add = (kind: string, path: string, properties: ReadonlyMap<string, string>) =>
    listing.set(`${kind} ${path}`.toLowerCase(), { path: `${kind} ${path}`, properties });
  for (const queue of queues) add('queue', queue.name, propertiesOf('queue', queue));
  for (const { description, subscriptions } of topics) {
    add('topic', description.name, propertiesOf('topic', description));
    for (const subscription of subscriptions) {
      const path = `${description.name}/${subscription.description.name}`;
      add('subscription', path, propertiesOf('subscription', subscription.description));
      for (const rule of subscription.rules ?? [DEFAULT_RULE]) {
        add('rule', `${path}/${rule.name}`, ruleProperties(rule));
      }
    }
  }
  return listing;
}

function propertiesOf(type: EntityType, description: object): ReadonlyMap<string, string> {
  const written = Object.entries(entityProperties(type, description));
  return new Map(
    written.map(([name, value]) => [
      name,
      textOf(FORWARDING.includes(name) ? nameKey(String(value)) : value),
    ]),
  );
}

function ruleProperties({ filter, action }: RuleDescription): ReadonlyMap<string, string> {
  const properties = new Map([['filter', comparedFilter(filter)]]);
  return action === undefined ? properties : properties.set('action', textOf(action));
}

/** Azure itself writes a filter that matches everything as 1=1, and one that matches nothing as 1=0. */
function comparedFilter(filter: Filter): string {
  switch (filter.kind) {
    case 'true':
    case 'false':
      return filter.kind;
    case 'selector':
      return `selector ${JSON.stringify(filter.expression)}`;
    case 'sql':
      if (filter.expression === '1=1') return 'true';
      return filter.expression === '1=0' ? 'false' : textOf(filter);
    case 'correlation': {
      const { kind: _, ...conditions } = filter;
      return textOf(sorted(conditions));
    }
    default:
      return filter satisfies never;
  }
}

/** The order of the conditions of a correlation filter means nothing. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, sorted(one)]));
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const isSql = typeof value === 'object' && value !== null && 'expression' in value;
  const hasParameters = isSql && 'parameters' in value;
  return isSql && !hasParameters ? JSON.stringify(value.expression) : JSON.stringify(value);
}

/** Leaves out what belongs to an entity that is itself only in one of them. */
function withoutChildren(lines: readonly string[]): readonly string[] {
  const lonely = lines.flatMap((line) => {
    const [, path, where] = /^\w+ (\S+) is only in (.*)$/.exec(line) ?? [];
    return path === undefined ? [] : [{ prefix: `${path}/`, where }];
  });
  return lines.filter((line) => {
    const [, path, where] = /^\w+ (\S+) is only in (.*)$/.exec(line) ?? [];
    return path === undefined || !lonely.some((one) => one.where === where && path.startsWith(one.prefix));
  });
}
