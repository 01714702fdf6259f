// Empties everything. It is no command of a single handler, because it ends transactions.

import type { BrokerParts } from '../broker-parts.js';
import type { Result } from '../result.js';
import { rollBackAll } from '../transactions/discharge.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { purgeStores } from './purge.js';

export function reset(parts: BrokerParts, turn: TurnInProgress): Result {
  rollBackAll('The emulator was reset.', parts, turn);
  return purgeStores([...parts.namespace.stores()], parts, turn);
}
