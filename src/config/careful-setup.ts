// Sets up configured entities where others are kept: on a copy first, so that a start that is refused changes nothing.

import type { StoredEvent } from '../broker/event.js';
import type { Limits } from '../broker/limits.js';
import type { Entities } from './configured-entities.js';
import { type Ask, EntitySetup } from './entity-setup.js';
import { storedEntities } from './stored-entities.js';

export type CarefulSetup = {
  readonly ask: Ask;
  readonly limits: Limits;
  /** A broker of its own, with these entities. */
  readonly copyOf: (stored: readonly StoredEvent[]) => Ask;
};

/** Throws what EntitySetup throws. */
export async function setUpCarefully(
  entities: Entities,
  { ask, limits, copyOf }: CarefulSetup,
): Promise<void> {
  const copy = copyOf(await storedEntities(ask));
  await new EntitySetup(copy, limits).carryOut(entities);
  await new EntitySetup(ask, limits).carryOut(entities);
}
