// The named keys of an entity and the rights they grant (LIM-13). The broker only stores them; `security/` enforces them.

import { ServiceBusError } from '../service-bus-error.js';

export const ACCESS_RIGHTS = ['Manage', 'Send', 'Listen'] as const;
export type AccessRight = (typeof ACCESS_RIGHTS)[number];

export type AuthorizationRule = {
  readonly keyName: string;
  /** In the order of `ACCESS_RIGHTS`. Manage requires Send and Listen as well. */
  readonly rights: readonly AccessRight[];
  /** Empty: no key, which grants no access. */
  readonly primaryKey: string;
  readonly secondaryKey: string;
  /** The SDKs always send `SharedAccessKey` and `None`. */
  readonly claimType: string;
  readonly claimValue: string;
  /** Times as the client sent them; the broker does not interpret them. */
  readonly createdTime?: string;
  readonly modifiedTime?: string;
};

export const MAX_KEY_LENGTH = 256;

/** A rule with the service's defaults for everything that is not given. */
export function describeAuthorizationRule(
  keyName: string,
  properties: Partial<Omit<AuthorizationRule, 'keyName'>> = {},
): AuthorizationRule {
  return {
    keyName,
    rights: [],
    primaryKey: '',
    secondaryKey: '',
    claimType: 'SharedAccessKey',
    claimValue: 'None',
    ...properties,
  };
}

/** The rule that every new namespace has. Its key is the official emulator's and not a secret. */
export const ROOT_RULE = describeAuthorizationRule('RootManageSharedAccessKey', {
  rights: ACCESS_RIGHTS,
  primaryKey: 'SAS_KEY_VALUE',
});

/** The first problem of the rules, as a clause to follow the entity's name, or undefined. LIM-13: any number of rules is allowed. */
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

/** Throws argument for the first problem. */
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
