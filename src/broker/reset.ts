// Empties everything. It is no command of a single handler, because it ends transactions.

import type { Result } from './contract/result.js';
import { purgeStores } from './control/purge.js';
import { rollBackAll } from './transactions/discharge.js';
import type { BrokerParts } from './turn/broker-parts.js';
import type { TurnInProgress } from './turn/turn-in-progress.js';

export function reset(parts: BrokerParts, turn: TurnInProgress): Result {
  rollBackAll('The emulator was reset.', parts, turn);
  return purgeStores([...parts.namespace.stores()], parts, turn);
}
