// A queue, topic, subscription, rule or authorization rule as Azure Resource Manager describes it: what templates in ARM, Bicep and
// Terraform have in common.

import type { Path } from '../description/value-error.js';

export const RESOURCE_TYPES = {
  queue: 'Microsoft.ServiceBus/namespaces/queues',
  topic: 'Microsoft.ServiceBus/namespaces/topics',
  subscription: 'Microsoft.ServiceBus/namespaces/topics/subscriptions',
  rule: 'Microsoft.ServiceBus/namespaces/topics/subscriptions/rules',
  'queue-authorization-rule': 'Microsoft.ServiceBus/namespaces/queues/authorizationRules',
  'topic-authorization-rule': 'Microsoft.ServiceBus/namespaces/topics/authorizationRules',
} as const;

export const NAMESPACE_TYPE = 'Microsoft.ServiceBus/namespaces';

export type ResourceKind = keyof typeof RESOURCE_TYPES;

export type AzureResource = {
  readonly kind: ResourceKind;
  /** The names from the queue or topic down: `['events', 'audit', 'red']` for a rule. */
  readonly names: readonly string[];
  /** Under the names of Azure Resource Manager, which are those of the SDK; durations are in ISO 8601. */
  readonly properties: Readonly<Record<string, unknown>>;
};

/** A resource that was read, with its place in the file. */
export type PlacedResource = AzureResource & {
  readonly path: Path;
  readonly pathOf: (property: string) => Path;
};

/** The resource to which this one belongs, by kind and names; undefined: to the namespace itself. */
export function parentOf({
  kind,
  names,
}: Pick<AzureResource, 'kind' | 'names'>): Pick<AzureResource, 'kind' | 'names'> | undefined {
  switch (kind) {
    case 'queue':
    case 'topic':
      return undefined;
    case 'subscription':
    case 'topic-authorization-rule':
      return { kind: 'topic', names: names.slice(0, 1) };
    case 'queue-authorization-rule':
      return { kind: 'queue', names: names.slice(0, 1) };
    case 'rule':
      return { kind: 'subscription', names: names.slice(0, 2) };
    default:
      return kind satisfies never;
  }
}

/** Azure Resource Manager writes a slash in the name of a queue or topic as a tilde. */
export function resourceName(name: string): string {
  return name.replaceAll('/', '~');
}

/** The name of a queue or topic whose resource has this name. */
export function entityNameBehind(resource: string): string {
  return resource.replaceAll('~', '/');
}
