// The resources that must be deployed before another one: its parent, and the queues and topics to which it forwards.

import { type AzureResource, parentOf } from './azure-resource.js';

type Identity = Pick<AzureResource, 'kind' | 'names'>;

type Dependencies = {
  /** Without the parent. */
  readonly targetsOf: (resource: AzureResource) => readonly Identity[];
  readonly notes: readonly string[];
};

const FORWARDING = ['forwardTo', 'forwardDeadLetteredMessagesTo'] as const;

/** Queues that forward to each other in a circle cannot all wait for each other: one of them does not, and a note names it. */
export function dependenciesOf(resources: readonly AzureResource[]): Dependencies {
  const byName = new Map(
    resources
      .filter(({ kind }) => kind === 'queue' || kind === 'topic')
      .map((resource) => [resource.names[0]?.toLowerCase(), resource] as const),
  );
  const targets = new Map<AzureResource, AzureResource[]>();
  const notes: string[] = [];
  for (const resource of resources) {
    const own: AzureResource[] = [];
    targets.set(resource, own);
    for (const property of FORWARDING) {
      const name = resource.properties[property];
      const target = typeof name === 'string' ? byName.get(name.toLowerCase()) : undefined;
      if (target === undefined || own.includes(target) || isParent(target, resource)) continue;
      if (leadsTo(target, resource, targets)) {
        notes.push(
          `${resource.names.join('/')} and ${name} forward to each other: deploy without the ${property} of ${resource.names.join('/')} first`,
        );
      } else own.push(target);
    }
  }
  return { targetsOf: (resource) => targets.get(resource) ?? [], notes };
}

function isParent(target: Identity, resource: AzureResource): boolean {
  const parent = parentOf(resource);
  return parent?.kind === target.kind && parent.names[0] === target.names[0];
}

function leadsTo(
  from: AzureResource,
  to: AzureResource,
  targets: ReadonlyMap<AzureResource, readonly AzureResource[]>,
  seen = new Set<AzureResource>(),
): boolean {
  if (from === to) return true;
  if (seen.has(from)) return false;
  seen.add(from);
  return (targets.get(from) ?? []).some((next) => leadsTo(next, to, targets, seen));
}
