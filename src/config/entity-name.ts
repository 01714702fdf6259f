// Whether a text can be the name of a queue (ENT-01).

import { MAX_NAME_LENGTH, NAME_PATTERN } from '../broker/entity/queue-limits.js';
import { shown, ValueError } from './value-error.js';

/** The name itself; throws a ValueError. */
export function checkEntityName(name: string): string {
  if (name.length > MAX_NAME_LENGTH) {
    throw new ValueError(
      `must be a name of at most ${MAX_NAME_LENGTH} characters, and it has ${name.length}`,
    );
  }
  if (!NAME_PATTERN.test(name)) {
    throw new ValueError(
      'must be a name of letters, digits, "-", "_", ".", "~" and "/" that starts and ends with a letter or digit, ' +
        `not ${shown(name)}`,
    );
  }
  return name;
}
