// Copies messages from one service to another, store by store and in the order of their numbers.

import type { CopyNotes } from './copy-notes.js';
import {
  type CopiedStore,
  type CopyDestination,
  type CopySource,
  type MessageToCopy,
  partitionIn,
} from './copy-side.js';

export type CopyPlan = {
  readonly source: CopySource;
  readonly destination: CopyDestination;
  readonly notes: CopyNotes;
  readonly stores: readonly CopiedStore[];
  /** The path in the destination; undefined for a store that is not copied. */
  readonly pathOf: (store: CopiedStore) => string | undefined;
  readonly isMove: boolean;
  readonly interrupted: AbortSignal;
  readonly onProgress: (tally: CopyTally) => void;
};

export type CopyTally = { count: number; earlier: number; stores: number };

/** A request has at most so many bytes of messages, unless one message has more. */
const MOST_BYTES = 1024 * 1024;

/** Stops between two requests when interrupted; the copy has ended if not. The tally also tells what was done before it rejects. */
export async function copyMessages(plan: CopyPlan, tally: CopyTally): Promise<void> {
  const { stores, destination, interrupted, notes } = plan;
  for (const store of stores) {
    const path = plan.pathOf(store);
    if (path === undefined || !destination.takes(path)) continue;
    if (interrupted.aborted) return;
    await copyStore(plan, store, path, tally);
  }
  if (interrupted.aborted) return;
  await destination.end();
  await notes.end();
}

async function copyStore(plan: CopyPlan, store: CopiedStore, path: string, tally: CopyTally): Promise<void> {
  const { source, destination, interrupted, isMove, notes } = plan;
  let marks = await destination.marks(path);
  const isNew = (number: number) =>
    number > (marks.get(partitionIn(number)) ?? 0) && !notes.isAhead(path, number);
  if (isMove) {
    // Only these: a dead letter keeps its number, so a new one may have a number that is below the mark.
    const { brought, hasOthers } = await broughtEarlier(plan, store.path, isNew);
    if (brought.length > 0) await source.delete(store.path, brought);
    tally.earlier += brought.length;
    if (hasOthers) {
      // The source has begun its numbers again, so the marks are those of other messages.
      await destination.end();
      await notes.end();
      marks = new Map();
    }
  }
  for await (const page of source.messages(store.path, marks.get(0) ?? 0, isMove)) {
    for (const batch of batchesOf(page.filter(({ sequenceNumber }) => isNew(sequenceNumber)))) {
      if (interrupted.aborted) return;
      if (isMove) await notes.begin(store.path, batch);
      const refusal = await destination.put(path, batch);
      const taken = refusal?.taken ?? batch.map(({ sequenceNumber }) => sequenceNumber);
      tally.count += taken.length;
      if (isMove) {
        await source.delete(store.path, taken);
        await notes.settle();
      }
      plan.onProgress(tally);
      if (refusal !== undefined) throw refusal.error;
    }
  }
  if (store.hasSessions) {
    for await (const state of source.sessionStates(store.path)) await destination.putState(path, state);
  }
  tally.stores += 1;
}

/**
 * The messages that an earlier run has brought and not deleted, and that are still the same ones at the source; and whether it has others
 * with such numbers.
 */
async function broughtEarlier(
  { source, notes }: CopyPlan,
  path: string,
  isNew: (number: number) => boolean,
): Promise<{ readonly brought: readonly number[]; readonly hasOthers: boolean }> {
  const numbers = notes.underWay(path).filter((number) => !isNew(number));
  if (numbers.length === 0) return { brought: [], hasOthers: false };
  const wanted = new Set(numbers);
  const last = Math.max(...numbers);
  const brought: number[] = [];
  let hasOthers = false;
  for await (const page of source.messages(path, Math.min(...numbers) - 1, false)) {
    for (const message of page.filter(({ sequenceNumber }) => wanted.has(sequenceNumber))) {
      if (notes.isUnderWay(path, message)) brought.push(message.sequenceNumber);
      else hasOthers = true;
    }
    if (page.some(({ sequenceNumber }) => sequenceNumber >= last)) break;
  }
  return { brought, hasOthers };
}

function* batchesOf(messages: readonly MessageToCopy[]): Generator<readonly MessageToCopy[]> {
  let batch: MessageToCopy[] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = JSON.stringify(message).length;
    if (batch.length > 0 && bytes + size > MOST_BYTES) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(message);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
