// Copies messages from one service to another, store by store and in the order of their numbers.

import type { CopiedStore, CopyDestination, CopySource, MessageToCopy } from './copy-side.js';

export type CopyPlan = {
  readonly source: CopySource;
  readonly destination: CopyDestination;
  /** The path in the destination; undefined for a store that is not copied. */
  readonly pathOf: (store: CopiedStore) => string | undefined;
  /** Whether a message is deleted at the source when the destination has it. */
  readonly isMove: boolean;
  readonly interrupted: AbortSignal;
  /** Called after each request. */
  readonly onProgress: (tally: CopyTally) => void;
};

export type CopyTally = { count: number; earlier: number; stores: number; leftOut: number };

/** A request has at most so many bytes of messages, unless one message has more. */
const MOST_BYTES = 1024 * 1024;

/** Stops between two requests when interrupted; the copy has ended if not. */
export async function copyMessages(plan: CopyPlan): Promise<CopyTally> {
  const { source, destination, interrupted } = plan;
  const tally: CopyTally = { count: 0, earlier: 0, stores: 0, leftOut: 0 };
  for (const store of await source.stores()) {
    const path = plan.pathOf(store);
    if (path === undefined) continue;
    if (interrupted.aborted) return tally;
    if (!destination.takes(path)) tally.leftOut += store.count;
    else await copyStore(plan, store, path, tally);
  }
  if (!interrupted.aborted) await destination.end();
  return tally;
}

async function copyStore(plan: CopyPlan, store: CopiedStore, path: string, tally: CopyTally): Promise<void> {
  const { source, destination, interrupted, isMove } = plan;
  const mark = await destination.mark(path);
  if (mark > 0 && isMove) await deleteBrought(plan, store, mark, tally);
  for await (const page of source.messages(store.path, mark)) {
    for (const batch of batchesOf(page)) {
      if (interrupted.aborted) return;
      await destination.put(path, batch);
      tally.count += batch.length;
      if (isMove)
        await source.delete(
          store.path,
          batch.map(({ sequenceNumber }) => sequenceNumber),
        );
      plan.onProgress(tally);
    }
  }
  if (store.hasSessions) {
    for await (const state of source.sessionStates(store.path)) await destination.putState(path, state);
  }
  tally.stores += 1;
}

/** Deletes messages that an earlier run has brought, and was ended before it deleted them. */
async function deleteBrought(
  { source, interrupted }: CopyPlan,
  { path }: CopiedStore,
  mark: number,
  tally: CopyTally,
): Promise<void> {
  for await (const page of source.messages(path, 0)) {
    const numbers = page.map(({ sequenceNumber }) => sequenceNumber).filter((number) => number <= mark);
    if (numbers.length === 0 || interrupted.aborted) return;
    await source.delete(path, numbers);
    tally.earlier += numbers.length;
  }
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
