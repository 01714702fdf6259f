// Lists the queues and topics of earlier starts in a data directory, each with its number of messages.

import type { MessageCounts } from '../broker/result.js';
import type { Ask } from './entity-setup.js';

/** A queue or topic of an earlier start. */
export type KeptEntity = {
  readonly name: string;
  /** All messages, including dead-lettered, deferred, scheduled and transfer ones; for a topic, also the messages of its subscriptions. */
  readonly messageCount: number;
};

/** The queues and topics of earlier starts, in the order of their names. */
export type KeptEntities = {
  readonly queues: readonly KeptEntity[];
  readonly topics: readonly KeptEntity[];
};

const ALL = { skip: 0, maxCount: Number.MAX_SAFE_INTEGER } as const;

/** Must run before the configured entities are created: afterwards these would be listed too. */
export async function listKeptEntities(ask: Ask): Promise<KeptEntities> {
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
