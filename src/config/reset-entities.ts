// Brings the entities of a running emulator back to the configured ones.

import type { Command } from '../broker/contract/command.js';
import { pathOf } from '../broker/contract/entities/entity.js';
import { parseSubscriberName } from '../broker/contract/entities/subscriber.js';
import { DEFAULT_RULE } from '../broker/contract/rule-description.js';
import { entityKey } from './apply-entities.js';
import type { Entities } from './configured-entities.js';
import type { ConfiguredTopic } from './configured-topic.js';
import { EntitySetup, entitiesToPut, type SetupContext } from './entity-setup.js';
import { type Ask, listAllEntities } from './list-entities.js';

/**
 * Deletes every entity that is not configured, and creates or changes the others so that they match. An entity with a property
 * that cannot be changed is deleted and created again.
 */
export async function resetEntities(
  { queues, topics }: Entities,
  { ask, limits }: Pick<SetupContext, 'ask' | 'limits'>,
): Promise<void> {
  for (const command of await deletions({ queues, topics }, ask)) await ask(command);
  await forgetSubscribers(topics, ask);
  await new EntitySetup((command) => putAnew(command, ask), limits).run(
    entitiesToPut({ queues, topics: topics.map(withRules) }),
  );
}

/** The subscriptions of a topic are deleted with it. */
async function deletions(entities: Entities, ask: Ask): Promise<Command[]> {
  const kept = new Set(entitiesToPut(entities).map(entityKey));
  return (await listAllEntities(ask))
    .filter((entity) => !kept.has(entityKey(entity)))
    .filter((entity) => entity.type !== 'subscription' || kept.has(`topic ${entity.topicName}`))
    .map((entity) => ({ kind: 'delete-entity', entityPath: pathOf(entity) }));
}

/**
 * JMS-17: deletes the subscriptions that a JMS consumer has decided, so that they are made as configured. One that is in use stays: its
 * consumer would decide it again.
 */
async function forgetSubscribers(topics: readonly ConfiguredTopic[], ask: Ask): Promise<void> {
  for (const { description } of topics.flatMap(({ subscriptions }) => subscriptions)) {
    const identity = parseSubscriberName(description.name);
    if (identity === undefined) continue;
    const { name, clientId } = identity;
    const found = await ask({ kind: 'find-subscriber', name, clientId });
    if (found.kind !== 'subscriber' || found.subscriber.isShared === undefined) continue;
    await ask({ kind: 'unsubscribe', name, clientId });
  }
}

/** A subscription without configured rules gets back the one that a new subscription has. */
function withRules({ description, subscriptions }: ConfiguredTopic): ConfiguredTopic {
  return {
    description,
    subscriptions: subscriptions.map((subscription) => ({
      ...subscription,
      rules: subscription.rules ?? [DEFAULT_RULE],
    })),
  };
}

async function putAnew(command: Command, ask: Ask): ReturnType<Ask> {
  const result = await ask(command);
  // After any other refusal the entity stays: the second put would be refused, too, and its messages would be gone.
  const isFixed = result.kind === 'failed' && result.error.data.about === 'fixed-property';
  if (!isFixed || command.kind !== 'put-entity') return result;
  await ask({ kind: 'delete-entity', entityPath: pathOf(command) });
  return ask(command);
}
