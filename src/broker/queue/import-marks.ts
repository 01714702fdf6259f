// The marks of imports: how far a store has taken the messages of a copy, by their numbers in the source, until that copy has ended. A
// partitioned source counts in each partition, so each has a mark of its own, under an id whose last two digits tell the partition.

import type { ImportedMessage } from '../contract/management.js';
import { partitionIdOf } from '../store/partition.js';
import type { MessageStore } from '../store/queue.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';

/** All digits of an import's id but the last two, which are the same for all partitions. */
const COMMON_DIGITS = 62;

/** The last number that has come from the partition of this number; 0 if none has. */
export function markOf(store: MessageStore, importId: string, sourceNumber: number): number {
  return store.imports.get(idOfPartition(importId, partitionIdOf(sourceNumber))) ?? 0;
}

/** The marks of all partitions that have one. */
export function importMarksOf(store: MessageStore, importId: string): number[] {
  return idsOf(store, importId).map((id) => store.imports.get(id) ?? 0);
}

/** Notes in the turn that stores these messages how far the copy is. */
export function markAll(
  store: MessageStore,
  importId: string,
  messages: readonly ImportedMessage[],
  turn: TurnInProgress,
): void {
  const marks = new Map<string, number>();
  for (const { sourceNumber } of messages) {
    const id = idOfPartition(importId, partitionIdOf(sourceNumber));
    marks.set(id, Math.max(marks.get(id) ?? 0, sourceNumber));
  }
  for (const [id, sourceNumber] of marks) {
    store.imports.set(id, sourceNumber);
    turn.events.push({ kind: 'import-marked', storeId: store.id, importId: id, sourceNumber });
  }
}

/** The copy has ended: the next one takes everything again. */
export function endImport(store: MessageStore, importId: string, turn: TurnInProgress): void {
  for (const id of idsOf(store, importId)) endOne(store, id, turn);
}

/** Forgets the copies whose messages are no longer here, because the store is emptied or deleted. */
export function forgetImports(store: MessageStore, turn: TurnInProgress): void {
  for (const id of [...store.imports.keys()]) endOne(store, id, turn);
}

function endOne(store: MessageStore, id: string, turn: TurnInProgress): void {
  store.imports.delete(id);
  turn.events.push({ kind: 'import-ended', storeId: store.id, importId: id });
}

function idsOf(store: MessageStore, importId: string): string[] {
  const common = importId.slice(0, COMMON_DIGITS);
  return [...store.imports.keys()].filter((id) => id.startsWith(common));
}

/** The id itself for the partition 0, which is also that of a source without partitions. */
function idOfPartition(importId: string, partitionId: number): string {
  const last = Number.parseInt(importId.slice(COMMON_DIGITS), 16) ^ (partitionId & 0xff);
  return importId.slice(0, COMMON_DIGITS) + last.toString(16).padStart(2, '0');
}
