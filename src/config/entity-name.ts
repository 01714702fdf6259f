// Whether a text can be the name of a queue (ENT-01).

import { shown, ValueError } from './value-error.js';

const LONGEST_NAME = 260;
/** `~` is not in Azure's documentation, but its portal and Terraform take it. */
const NAME = /^[A-Za-z0-9](?:[\w\-./~]*[A-Za-z0-9])?$/;

/** The name itself; throws a ValueError. */
export function checkEntityName(name: string): string {
  if (name.length > LONGEST_NAME) {
    throw new ValueError(`must be a name of at most ${LONGEST_NAME} characters, and it has ${name.length}`);
  }
  if (!NAME.test(name)) {
    throw new ValueError(
      'must be a name of letters, digits, "-", "_", ".", "~" and "/" that starts and ends with a letter or digit, ' +
        `not ${shown(name)}`,
    );
  }
  return name;
}
