// Messages read whole by their numbers, some at a time.

import type { RawMessageAnswer } from '../../../http/control/control-schemas.js';
import { ApiError, get } from '../../state/api.js';
import { type Place, storeOf } from './read-messages.js';

/** Looks at a time. */
const AT_ONCE = 8;

/** Reads the messages until the signal ends it; those that are gone are left out. Throws an ApiError for any that may still be there. */
export async function* storedMessages(
  place: Place,
  numbers: readonly number[],
  signal: AbortSignal,
): AsyncGenerator<readonly RawMessageAnswer[]> {
  const entity = storeOf(place);
  for (let at = 0; at < numbers.length && !signal.aborted; at += AT_ONCE) {
    const looks = numbers.slice(at, at + AT_ONCE).map(async (number) => {
      try {
        return [await get<RawMessageAnswer>(`messages/${number}`, { entity }, signal)];
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return [];
        throw error;
      }
    });
    yield (await Promise.all(looks)).flat();
  }
}
