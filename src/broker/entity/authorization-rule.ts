// Who may do what with an entity, by the name of a key (LIM-13). Kept and shown here; whether it is asked for is not the broker's job.

import { ServiceBusError } from '../service-bus-error.js';

export const ACCESS_RIGHTS = ['Manage', 'Send', 'Listen'] as const;
export type AccessRight = (typeof ACCESS_RIGHTS)[number];

export type AuthorizationRule = {
  readonly keyName: string;
  /** In the order of `ACCESS_RIGHTS`; who may manage may also send and listen. */
  readonly rights: readonly AccessRight[];
  /** Empty: none, which opens nothing. */
  readonly primaryKey: string;
  readonly secondaryKey: string;
  /** `SharedAccessKey` and `None` of every rule that the SDKs make. */
  readonly claimType: string;
  readonly claimValue: string;
  /** When its client says that it was made and changed, in its own words, which mean nothing here. */
  readonly createdTime?: string;
  readonly modifiedTime?: string;
};

export const MAX_KEY_LENGTH = 256;

/** A rule as the service makes it, when a name and rights are all that is given. */
export function describeAuthorizationRule(
  keyName: string,
  given: Partial<Omit<AuthorizationRule, 'keyName'>> = {},
): AuthorizationRule {
  return {
    keyName,
    rights: [],
    primaryKey: '',
    secondaryKey: '',
    claimType: 'SharedAccessKey',
    claimValue: 'None',
    ...given,
  };
}

/** Every namespace is born with this one; its key is that of the official emulator, and no secret. */
export const ROOT_RULE = describeAuthorizationRule('RootManageSharedAccessKey', {
  rights: ACCESS_RIGHTS,
  primaryKey: 'SAS_KEY_VALUE',
});

/** LIM-13: however many. Undefined when such rules may be; else what is wrong, to be put behind the name of what has them. */
export function problemOfAuthorizationRules(rules: readonly AuthorizationRule[]): string | undefined {
  const names = new Set<string>();
  for (const { keyName, rights, primaryKey, secondaryKey } of rules) {
    if (keyName === '' || keyName.length > MAX_KEY_LENGTH) {
      return `has an authorization rule named '${keyName}'; a name has 1 to ${MAX_KEY_LENGTH} characters`;
    }
    if (names.has(keyName.toLowerCase())) return `has two authorization rules named '${keyName}'`;
    names.add(keyName.toLowerCase());
    if (rights.length === 0) {
      return `has an authorization rule '${keyName}' without rights; give it ${ACCESS_RIGHTS.join(', ')}`;
    }
    if (rights.includes('Manage') && rights.length < ACCESS_RIGHTS.length) {
      return `has an authorization rule '${keyName}' with Manage alone; it needs Send and Listen as well`;
    }
    if (primaryKey.length > MAX_KEY_LENGTH || secondaryKey.length > MAX_KEY_LENGTH) {
      return `has a key of more than ${MAX_KEY_LENGTH} characters in its authorization rule '${keyName}'`;
    }
  }
  return undefined;
}

/** Throws argument. */
export function checkAuthorizationRules(
  rules: readonly AuthorizationRule[],
  what: string,
  name: string,
): void {
  const problem = problemOfAuthorizationRules(rules);
  if (problem === undefined) return;
  const data = { entityPath: name, property: 'authorizationRules' };
  throw new ServiceBusError('argument', `${what} '${name}' ${problem}.`, data);
}
