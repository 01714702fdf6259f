// Tries entities out: an emulator is started with them, in memory and on a free port, and stopped.

import type { RefusedProperty } from '../config/config-error.js';
import type { Entities } from '../config/configured-entities.js';
import { givenTopicOf } from '../config/configured-topic.js';
import type { Settings } from '../config/settings.js';
import { withPlace } from './refusal-place.js';
import type { StartContext } from './start-command.js';

export type TrialContext = {
  readonly startEmulator: StartContext['startEmulator'];
  /** Of what is refused. */
  readonly placeOf: (refused: RefusedProperty) => string | undefined;
};

/** What a tier does not have, and what cannot be forwarded to, is told by nobody but an emulator. Throws what it throws. */
export async function tryOut(
  { queues, topics }: Entities,
  { tier, limits }: Settings,
  { startEmulator, placeOf }: TrialContext,
): Promise<void> {
  const starting = startEmulator({ tier, limits, queues, topics: topics.map(givenTopicOf) });
  const emulator = await starting.catch((error) => {
    throw withPlace(error, placeOf);
  });
  await emulator.stop();
}
