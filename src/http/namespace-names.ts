// Reads which namespace a request names: in its path, or by the key of its token.

import { readSasToken } from '../security/sas-token.js';
import { readToken } from './authorization-header.js';

/** The calls of the control interface for one namespace: `/$jitney/v1/namespaces/tests-1/entities`. */
const PATH = /^\/(?:\$|%24)jitney\/v1\/namespaces\/([^/?]+)\/[^?]/i;
/** Only such a key can choose a namespace: with `@`, encoded once or twice. Most tokens have none, and need not be read for it. */
const CHOOSING = /\bskn=[^&]*(?:@|%(?:25)?40)/i;

/** The name of the key that has signed the token of a request; undefined if that cannot choose a namespace. */
export function keyNameIn(authorization: string | null | undefined): string | undefined {
  if (!authorization || !CHOOSING.test(authorization)) return undefined;
  const token = readToken(authorization);
  const read = token === undefined ? undefined : readSasToken(token);
  return read?.kind === 'sas-token' ? read.keyName : undefined;
}

/** The namespace in the path of a request, in lower case. */
export function namespaceInPath(url: string): string | undefined {
  return PATH.exec(url)?.[1]?.toLowerCase();
}
