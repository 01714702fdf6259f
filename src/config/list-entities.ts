// Lists all entities of a broker.

import type { Command, EntityList } from '../broker/contract/command.js';
import type { EntityInfo, Result } from '../broker/contract/result.js';

export type Ask = (command: Command) => Promise<Result>;

/** Queues in the order of their names, then topics, each with its subscriptions behind it. */
export async function listAllEntities(ask: Ask): Promise<readonly EntityInfo[]> {
  const [queues, topics] = await Promise.all([list({ type: 'queue' }, ask), list({ type: 'topic' }, ask)]);
  const withSubscriptions = topics.map(async (topic) => {
    const topicName = topic.description.name;
    return [topic, ...(await list({ type: 'subscription', topicName }, ask))];
  });
  return [...queues, ...(await Promise.all(withSubscriptions)).flat()];
}

/** Empty if the list is refused, for example because the topic was deleted meanwhile. */
async function list(which: EntityList, ask: Ask): Promise<readonly EntityInfo[]> {
  const found = await ask({ kind: 'list-entities', ...which, skip: 0, maxCount: Number.MAX_SAFE_INTEGER });
  return found.kind === 'entities' ? found.entities : [];
}
