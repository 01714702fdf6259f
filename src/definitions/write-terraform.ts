// Writes a namespace as a configuration of Terraform in JSON, `.tf.json`, for the provider azurerm 4.

import { describeSubscription, describeTopic } from '../broker/contract/entities/topic-description.js';
import type { Entities } from '../config/configured-entities.js';
import { entityProperties } from '../description/described-entity.js';
import { type AzureResource, parentOf } from './azure-resource.js';
import type { WrittenDefinitions } from './definitions.js';
import { dependenciesOf } from './dependencies.js';
import { isJsonObject } from './json-object.js';
import { Labels } from './labels.js';
import { noteOnKeys, resourcesOf } from './resources-of.js';
import {
  attributeOf,
  FALSE_BY_DEFAULT,
  NAMESPACE_RESOURCE,
  PARENT_ATTRIBUTE,
  TERRAFORM_TYPES,
} from './terraform-names.js';
import { SKUS, skuFor } from './write-arm.js';

const NAMESPACE_LABEL = 'namespace';
const DEFAULT_RULE_NAME = /^\$default$/i;
const FORWARDING: readonly string[] = ['forwardTo', 'forwardDeadLetteredMessagesTo'];
const INDENT = 2;

type Attributes = Readonly<Record<string, unknown>>;

export function writeTerraform(entities: Entities): WrittenDefinitions {
  const { resources, notes } = resourcesOf(entities);
  const { targetsOf, notes: circles } = dependenciesOf(resources);
  const labels = new Labels('_', []);
  const labelOf = ({ kind, names }: Pick<AzureResource, 'kind' | 'names'>) =>
    labels.of(`${kind} ${names.join('/')}`, [kind.replaceAll('-', '_'), ...names]);
  const lacking: string[] = [];
  const blocks: Record<string, Record<string, Attributes>> = {
    [NAMESPACE_RESOURCE]: { [NAMESPACE_LABEL]: NAMESPACE },
  };
  for (const resource of resources) {
    const parent = parentOf(resource);
    const parentName =
      parent === undefined
        ? [NAMESPACE_RESOURCE, NAMESPACE_LABEL]
        : [TERRAFORM_TYPES[parent.kind], labelOf(parent)];
    const targets = targetsOf(resource).map(
      (target) => `\${${TERRAFORM_TYPES[target.kind]}.${labelOf(target)}.name}`,
    );
    const names = targetsOf(resource).map(({ names }) => names[0]);
    const references = new Map(names.map((name, index) => [name, targets[index]] as const));
    lacking.push(...missingIn(resource));
    blocks[TERRAFORM_TYPES[resource.kind]] ??= {};
    Object.assign(blocks[TERRAFORM_TYPES[resource.kind]] ?? {}, {
      [labelOf(resource)]: {
        name: literal(resource.names.at(-1)),
        [PARENT_ATTRIBUTE[resource.kind]]: `\${${parentName.join('.')}.id}`,
        ...attributesOf(resource, references),
      },
    });
  }
  const text = `${JSON.stringify({ ...head(resources), resource: blocks }, undefined, INDENT)}\n`;
  return { text, notes: [...notes, ...circles, ...lacking, ...noteOnKeys(entities)] };
}

function interpolated(expression: string): string {
  return `\${${expression}}`;
}

const NAMESPACE: Attributes = {
  name: interpolated('var.namespace_name'),
  resource_group_name: interpolated('var.resource_group_name'),
  location: interpolated('var.location'),
  sku: interpolated('var.sku'),
  capacity: interpolated('var.sku == "Premium" ? 1 : 0'),
  premium_messaging_partitions: interpolated('var.sku == "Premium" ? 1 : 0'),
};

function head(resources: readonly AzureResource[]): object {
  return {
    terraform: { required_providers: { azurerm: { source: 'hashicorp/azurerm', version: '~> 4.0' } } },
    provider: { azurerm: { features: {} } },
    variable: {
      namespace_name: { type: 'string', description: 'The name of the namespace, unique in Azure' },
      resource_group_name: { type: 'string', description: 'The resource group, which exists' },
      location: { type: 'string', description: 'The region, such as westeurope' },
      sku: { type: 'string', default: skuFor(resources), description: `One of ${SKUS.join(', ')}` },
    },
  };
}

function attributesOf(
  resource: AzureResource,
  references: ReadonlyMap<string | undefined, string | undefined>,
): Attributes {
  const { kind, properties } = resource;
  switch (kind) {
    case 'rule':
      return ruleAttributes(properties);
    case 'queue-authorization-rule':
    case 'topic-authorization-rule': {
      const rights = Array.isArray(properties.rights) ? properties.rights : [];
      return Object.fromEntries(
        ['listen', 'send', 'manage'].map((right) => [
          right,
          rights.some((one) => one.toLowerCase() === right),
        ]),
      );
    }
    default: {
      const all = { ...alwaysWritten(resource), ...properties };
      const { userMetadata: _, ...known } = all as Attributes;
      const entries = Object.entries(known).map(([name, value]) => {
        const reference = FORWARDING.includes(name) ? references.get(String(value)) : undefined;
        return [attributeOf(name), reference ?? literal(value)];
      });
      return Object.fromEntries(entries);
    }
  }
}

/** Attributes whose default in Terraform is not Azure's, or that it requires. */
function alwaysWritten({ kind, properties }: AzureResource): Attributes {
  const partitioned = { enablePartitioning: properties.enablePartitioning === true };
  const usual = {
    ...(kind === 'topic' ? entityProperties('topic', describeTopic('', partitioned)) : {}),
    ...(kind === 'subscription' ? entityProperties('subscription', describeSubscription('')) : {}),
  };
  const names = [...(FALSE_BY_DEFAULT[kind] ?? []), ...(kind === 'subscription' ? ['maxDeliveryCount'] : [])];
  return Object.fromEntries(names.map((name) => [name, usual[name]]));
}

function ruleAttributes({ filterType, sqlFilter, correlationFilter, action }: Attributes): Attributes {
  const correlation = isJsonObject(correlationFilter) ? correlationFilter : undefined;
  return {
    filter_type: filterType,
    ...(isJsonObject(sqlFilter) ? { sql_filter: literal(sqlFilter.sqlExpression) } : {}),
    ...(correlation === undefined
      ? {}
      : {
          correlation_filter: Object.fromEntries(
            Object.entries(correlation).map(([name, value]) => [attributeOf(name), literal(value)]),
          ),
        }),
    ...(isJsonObject(action) ? { action: literal(action.sqlExpression) } : {}),
  };
}

function missingIn({ kind, names, properties }: AzureResource): string[] {
  const what = `${kind} ${names.join('/')}`;
  const notes: string[] = [];
  if (properties.userMetadata !== undefined) notes.push(`${what} has userMetadata, which Terraform lacks`);
  if (kind === 'topic' && properties.status === 'SendDisabled') {
    notes.push(`${what} has the status SendDisabled, and Terraform takes only Active and Disabled`);
  }
  if (kind === 'rule' && DEFAULT_RULE_NAME.test(names[2] ?? '')) {
    notes.push(
      `${what} exists with each new subscription: run terraform import for it, if Terraform says so`,
    );
  }
  return notes;
}

/** Texts in which `${` and `%{` begin no expression. */
function literal(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/[$%](?=\{)/g, '$&$&');
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [String(literal(key)), literal(one)]));
}
