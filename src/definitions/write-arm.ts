// Writes a namespace as an ARM template.

import type { Entities } from '../config/configured-entities.js';
import {
  type AzureResource,
  NAMESPACE_TYPE,
  parentOf,
  RESOURCE_TYPES,
  type ResourceKind,
  resourceName,
} from './azure-resource.js';
import type { WrittenDefinitions } from './definitions.js';
import { dependenciesOf } from './dependencies.js';
import { noteOnKeys, resourcesOf } from './resources-of.js';
import { isExpression } from './template-expression.js';

const SCHEMA = 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#';
const API_VERSION = '2024-01-01';
/** The first stable version that knows `userMetadata`. */
const NEWER_API_VERSION = '2026-01-01';
export const SKUS = ['Basic', 'Standard', 'Premium'] as const;
const NAMESPACE = "parameters('namespaceName')";
const MOST_RESOURCES = 800;
const INDENT = 2;

export function writeArm(entities: Entities): WrittenDefinitions {
  const { resources, notes } = resourcesOf(entities);
  const { targetsOf, notes: circles } = dependenciesOf(resources);
  const template = {
    $schema: SCHEMA,
    contentVersion: '1.0.0.0',
    parameters: {
      namespaceName: {
        type: 'string',
        metadata: { description: 'The name of the namespace, unique in Azure' },
      },
      location: { type: 'string', defaultValue: '[resourceGroup().location]' },
      skuName: { type: 'string', defaultValue: skuFor(resources), allowedValues: SKUS },
    },
    resources: [
      {
        type: NAMESPACE_TYPE,
        apiVersion: API_VERSION,
        name: `[${NAMESPACE}]`,
        location: "[parameters('location')]",
        sku: { name: "[parameters('skuName')]", tier: "[parameters('skuName')]" },
        properties: {},
      },
      ...resources.map((resource) => ({
        type: RESOURCE_TYPES[resource.kind],
        apiVersion: apiVersionFor(resource),
        name: `[concat(${NAMESPACE}, '/${resourceNames(resource).join('/')}')]`,
        dependsOn: [parentOf(resource), ...targetsOf(resource)].map((one) => `[${resourceId(one)}]`),
        properties: escaped(resource.properties),
      })),
    ],
  };
  const text = `${JSON.stringify(template, undefined, INDENT)}\n`;
  return { text, notes: [...notes, ...circles, ...noteOnKeys(entities), ...noteOnSize(resources)] };
}

/** A note on a template with more resources than Azure deploys at once; one more is the namespace. */
export function noteOnSize({ length }: readonly AzureResource[]): string[] {
  if (length < MOST_RESOURCES) return [];
  return [
    `the template has ${length + 1} resources, and Azure deploys ${MOST_RESOURCES} at once: divide it into modules`,
  ];
}

export function apiVersionFor({ properties }: AzureResource): string {
  return properties.userMetadata === undefined ? API_VERSION : NEWER_API_VERSION;
}

/** Only Premium lets messages be larger than 256 KB, and Basic has no topics. */
export function skuFor(resources: readonly AzureResource[]): (typeof SKUS)[number] {
  const isLarge = resources.some(({ properties }) => properties.maxMessageSizeInKilobytes !== undefined);
  return isLarge ? 'Premium' : 'Standard';
}

/** The names as Azure Resource Manager has them. Only those of queues and topics may have a slash. */
export function resourceNames({ names }: Pick<AzureResource, 'names'>): readonly string[] {
  return names.map((name, index) => (index === 0 ? resourceName(name) : name));
}

function resourceId(
  resource: { readonly kind: ResourceKind; readonly names: readonly string[] } | undefined,
) {
  if (resource === undefined) return `resourceId('${NAMESPACE_TYPE}', ${NAMESPACE})`;
  const names = resourceNames(resource).map((name) => `, '${name}'`);
  return `resourceId('${RESOURCE_TYPES[resource.kind]}', ${NAMESPACE}${names.join('')})`;
}

/** A text that looks like an expression begins with two brackets. */
function escaped(value: unknown): unknown {
  if (typeof value === 'string') {
    return isExpression(value) || (value.startsWith('[[') && value.endsWith(']')) ? `[${value}` : value;
  }
  if (Array.isArray(value)) return value.map(escaped);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, escaped(one)]));
}
