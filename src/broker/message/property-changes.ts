// What was set on a message since it was sent: application properties by settlements (SET-07).

import type { PropertyChange } from './message-properties.js';

/** Each change replaces an earlier one of the same name. */
export function mergeChanges(
  earlier: readonly PropertyChange[],
  later: readonly PropertyChange[],
): readonly PropertyChange[] {
  const byName = new Map<string, PropertyChange>();
  for (const change of [...earlier, ...later]) byName.set(change.name, change);
  return [...byName.values()];
}

/** Names and values together; of texts their length in characters. */
export function bytesOfChanges(changes: readonly PropertyChange[]): number {
  return changes.reduce((sum, { name, value }) => sum + name.length + (value?.length ?? 0), 0);
}
