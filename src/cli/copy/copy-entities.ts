// Creates the entities of one service in another, over the administration of both. Entities that are there stay as they are.

import type { AdminClient, AdminPath, GivenProperties } from '../../client/admin-client.js';
import { listNamespace } from '../../client/list-namespace.js';
import type { CopiedNames } from './copied-names.js';

export type EntityTally = { created: number; existing: number };

const FORWARDS = ['forwardTo', 'forwardDeadLetteredMessagesTo'] as const;
const DEFAULT_RULE = '$Default';

type Wanted = {
  readonly type: 'queue' | 'topic' | 'subscription';
  readonly path: AdminPath;
  readonly properties: GivenProperties;
};

/** Throws a JitneyError, before anything is created if one of the names is not there. */
export async function copyEntities(
  from: AdminClient,
  to: AdminClient,
  names: CopiedNames,
): Promise<EntityTally> {
  const { queues, topics } = await listNamespace(from);
  names.refuseUnknown([
    ...queues.map(({ name }) => name),
    ...topics.map(({ description }) => description.name),
  ]);
  const nameOf = (owner: string) => names.of(owner);
  const tally: EntityTally = { created: 0, existing: 0 };
  const forwarding: Wanted[] = [];
  const create = async (wanted: Wanted) => {
    if ((await to.get(wanted.path)) !== undefined) {
      tally.existing += 1;
      return false;
    }
    const properties: Record<string, unknown> = { ...wanted.properties };
    for (const name of FORWARDS) delete properties[name];
    await to.create(wanted.type, wanted.path, properties as GivenProperties);
    tally.created += 1;
    // A destination may come later in the list than an entity that forwards to it.
    if (FORWARDS.some((name) => wanted.properties[name] !== undefined)) forwarding.push(wanted);
    return true;
  };
  for (const { name, ...properties } of queues) {
    const entity = nameOf(name);
    if (entity !== undefined) await create({ type: 'queue', path: { entity }, properties });
  }
  for (const { description, subscriptions } of topics) {
    const { name, status, ...properties } = description;
    const entity = nameOf(name);
    if (entity === undefined) continue;
    await create({ type: 'topic', path: { entity }, properties });
    for (const { description: each, rules } of subscriptions) {
      const { name: subscription, status: _, ...own } = each;
      if (!(await create({ type: 'subscription', path: { entity, subscription }, properties: own })))
        continue;
      for (const rule of rules)
        if (rule.name !== DEFAULT_RULE) await to.createRule(entity, subscription, rule);
      const own$Default = rules.find(({ name }) => name === DEFAULT_RULE);
      if (own$Default === undefined) await to.deleteRule(entity, subscription, DEFAULT_RULE);
      else await to.updateRule(entity, subscription, own$Default);
    }
  }
  for (const { type, path, properties } of forwarding) {
    await to.update(
      type,
      path,
      Object.fromEntries(FORWARDS.map((name) => [name, renamed(properties[name], nameOf)])),
    );
  }
  return tally;
}

function renamed(
  target: string | undefined,
  nameOf: (owner: string) => string | undefined,
): string | undefined {
  return target === undefined ? undefined : (nameOf(target) ?? target);
}
