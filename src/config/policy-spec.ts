// A shared access policy of the namespace in one line of text: `sender=Send:its key`, `boss=Manage:its key`.

import { ACCESS_RIGHTS, type AccessRight } from '../broker/entity/authorization-rule.js';
import { oneOf } from '../description/property-values.js';
import { ValueError } from '../description/value-error.js';
import type { GivenPolicy } from './options.js';

const SPEC = /^([^=:+]+)=([A-Za-z+]+):(.+)$/;

/** Who may manage may send and listen, too. Throws a ValueError, which does not show the key. */
export function parsePolicySpec(spec: string): GivenPolicy {
  const [, keyName, names, primaryKey] = SPEC.exec(spec) ?? [];
  if (keyName === undefined || names === undefined || primaryKey === undefined) {
    throw new ValueError('must be a name, rights and a key, such as "sender=Send+Listen:its key"');
  }
  const rights = names.split('+').map((name) => oneOf(name, ACCESS_RIGHTS));
  return { keyName, rights: rights.includes('Manage') ? ACCESS_RIGHTS : inOrder(rights), primaryKey };
}

function inOrder(rights: readonly AccessRight[]): readonly AccessRight[] {
  return ACCESS_RIGHTS.filter((right) => rights.includes(right));
}
