// The marks of imports: how far a store has taken the messages of a copy, by their numbers in the source, until that copy has ended.

import type { MessageStore } from '../store/queue.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';

/** Notes in the turn that stores the messages that all up to this number are here. */
export function markImport(
  store: MessageStore,
  importId: string,
  sourceNumber: number,
  turn: TurnInProgress,
): void {
  store.imports.set(importId, sourceNumber);
  turn.events.push({ kind: 'import-marked', storeId: store.id, importId, sourceNumber });
}

/** The copy has ended: the next one takes everything again. */
export function endImport(store: MessageStore, importId: string, turn: TurnInProgress): void {
  if (!store.imports.delete(importId)) return;
  turn.events.push({ kind: 'import-ended', storeId: store.id, importId });
}

/** Forgets the copies whose messages are no longer here, because the store is emptied or deleted. */
export function forgetImports(store: MessageStore, turn: TurnInProgress): void {
  for (const importId of [...store.imports.keys()]) endImport(store, importId, turn);
}
