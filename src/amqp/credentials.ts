// Checks who a client is before its connection opens: by the key of a policy, or by a token in its place.

import type { ShownKey } from '../security/access.js';
import type { Authorizer } from '../security/authorizer.js';
import { keyOfToken } from '../security/sas-token.js';
import type { ConnectionClaims } from './connection-claims.js';
import type { Identity } from './protocol/handshake.js';

/** The user of azure-servicebus-jms whose password is a token: one of Entra, or whatever its credential gives. */
const TOKEN_USER = '$jwt';

/** The key by which a client is identified; undefined if it has none. */
export function shownKeyOf(identity: Identity): ShownKey | undefined {
  if (identity.mechanism !== 'PLAIN') return undefined;
  const { name, password } = identity;
  return name === TOKEN_USER ? keyOfToken(password) : { keyName: name, password };
}

export type Credentials = {
  readonly authorizer: Authorizer | undefined;
  readonly claims: ConnectionClaims | undefined;
  readonly nowMs: number;
};

/** A client that names a policy must have its key. All others must put a token to `$cbs`. */
export function isKnown(identity: Identity, credentials: Credentials): boolean | Promise<boolean> {
  const { authorizer, claims } = credentials;
  if (identity.mechanism !== 'PLAIN' || authorizer === undefined) return true;
  if (identity.name === TOKEN_USER) return isGoodToken(identity.password, authorizer, credentials);
  const claim = authorizer.checkKey(identity.name, identity.password);
  if (claim.kind === 'refusal') return false;
  claims?.authenticated(claim);
  return true;
}

/** JMS-89: a token in place of a key is valid until it expires, as if it had been put to `$cbs` for the resource that it names. */
async function isGoodToken(
  token: string,
  authorizer: Authorizer,
  { claims, nowMs }: Credentials,
): Promise<boolean> {
  const claim = await authorizer.check({ token }, nowMs);
  return claim.kind === 'claim' && claims?.put(claim) !== false;
}

/** An anonymous client is identified later, by a token. */
export function isIdentified({ mechanism }: Identity): boolean {
  return mechanism === 'PLAIN' || mechanism === 'EXTERNAL';
}
