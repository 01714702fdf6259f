// The shared access policies of the namespace: read from a line such as `sender=Send:its key`, or given by a program as objects.

import {
  ACCESS_RIGHTS,
  type AccessRight,
  describeAuthorizationRule,
  problemOfAuthorizationRules,
} from '../broker/contract/entities/authorization-rule.js';
import { oneOf } from '../description/property-values.js';
import { ValueError } from '../description/value-error.js';
import { JitneyError } from '../jitney-error.js';
import type { GivenPolicy } from './given-entities.js';
import { isText, mustBe, mustBeOneOf } from './options/option-types.js';

export const POLICIES = {
  given: 'list',
  typescript: 'readonly GivenPolicy[]',
  read: (specs: readonly string[]): readonly GivenPolicy[] | undefined =>
    specs.length === 0 ? undefined : specs.map(parsePolicySpec),
  missing: undefined,
  check: checkPolicies,
  // Without their keys, which are secrets.
  show: (policies: readonly GivenPolicy[] | undefined) =>
    policies?.map(({ keyName, rights }) => `${keyName}=${rights.join('+')}`).join(',') ?? null,
} as const;

const SPEC = /^([^=:+]+)=([A-Za-z+]+):(.+)$/;

/** Manage implies Send and Listen. Throws a ValueError that does not show the key. */
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

/** Policies of the namespace obey the rules for policies of an entity (LIM-13). */
function checkPolicies(name: string, policies: unknown): void {
  mustBe('an array of policies', Array.isArray)(name, policies);
  const given: readonly GivenPolicy[] = Array.isArray(policies) ? policies : [];
  for (const policy of given) {
    const isPolicy = isText(policy?.keyName) && isText(policy.primaryKey) && Array.isArray(policy.rights);
    // The error shows only the name, because the keys are secrets.
    const expected = "have a keyName, a primaryKey and rights, such as ['Send']";
    if (!isPolicy) throw new JitneyError('bad-option', `each of policies must ${expected}`);
    const right = policy.rights.find((one) => !ACCESS_RIGHTS.includes(one));
    if (right !== undefined) mustBeOneOf(ACCESS_RIGHTS)(`a right of policy '${policy.keyName}'`, right);
  }
  const problem = problemOfAuthorizationRules(
    given.map(({ keyName, ...policy }) => describeAuthorizationRule(keyName, policy)),
  );
  if (problem !== undefined) throw new JitneyError('bad-option', `policies ${problem}`);
}
