// Reads which namespace a request names: in its path, or by the key of its token.

import type { ShownKey } from '../security/access.js';
import { keyOfToken } from '../security/sas-token.js';
import { readToken } from './authorization-header.js';

/** The calls of the control interface for one namespace: `/$jitney/v1/namespaces/tests-1/entities`. */
const PATH = /^\/(?:\$|%24)jitney\/v1\/namespaces\/([^/?]+)\/[^?]/i;
/** Only such a key can choose a namespace: with `@`, encoded once or twice. Most tokens have none, and need not be read for it. */
const CHOOSING = /\bskn=[^&]*(?:@|%(?:25)?40)/i;

/** The key that has signed the token of a request; undefined if its name cannot choose a namespace. */
export function shownKeyIn(authorization: string | null | undefined): ShownKey | undefined {
  if (!authorization || !CHOOSING.test(authorization)) return undefined;
  const token = readToken(authorization);
  return token === undefined ? undefined : keyOfToken(token);
}

/** The namespace in the path of a request, in lower case. */
export function namespaceInPath(url: string): string | undefined {
  return PATH.exec(url)?.[1]?.toLowerCase();
}
