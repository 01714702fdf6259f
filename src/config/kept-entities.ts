// Lists the queues and topics of earlier starts in a data directory, each with its number of messages.

import type { MessageCounts } from '../broker/contract/result.js';
import { type Ask, listAllEntities } from './list-entities.js';

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

/** Must run before the configured entities are created: afterwards these would be listed too. */
export async function listKeptEntities(ask: Ask): Promise<KeptEntities> {
  const counts = { queue: new Map<string, number>(), topic: new Map<string, number>() };
  for (const entity of await listAllEntities(ask)) {
    const type = entity.type === 'queue' ? 'queue' : 'topic';
    const name = entity.type === 'subscription' ? entity.topicName : entity.description.name;
    counts[type].set(name, (counts[type].get(name) ?? 0) + allOf(entity.counts));
  }
  return { queues: keptOf(counts.queue), topics: keptOf(counts.topic) };
}

function keptOf(counts: ReadonlyMap<string, number>): readonly KeptEntity[] {
  return [...counts].map(([name, messageCount]) => ({ name, messageCount }));
}

function allOf({ active, scheduled, deadLetter, transfer, transferDeadLetter }: MessageCounts): number {
  return active + scheduled + deadLetter + transfer + transferDeadLetter;
}
