// Writes a namespace as Bicep.

import type { Entities } from '../config/configured-entities.js';
import {
  type AzureResource,
  NAMESPACE_TYPE,
  parentOf,
  RESOURCE_TYPES,
  type ResourceKind,
} from './azure-resource.js';
import type { WrittenDefinitions } from './definitions.js';
import { dependenciesOf } from './dependencies.js';
import { Labels } from './labels.js';
import { noteOnKeys, resourcesOf } from './resources-of.js';
import { apiVersionFor, noteOnSize, resourceNames, SKUS, skuFor } from './write-arm.js';

const NAMESPACE = 'serviceBus';
const NAMESPACE_API_VERSION = '2024-01-01';
const WORDS: Readonly<Record<ResourceKind, string>> = {
  queue: 'queue',
  topic: 'topic',
  subscription: 'subscription',
  rule: 'rule',
  'queue-authorization-rule': 'key',
  'topic-authorization-rule': 'key',
};
const INDENT = '  ';

export function writeBicep(entities: Entities): WrittenDefinitions {
  const { resources, notes } = resourcesOf(entities);
  const { targetsOf, notes: circles } = dependenciesOf(resources);
  const labels = new Labels('_', [NAMESPACE, 'namespaceName', 'location', 'skuName']);
  const labelOf = ({ kind, names }: Pick<AzureResource, 'kind' | 'names'>) =>
    labels.of(`${kind} ${names.join('/')}`, [WORDS[kind], ...names]);
  const blocks = resources.map((resource) => {
    const parent = parentOf(resource);
    const type = `${RESOURCE_TYPES[resource.kind]}@${apiVersionFor(resource)}`;
    const targets = targetsOf(resource);
    const lines = [
      `parent: ${parent === undefined ? NAMESPACE : labelOf(parent)}`,
      `name: ${quoted(resourceNames(resource).at(-1) ?? '')}`,
      ...(Object.keys(resource.properties).length === 0
        ? []
        : [`properties: ${valueText(resource.properties, INDENT)}`]),
      ...(targets.length === 0
        ? []
        : [
            `dependsOn: [\n${targets.map((one) => `${INDENT}${INDENT}${labelOf(one)}\n`).join('')}${INDENT}]`,
          ]),
    ];
    return block(labelOf(resource), type, lines);
  });
  const text = [head(resources), ...blocks].join('\n');
  return { text, notes: [...notes, ...circles, ...noteOnKeys(entities), ...noteOnSize(resources)] };
}

function head(resources: readonly AzureResource[]): string {
  const skus = SKUS.map((sku) => `${INDENT}${quoted(sku)}\n`).join('');
  return [
    "@description('The name of the namespace, unique in Azure')",
    'param namespaceName string',
    '',
    'param location string = resourceGroup().location',
    '',
    `@allowed([\n${skus}])`,
    `param skuName string = ${quoted(skuFor(resources))}`,
    '',
    block(NAMESPACE, `${NAMESPACE_TYPE}@${NAMESPACE_API_VERSION}`, [
      'name: namespaceName',
      'location: location',
      `sku: {\n${INDENT}${INDENT}name: skuName\n${INDENT}${INDENT}tier: skuName\n${INDENT}}`,
    ]),
  ].join('\n');
}

function block(label: string, type: string, lines: readonly string[]): string {
  return `resource ${label} '${type}' = {\n${lines.map((line) => `${INDENT}${line}\n`).join('')}}\n`;
}

/** A value as Bicep, whose further lines begin with the indentation. */
function valueText(value: unknown, indentation: string): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const deeper = `${indentation}${INDENT}`;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const lines = Array.isArray(value)
    ? value.map((one) => valueText(one, deeper))
    : Object.entries(value).map(([key, one]) => `${keyText(key)}: ${valueText(one, deeper)}`);
  return lines.length === 0
    ? `${open}${close}`
    : `${open}\n${lines.map((line) => `${deeper}${line}\n`).join('')}${indentation}${close}`;
}

function keyText(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? key : quoted(key);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  "'": "\\'",
  '\\': '\\\\',
};

/** A text in single quotes. `${` would begin an expression, and other control characters need their number. */
function quoted(text: string): string {
  const escaped = text
    .replace(/[\n\r\t'\\]/g, (found) => ESCAPES[found] ?? found)
    .replaceAll('${', '\\${')
    .replace(/\p{Cc}/gu, (found) => `\\u{${found.charCodeAt(0).toString(16)}}`);
  return `'${escaped}'`;
}
