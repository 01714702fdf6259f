// The resources of Azure that resources of Terraform's provider azurerm stand for.

import { PROPERTIES_OF } from '../description/described-entity.js';
import type { Path } from '../description/value-error.js';
import { shown, ValueError } from '../description/value-error.js';
import { entityNameBehind, type PlacedResource, type ResourceKind, resourceName } from './azure-resource.js';
import { isJsonObject, type JsonObject } from './json-object.js';
import { attributeOf, EARLIER_NAMES, FALSE_BY_DEFAULT, TERRAFORM_TYPES } from './terraform-names.js';

/** A resource of Terraform, with the values of its attributes, and its place in the file. */
export type TerraformResource = {
  readonly type: string;
  readonly values: JsonObject;
  readonly path: Path;
  /** The names of the resource to which it belongs, when no attribute tells them. */
  readonly parentNames: () => readonly string[] | undefined;
};

const KINDS = new Map(Object.entries(TERRAFORM_TYPES).map(([kind, type]) => [type, kind as ResourceKind]));
/** Azure reports this where a tier has no larger messages. */
const USUAL_MESSAGE_SIZE = 256;
const RIGHTS = { manage: 'Manage', send: 'Send', listen: 'Listen' } as const;

export function kindOfTerraform(type: string): ResourceKind | undefined {
  return KINDS.get(type);
}

/** Throws a ValueError with the place. */
export function resourceOfTerraform(kind: ResourceKind, resource: TerraformResource): PlacedResource {
  const { values, path } = resource;
  const { name } = values;
  if (typeof name !== 'string') {
    throw new ValueError([{ path: [...path, 'name'], text: `must be a text, not ${shown(name)}` }]);
  }
  const own = kind === 'queue' || kind === 'topic' ? resourceName(name) : name;
  const given = withCurrentNames(values);
  return {
    kind,
    names: [...parentNamesOf(kind, resource), own],
    properties: propertiesOf(kind, given),
    path,
    pathOf: (property) => [...path, attributeOf(property)],
  };
}

function parentNamesOf(
  kind: ResourceKind,
  { values, path, parentNames }: TerraformResource,
): readonly string[] {
  if (kind === 'queue' || kind === 'topic') return [];
  const id = [values.topic_id, values.subscription_id, values.queue_id].find(
    (one) => typeof one === 'string',
  );
  const names = namesInId(String(id ?? '')) ?? namesOfEarlier(kind, values) ?? parentNames();
  if (names !== undefined && names.length === (kind === 'rule' ? 2 : 1)) return names;
  const text =
    'belongs to a resource that only Terraform knows before it is applied: read the state, not the plan';
  throw new ValueError([{ path, text }]);
}

function namesInId(id: string): readonly string[] | undefined {
  const [, entity, subscription] =
    /\/(?:topics|queues)\/([^/]+)(?:\/subscriptions\/([^/]+))?$/i.exec(id) ?? [];
  if (entity === undefined) return undefined;
  return subscription === undefined ? [entity] : [entity, subscription];
}

/** Earlier versions of the provider have names in place of ids. */
function namesOfEarlier(kind: ResourceKind, values: JsonObject): readonly string[] | undefined {
  const { topic_name: topic, subscription_name: subscription, queue_name: queue } = values;
  const names =
    kind === 'rule' ? [topic, subscription] : [kind === 'queue-authorization-rule' ? queue : topic];
  if (!names.every((name) => typeof name === 'string')) return undefined;
  return names.map((name, index) => (index === 0 ? resourceName(String(name)) : String(name)));
}

function withCurrentNames(values: JsonObject): JsonObject {
  const entries = Object.entries(values).filter(([, value]) => value !== null && value !== '');
  return Object.fromEntries(entries.map(([name, value]) => [EARLIER_NAMES[name] ?? name, value]));
}

function propertiesOf(kind: ResourceKind, values: JsonObject): JsonObject {
  switch (kind) {
    case 'rule':
      return ruleProperties(values);
    case 'queue-authorization-rule':
    case 'topic-authorization-rule': {
      const rights = Object.entries(RIGHTS).filter(([name]) => values[name] === true);
      return { rights: rights.map(([, right]) => right) };
    }
    default: {
      const isOff = FALSE_BY_DEFAULT[kind] ?? [];
      const properties = PROPERTIES_OF[kind].map(({ name }) => {
        const value = values[attributeOf(name)] ?? (isOff.includes(name) ? false : undefined);
        const isUsual = name === 'maxMessageSizeInKilobytes' && value === USUAL_MESSAGE_SIZE;
        return [name, isUsual ? undefined : value];
      });
      return Object.fromEntries(properties.filter(([, value]) => value !== undefined));
    }
  }
}

function ruleProperties({ filter_type, sql_filter, correlation_filter, action }: JsonObject): JsonObject {
  const [block] = Array.isArray(correlation_filter) ? correlation_filter : [correlation_filter];
  const fields = [
    'contentType',
    'correlationId',
    'label',
    'messageId',
    'replyTo',
    'replyToSessionId',
    'sessionId',
    'to',
    'properties',
  ];
  const correlation = isJsonObject(block)
    ? Object.fromEntries(fields.map((field) => [field, block[attributeOf(field)]]))
    : undefined;
  return {
    filterType: filter_type,
    ...(sql_filter === undefined ? {} : { sqlFilter: { sqlExpression: sql_filter } }),
    ...(correlation === undefined ? {} : { correlationFilter: correlation }),
    ...(action === undefined ? {} : { action: { sqlExpression: action } }),
  };
}

/** The names below which the children of a queue, topic or subscription stand. */
export function namesOf(kind: ResourceKind, resource: TerraformResource): readonly string[] | undefined {
  const { name } = resource.values;
  if (typeof name !== 'string') return undefined;
  return [
    ...parentNamesOf(kind, resource),
    kind === 'subscription' ? name : resourceName(entityNameBehind(name)),
  ];
}
