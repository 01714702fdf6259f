// Reads a list of authorization rules in the form of Config.json, of the SDK or of the broker (LIM-13).

import {
  ACCESS_RIGHTS,
  type AccessRight,
  type AuthorizationRule,
  describeAuthorizationRule,
  MAX_KEY_LENGTH,
} from '../broker/contract/entities/authorization-rule.js';
import { oneOf } from './property-values.js';
import { suggestion } from './suggestion.js';
import { readAllParts, shown, ValueError, within } from './value-error.js';

/** Config.json writes these keys with a capital letter. The SDK calls `rights` `accessRights`. */
const TEXT_KEYS = [
  'primaryKey',
  'secondaryKey',
  'claimType',
  'claimValue',
  'createdTime',
  'modifiedTime',
] as const;
const KEYS = ['keyName', 'rights', 'accessRights', ...TEXT_KEYS] as const;
type Key = (typeof KEYS)[number];

/** The value of each key, and the key as the user wrote it. */
type Given = ReadonlyMap<Key, { readonly key: string; readonly value: unknown }>;

/** Throws a ValueError with all problems, each with its position in the list. */
export function readAuthorizationRules(given: unknown): readonly AuthorizationRule[] {
  if (!Array.isArray(given)) {
    throw new ValueError(
      `must be a list of rules such as {"KeyName":"sender","Rights":["Send"]}, not ${shown(given)}`,
    );
  }
  const rules = readAllParts(given.map((rule, index) => () => within(index, () => readRule(rule))));
  const keys = rules.map(({ keyName }) => keyName.toLowerCase());
  rules.forEach(({ keyName }, index) => {
    const first = keys.indexOf(keyName.toLowerCase());
    if (first === index) return;
    const text = `repeats the name ${shown(keyName)} of [${first}]: give it another name (case does not count)`;
    within(index, () => fail(text));
  });
  return rules;
}

function readRule(given: unknown): AuthorizationRule {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return fail(`must be a rule such as {"KeyName":"sender","Rights":["Send"]}, not ${shown(given)}`);
  }
  const values = byKey(given);
  const parts = readAllParts<Partial<AuthorizationRule>>([
    () => ({ keyName: readKeyName(values) }),
    () => ({ rights: readRights(values) }),
    ...TEXT_KEYS.map((key) => () => readText(values, key)),
  ]);
  const { keyName = '', ...more }: Partial<AuthorizationRule> = Object.assign({}, ...parts);
  return describeAuthorizationRule(keyName, more);
}

/**
 * Indexes a rule by key. Nulls are left out, because .NET writes them for missing values. An unknown key is an error and not a warning,
 * because a misspelt `PrimaryKey` would leave the rule without its key.
 */
function byKey(given: object): Given {
  const known = readAllParts(
    Object.entries(given).map(([key, value]) => () => {
      const name = KEYS.find((one) => one.toLowerCase() === key.toLowerCase());
      if (name === undefined) return within(key, () => fail(`is not known.${suggestion(key, KEYS)}`));
      return [name, { key, value }] as const;
    }),
  );
  return new Map(known.filter(([, { value }]) => value !== undefined && value !== null));
}

function readKeyName(values: Given): string {
  const { key, value } = values.get('keyName') ?? fail('must have a KeyName');
  return within(key, () => {
    if (typeof value !== 'string' || value === '' || value.length > MAX_KEY_LENGTH) {
      return fail(`must be a text of 1 to ${MAX_KEY_LENGTH} characters, not ${shown(value)}`);
    }
    return value;
  });
}

/** Returns the rights in the order of `ACCESS_RIGHTS`, each once. */
function readRights(values: Given): readonly AccessRight[] {
  const found = values.get('rights') ?? values.get('accessRights');
  const { key, value } = found ?? fail(`must have Rights, a list of ${ACCESS_RIGHTS.join(', ')}`);
  return within(key, () => {
    if (!Array.isArray(value) || value.length === 0) {
      return fail(`must be a list of ${ACCESS_RIGHTS.join(', ')}, not ${shown(value)}`);
    }
    const rights = readAllParts(
      value.map((right, index) => () => within(index, () => oneOf(right, ACCESS_RIGHTS))),
    );
    if (rights.includes('Manage') && new Set(rights).size < ACCESS_RIGHTS.length) {
      return fail(`must have Send and Listen together with Manage, as Azure requires, not ${shown(value)}`);
    }
    return ACCESS_RIGHTS.filter((right) => rights.includes(right));
  });
}

function readText(values: Given, name: (typeof TEXT_KEYS)[number]): Partial<AuthorizationRule> {
  const found = values.get(name);
  if (found === undefined) return {};
  const { key, value } = found;
  return within(key, () => {
    if (typeof value !== 'string') return fail(`must be a text, not ${shown(value)}`);
    if (value.length > MAX_KEY_LENGTH) {
      return fail(`must be at most ${MAX_KEY_LENGTH} characters long, but it has ${value.length}`);
    }
    return { [name]: value };
  });
}

function fail(text: string): never {
  throw new ValueError(text);
}
