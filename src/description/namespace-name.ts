// The names of namespaces, and how the name of a key chooses one: `<policy>@<namespace>`.

import { ValueError } from './value-error.js';

/** The namespace of clients that choose none. It is always there. */
export const DEFAULT_NAMESPACE = 'default';
/** The word that stands for every other name in a list of namespaces. */
export const ANY_NAMESPACE = 'auto';

const NAME = /^[a-z\d][\w-]{0,49}$/i;
const RULE = 'a name has 1 to 50 letters, digits, hyphens and underscores, and begins with a letter or digit';

export function isNamespaceName(name: string): boolean {
  return NAME.test(name);
}

/** The name in the form in which names are compared. Throws a ValueError that begins with "must". */
export function readNamespaceName(name: string): string {
  if (NAME.test(name)) return name.toLowerCase();
  throw new ValueError(`must be the name of a namespace, not ${JSON.stringify(name.slice(0, 100))}: ${RULE}`);
}

/** The name of a policy, and the namespace that it chooses; undefined if it chooses none. */
export type KeyName = { readonly policy: string; readonly namespace: string | undefined };

/**
 * Splits at the last `@`. If what follows cannot be the name of a namespace, it belongs to the policy's name. The Python SDK encodes the name
 * of a key twice, so that one `%40` is left.
 */
export function splitKeyName(keyName: string): KeyName {
  const plain = keyName.replaceAll('%40', '@');
  const at = plain.lastIndexOf('@');
  const name = plain.slice(at + 1);
  if (at < 1 || !NAME.test(name)) return { policy: keyName, namespace: undefined };
  return { policy: plain.slice(0, at), namespace: name.toLowerCase() };
}

/** The name by which clients choose the policy in this namespace. */
export function joinKeyName(policy: string, namespace: string): string {
  return namespace === DEFAULT_NAMESPACE ? policy : `${policy}@${namespace}`;
}
