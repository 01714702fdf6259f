// The locations of entities, properties and rules in a Config.json.

import { keyIn } from '../description/entity-property.js';
import type { Path } from '../description/value-error.js';
import type { EntityName, RefusedProperty } from '../jitney-error.js';
import { indexOfName } from './configured-topic.js';
import type { LocatedJson } from './located-json.js';
import type { OfficialConfig, OfficialQueue, OfficialSubscription } from './official-config.js';

/** Each function returns undefined for an entity, property or rule that the config does not contain. */
export type ConfigLocations = {
  /** The location of the property, or of its entity if the property is missing: `file:line:column  path`. */
  readonly locationOf: (refused: RefusedProperty) => string | undefined;
  /** The position of the entity, or only of the given property: `file:line:column`. */
  readonly positionOf: (entity: EntityName, property?: string) => string | undefined;
  readonly positionOfRule: (subscription: EntityName, ruleName: string) => string | undefined;
};

/** `config` is the checked value of `json`; `name` is the file's path. */
export function locationsIn(config: OfficialConfig, json: LocatedJson, name: string): ConfigLocations {
  const positionOf = (path: Path | undefined) => path && `${name}:${json.positionOf(path)}`;
  return {
    locationOf: ({ entity, property }) => {
      const found = find(entity, config);
      const path = (property && pathOfGiven(found, property)) || found?.path;
      return path && `${name}:${json.locate({ path, text: '' }).trimEnd()}`;
    },
    positionOf: (entity, property) => {
      const found = find(entity, config);
      return positionOf(property === undefined ? found?.path : pathOfGiven(found, property));
    },
    positionOfRule: (subscription, ruleName) => {
      const found = find(subscription, config);
      return positionOf(found && findIn(found.entity.Rules, ruleName, [...found.path, 'Rules'])?.path);
    },
  };
}

type Found<Entity> = { readonly path: Path; readonly entity: Entity };

function pathOfGiven(found: Found<OfficialQueue> | undefined, property: string): Path | undefined {
  const key = found && keyIn(found.entity.Properties ?? {}, property);
  return found && key !== undefined ? [...found.path, 'Properties', key] : undefined;
}

function find(
  { topicName, name }: EntityName,
  { UserConfig }: OfficialConfig,
): Found<OfficialSubscription> | undefined {
  const { Queues, Topics } = UserConfig.Namespaces[0] ?? {};
  const path: Path = ['UserConfig', 'Namespaces', 0];
  if (topicName === undefined) {
    // ENT-03: a queue and a topic never have the same name.
    return findIn(Queues, name, [...path, 'Queues']) ?? findIn(Topics, name, [...path, 'Topics']);
  }
  const topic = findIn(Topics, topicName, [...path, 'Topics']);
  return topic && findIn(topic.entity.Subscriptions, name, [...topic.path, 'Subscriptions']);
}

/** The names of each list of entities that was searched. */
const NAMES = new WeakMap<object, readonly string[]>();

function namesOf(entities: readonly { readonly Name: string }[]): readonly string[] {
  const names = NAMES.get(entities) ?? entities.map(({ Name }) => Name);
  NAMES.set(entities, names);
  return names;
}

/** Finds an entity by name, in any case (ENT-02). */
function findIn<Entity extends { readonly Name: string }>(
  entities: readonly Entity[] | null | undefined,
  name: string,
  path: Path,
): Found<Entity> | undefined {
  if (!entities) return undefined;
  const index = indexOfName(name, namesOf(entities));
  const entity = entities[index];
  return entity && { path: [...path, index], entity };
}
