// Entities are listed in the reference model: by name, in any case the same, a page at a time.

import type { Command } from '../../src/broker/command.js';
import { type ExpectedResult, failed } from './reference-expected.js';
import { findNamed, lookedAt } from './reference-queues.js';
import { type ModelQueue, subscriptionsOf } from './reference-state.js';
import { happened, type ModelTurn } from './reference-turn.js';

type Of<K extends Command['kind']> = Extract<Command, { kind: K }>;
type Page = { readonly skip: number; readonly maxCount: number };
type ListKind = 'queues' | 'topics' | 'subscriptions';

export function listQueues(page: Of<'list-queues'>, turn: ModelTurn): ExpectedResult {
  return list('queues', ofKind('queue', turn), page, turn);
}

export function listTopics(page: Of<'list-topics'>, turn: ModelTurn): ExpectedResult {
  return list('topics', ofKind('topic', turn), page, turn);
}

export function listSubscriptions(page: Of<'list-subscriptions'>, turn: ModelTurn): ExpectedResult {
  const topic = findNamed(page.topicName, 'topic', turn);
  if (topic === undefined) return failed('entity-not-found');
  return list('subscriptions', subscriptionsOf(topic, turn.state), page, turn);
}

function list(kind: ListKind, all: readonly ModelQueue[], page: Page, turn: ModelTurn): ExpectedResult {
  if (isRefusedPage(page)) return failed('argument-out-of-range');
  const entities = pageOf(all.toSorted(byName), page).map((queue) => lookedAt(queue, turn));
  happened(`listed ${Math.min(entities.length, 2)} ${kind}`, turn);
  return { kind, entities };
}

function ofKind(kind: ModelQueue['kind'], { state }: ModelTurn): readonly ModelQueue[] {
  return state.queues.filter((one) => one.kind === kind);
}

function byName({ name }: ModelQueue, other: ModelQueue): number {
  return name.toLowerCase() < other.name.toLowerCase() ? -1 : 1;
}

export function isRefusedPage({ skip, maxCount }: Page): boolean {
  return skip < 0 || maxCount < 1;
}

export function pageOf<T>(all: readonly T[], { skip, maxCount }: Page): readonly T[] {
  return all.filter((_, index) => index >= skip && index < skip + maxCount);
}
