// Applies a changed configuration to a running emulator: what has changed in it, and nothing else.

import type { Command } from '../broker/contract/command.js';
import {
  type DescribedEntity,
  type EntityType,
  FIXED_PROPERTIES,
  pathOf,
} from '../broker/contract/entities/entity.js';
import { nameKey } from '../broker/contract/entities/entity-path.js';
import type { EntityInfo } from '../broker/contract/result.js';
import type { RuleDescription } from '../broker/contract/rule-description.js';
import { propertyDifferences } from '../description/property-differences.js';
import type { EntityName } from '../jitney-error.js';
import type { Entities } from './configured-entities.js';
import { type EntityToPut, entitiesToPut, type SetupContext, setUpEntities } from './entity-setup.js';
import { listAllEntities } from './list-entities.js';

/** A change of an entity by a changed configuration, or the reason why the entity stays as it is. */
export type AppliedChange = {
  readonly kind: 'created' | 'changed' | 'deleted' | 'kept';
  readonly type: EntityType;
  readonly path: string;
  readonly entity: EntityName;
  /** In words: the properties that have changed, or why it is kept. */
  readonly text: string;
  /** The property that cannot change; undefined for an entity that is no longer configured. */
  readonly property?: string;
};

type Configurations = { readonly before: Entities; readonly after: Entities };

/**
 * Creates and changes entities and rules so far as the configuration has changed from `before` to `after`, all or nothing. An entity
 * with a changed property that is fixed is kept as it is, and so is one that is no longer configured, unless `prune` is true. Throws a JitneyError.
 */
export async function applyEntities(
  { before, after }: Configurations,
  prune: boolean,
  context: SetupContext,
): Promise<readonly AppliedChange[]> {
  const existing = new Map((await listAllEntities(context.ask)).map((info) => [entityKey(info), info]));
  const earlier = new Map(entitiesToPut(before).map((entity) => [entityKey(entity), entity]));
  const wanted = entitiesToPut(after);
  const removed = removedFrom([...earlier.values()], wanted).filter((entity) =>
    existing.has(entityKey(entity)),
  );
  const steps = wanted.map((entity) =>
    stepFor(entity, { earlier: earlier.get(entityKey(entity)), existing: existing.get(entityKey(entity)) }),
  );
  const deletions = prune ? removed.map(deletionOf) : [];
  await setUpEntities(
    steps.flatMap(({ put }) => put ?? []),
    context,
    deletions,
  );
  return [
    ...removed.map((entity) => (prune ? changeOf('deleted', entity) : changeOf('kept', entity))),
    ...steps.flatMap(({ change }) => change ?? []),
  ];
}

type Known = { readonly earlier: EntityToPut | undefined; readonly existing: EntityInfo | undefined };
type Step = { readonly put?: EntityToPut; readonly change?: AppliedChange };

function stepFor(entity: EntityToPut, { earlier, existing }: Known): Step {
  if (existing === undefined) {
    // An unchanged entity that is missing was deleted by a program.
    return earlier !== undefined && isSame(earlier, entity)
      ? {}
      : { put: entity, change: changeOf('created', entity) };
  }
  // Only what has changed in the configuration, because a program may have changed other properties.
  const from = earlier ?? existing;
  const changed = propertyDifferences(entity.type, from.description, entity.description);
  const description = { ...existing.description };
  for (const { field } of changed) Reflect.set(description, field, Reflect.get(entity.description, field));
  const differences = propertyDifferences(entity.type, existing.description, description);
  const fixed: readonly string[] = FIXED_PROPERTIES[entity.type];
  const refused = differences.find(({ field }) => fixed.includes(field));
  if (refused !== undefined) {
    const text = `${refused.name} is ${refused.before} and cannot become ${refused.after}; delete it to have it made anew`;
    return { change: { ...changeOf('kept', entity), text, property: refused.name } };
  }
  const hasNewRules = entity.rules !== undefined && !isSameRules(earlier?.rules, entity.rules);
  if (differences.length === 0 && !hasNewRules) return {};
  const texts = [
    ...differences.map(({ name, before, after }) => `${name} ${before ?? 'none'} -> ${after ?? 'none'}`),
    ...(hasNewRules ? [`rules ${entity.rules.map(({ name }) => name).join(', ')}`] : []),
  ];
  const put = { ...entity, description, rules: hasNewRules ? entity.rules : undefined } as EntityToPut;
  return { put, change: { ...changeOf('changed', entity), text: texts.join(', ') } };
}

function isSame(one: EntityToPut, other: EntityToPut): boolean {
  const differences = propertyDifferences(one.type, one.description, other.description);
  return differences.length === 0 && isSameRules(one.rules, other.rules);
}

function isSameRules(
  some: readonly RuleDescription[] = [],
  others: readonly RuleDescription[] = [],
): boolean {
  const sorted = (rules: readonly RuleDescription[]) =>
    JSON.stringify(rules.map((rule) => [rule.name.toLowerCase(), rule.filter, rule.action]).sort());
  return sorted(some) === sorted(others);
}

/** Without the subscriptions of a topic that is removed with them. */
function removedFrom(
  earlier: readonly EntityToPut[],
  wanted: readonly EntityToPut[],
): readonly EntityToPut[] {
  const kept = new Set(wanted.map(entityKey));
  const removed = earlier.filter((entity) => !kept.has(entityKey(entity)));
  return removed.filter(
    (entity) => entity.type !== 'subscription' || kept.has(`topic ${nameKey(entity.topicName)}`),
  );
}

function deletionOf(entity: EntityToPut): Command {
  return { kind: 'delete-entity', entityPath: pathOf(entity) };
}

function changeOf(kind: AppliedChange['kind'], entity: EntityToPut): AppliedChange {
  const { type } = entity;
  const { name } = entity.description;
  const text = kind === 'kept' ? 'it is no longer configured' : '';
  const named = entity.type === 'subscription' ? { topicName: entity.topicName, name } : { name };
  return { kind, type, path: pathOf(entity), entity: named, text };
}

/** Equal for all spellings of a name (ENT-02). */
export function entityKey(entity: DescribedEntity): string {
  return `${entity.type} ${nameKey(pathOf(entity))}`;
}
