// Brings the entities of a running emulator back to the configured ones.

import type { Command } from '../broker/command.js';
import { DEFAULT_RULE } from '../broker/rules/rule-description.js';
import type { Entities } from './configured-entities.js';
import type { ConfiguredTopic } from './configured-topic.js';
import { type Ask, EntitySetup, type SetupContext } from './entity-setup.js';

const ALL = { skip: 0, maxCount: Number.MAX_SAFE_INTEGER } as const;

/**
 * Deletes every entity that is not configured, and creates or changes the others so that they match. An entity with a property
 * that cannot be changed is deleted and created again.
 */
export async function resetEntities(
  { queues, topics }: Entities,
  { ask, limits }: Pick<SetupContext, 'ask' | 'limits'>,
): Promise<void> {
  for (const command of await deletions({ queues, topics }, ask)) await ask(command);
  await new EntitySetup((command) => putAnew(command, ask), limits).run({
    queues,
    topics: topics.map(withRules),
  });
}

async function deletions({ queues, topics }: Entities, ask: Ask): Promise<Command[]> {
  const foundQueues = await ask({ kind: 'list-queues', ...ALL });
  const foundTopics = await ask({ kind: 'list-topics', ...ALL });
  if (foundQueues.kind !== 'queues' || foundTopics.kind !== 'topics') return [];
  const commands: Command[] = foundQueues.queues
    .map(({ description: { name } }) => name)
    .filter((name) => !queues.some((queue) => queue.name === name))
    .map((name) => ({ kind: 'delete-queue', name }));
  for (const { description } of foundTopics.topics) {
    const configured = topics.find((topic) => topic.description.name === description.name);
    if (configured === undefined) commands.push({ kind: 'delete-topic', name: description.name });
    else commands.push(...(await subscriptionDeletions(configured, ask)));
  }
  return commands;
}

async function subscriptionDeletions(
  { description: { name: topicName }, subscriptions }: ConfiguredTopic,
  ask: Ask,
): Promise<Command[]> {
  const found = await ask({ kind: 'list-subscriptions', topicName, ...ALL });
  if (found.kind !== 'subscriptions') return [];
  return found.subscriptions
    .map(({ description: { name } }) => name)
    .filter((name) => !subscriptions.some(({ description }) => isSame(description.name, name)))
    .map((name) => ({ kind: 'delete-subscription', topicName, name }));
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
  const deletion = isFixed ? deletionBefore(command) : undefined;
  if (deletion === undefined) return result;
  await ask(deletion);
  return ask(command);
}

function deletionBefore(command: Command): Command | undefined {
  switch (command.kind) {
    case 'put-queue':
      return { kind: 'delete-queue', name: command.description.name };
    case 'put-topic':
      return { kind: 'delete-topic', name: command.description.name };
    case 'put-subscription':
      return { kind: 'delete-subscription', topicName: command.topicName, name: command.description.name };
    default:
      return undefined;
  }
}

/** ENT-02 */
function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
