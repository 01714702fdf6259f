// The records that failures of matchers have shown, so that the end of a failed test does not repeat them.

import type { Emulator } from '../emulator.js';
import { type EntityLook, LOOK } from '../inspect/entity-look.js';
import type { ActivityRecord } from '../watch/activity-record.js';

const shown = new WeakMap<EntityLook['emulator'], Set<number>>();

/** The ids of the records of an entity whose last ones a failure shows. */
export function noteShown({ emulator }: EntityLook, records: readonly ActivityRecord[]): void {
  const ids = shown.get(emulator) ?? new Set();
  shown.set(emulator, ids);
  for (const { id } of records) ids.add(id);
}

/** The ids of the records that were noted. */
export function shownIdsOf(emulator: Emulator): ReadonlySet<number> {
  // Any handle leads to what matchers see of the emulator.
  const { [LOOK]: look } = emulator.queue('any') as unknown as { readonly [LOOK]: EntityLook };
  return shown.get(look.emulator) ?? new Set();
}
