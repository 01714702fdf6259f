// Queues and topics that a start finds in its data directory, with the number of messages in each.

import type { MessageCounts } from '../broker/result.js';
import type { Ask } from './entity-setup.js';

export type KeptEntity = {
  readonly name: string;
  /** Dead-lettered, deferred and scheduled ones and transfers included; those of a topic are its subscriptions' and its own. */
  readonly messageCount: number;
};

export type KeptEntities = {
  readonly queues: readonly KeptEntity[];
  readonly topics: readonly KeptEntity[];
};

const ALL = { skip: 0, maxCount: Number.MAX_SAFE_INTEGER } as const;

/** In the order of their names. Asked before anything is configured: afterwards all are there. */
export async function keptEntities(ask: Ask): Promise<KeptEntities> {
  const queues = await ask({ kind: 'list-queues', ...ALL });
  const topics = await ask({ kind: 'list-topics', ...ALL });
  if (queues.kind !== 'queues' || topics.kind !== 'topics') return { queues: [], topics: [] };
  return {
    queues: queues.queues.map(({ description, counts }) => ({
      name: description.name,
      messageCount: allOf(counts),
    })),
    topics: await Promise.all(
      topics.topics.map(async ({ description, counts, subscriptionCount }) => ({
        name: description.name,
        messageCount:
          allOf(counts) + (subscriptionCount === 0 ? 0 : await subscribedCount(description.name, ask)),
      })),
    ),
  };
}

async function subscribedCount(topicName: string, ask: Ask): Promise<number> {
  const found = await ask({ kind: 'list-subscriptions', topicName, ...ALL });
  if (found.kind !== 'subscriptions') return 0;
  return found.subscriptions.reduce((sum, { counts }) => sum + allOf(counts), 0);
}

function allOf({ active, scheduled, deadLetter, transfer, transferDeadLetter }: MessageCounts): number {
  return active + scheduled + deadLetter + transfer + transferDeadLetter;
}
