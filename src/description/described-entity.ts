// Entities as JSON, the same for the control interface, the page and programs: a type, a path, and properties under the SDK's names.

import {
  type DescribedEntity,
  type EntityType,
  FIXED_PROPERTIES,
} from '../broker/contract/entities/entity.js';
import { describeQueue } from '../broker/contract/entities/queue-description.js';
import { describeSubscription, describeTopic } from '../broker/contract/entities/topic-description.js';
import { checkEntityName, checkSubscriptionName, checkTopicName } from './entity-name.js';
import { QUEUE_PROPERTIES, SUBSCRIPTION_PROPERTIES, TOPIC_PROPERTIES } from './entity-properties.js';
import { readProperties, type WrittenValue, writeProperties } from './entity-property.js';
import { named, readAllParts, shown, ValueError } from './value-error.js';

export const PROPERTIES_OF = {
  queue: QUEUE_PROPERTIES,
  topic: TOPIC_PROPERTIES,
  subscription: SUBSCRIPTION_PROPERTIES,
} as const;

type Properties = Readonly<Record<string, unknown>>;

const SUBSCRIPTION_PATH = /^(?<topicName>.+)\/subscriptions\/(?<name>[^/]+)$/i;

type Names = { readonly name: string; readonly topicName: string };

/** Reads a new entity; missing properties get Azure's defaults. Throws a ValueError with all problems. */
export function newEntity(type: EntityType, path: string, properties: Properties): DescribedEntity {
  const namesOfPath = () => named('path', () => readPath(type, path));
  // Under empty names too, so that the error tells the problems of the path and of the properties.
  readAllParts<unknown>([namesOfPath, () => describeEntity(type, { name: '', topicName: '' }, properties)]);
  return describeEntity(type, namesOfPath(), properties);
}

/** The entity with these properties changed; null stands for Azure's default. Throws a ValueError with all problems. */
export function changedEntity(before: DescribedEntity, properties: Properties): DescribedEntity {
  const { name } = before.description;
  const topicName = before.type === 'subscription' ? before.topicName : '';
  return describeEntity(before.type, { name, topicName }, properties, before.description);
}

function describeEntity(
  type: EntityType,
  { name, topicName }: Names,
  properties: Properties,
  before: object = {},
): DescribedEntity {
  switch (type) {
    case 'queue': {
      const given = readProperties(properties, QUEUE_PROPERTIES, describeQueue(name));
      return { type, description: describeQueue(name, { ...before, ...given }) };
    }
    case 'topic': {
      const given = readProperties(properties, TOPIC_PROPERTIES, describeTopic(name));
      return { type, description: describeTopic(name, { ...before, ...given }) };
    }
    case 'subscription': {
      const given = readProperties(properties, SUBSCRIPTION_PROPERTIES, describeSubscription(name));
      return { type, topicName, description: describeSubscription(name, { ...before, ...given }) };
    }
    default:
      return type satisfies never;
  }
}

/** All properties that have a value, as `changedEntity` reads them. */
export function entityProperties(
  type: EntityType,
  description: object,
): Readonly<Record<string, WrittenValue>> {
  return writeProperties(description, PROPERTIES_OF[type]);
}

export function defaultProperties(type: EntityType): Readonly<Record<string, WrittenValue>> {
  return entityProperties(type, describeEntity(type, { name: '', topicName: '' }, {}).description);
}

export function isFixedProperty(type: EntityType, name: string): boolean {
  const fixed: readonly string[] = FIXED_PROPERTIES[type];
  return fixed.includes(name);
}

/** The mistake in the value of one property, which begins with its name; undefined for a value that is allowed. */
export function problemOfProperty(type: EntityType, name: string, value: unknown): string | undefined {
  try {
    describeEntity(type, { name: '', topicName: '' }, { [name]: value });
    return undefined;
  } catch (error) {
    if (error instanceof ValueError) return error.message;
    throw error;
  }
}

function readPath(type: EntityType, path: string): Names {
  if (type === 'queue') return { name: checkEntityName(path), topicName: '' };
  if (type === 'topic') return { name: checkTopicName(path), topicName: '' };
  const { topicName, name } = SUBSCRIPTION_PATH.exec(path)?.groups ?? {};
  if (topicName !== undefined && name !== undefined) return { name: checkSubscriptionName(name), topicName };
  throw new ValueError(
    `must be the path of a subscription, such as "events/Subscriptions/audit", not ${shown(path)}`,
  );
}
