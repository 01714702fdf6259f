// The result of checking a token or a key: a claim with its rights, or a refusal. Also the text for a client that lacks a right.

import type { AccessRight } from '../broker/contract/entities/authorization-rule.js';
import { entityNameOf, isWithin, pathKey } from './resource-path.js';

/** An error text repeats so many characters of a client's path. */
const MAX_PATH_LENGTH = 500;

export type Claim = {
  readonly kind: 'claim';
  /** The path that the claim covers, with everything below it, as `pathKey` writes it. */
  readonly path: string;
  /** Set for a policy of one entity: the claim covers only this queue or topic, and no entity whose name extends its name. */
  readonly entityName: string | undefined;
  readonly rights: readonly AccessRight[];
  /** Milliseconds since 1970, or infinity. */
  readonly expiresAtMs: number;
};

/** A key as a client shows it: by its name, with a token that it has signed or as a password. */
export type ShownKey = {
  readonly keyName: string;
  readonly token?: string;
  readonly password?: string;
};

type RefusalCode =
  | 'MalformedToken'
  | 'InvalidSignature'
  | 'ExpiredToken'
  | 'InvalidAudience'
  | 'InvalidIssuer'
  | 'TokenNotYetValid';

/** The text never contains a key, a signature or a token. */
export type Refusal = { readonly kind: 'refusal'; readonly code: RefusalCode; readonly text: string };

export function refusal(code: RefusalCode, sentence: string): Refusal {
  return { kind: 'refusal', code, text: `${code}: ${sentence}` };
}

/** Whether a claim gives a right on a path, as a link or a request names it. */
export function opens(claim: Claim, right: AccessRight, path: string): boolean {
  return claim.rights.includes(right) && reaches(claim, path);
}

/** Whether a path lies within a claim, whatever its rights. */
function reaches({ path: outer, entityName }: Claim, path: string): boolean {
  const key = pathKey(path);
  return isWithin(key, outer) && (entityName === undefined || entityNameOf(key) === entityName);
}

/** The error text for missing rights, in the service's own wording, which people search for. */
export function lackingRights(rights: readonly AccessRight[], host: string, path: string): string {
  const resource = `sb://${host.toLowerCase()}/${pathKey(path)}`.slice(0, MAX_PATH_LENGTH);
  return `Unauthorized access. '${rights.join(',')}' claim(s) are required to perform this operation. Resource: '${resource}'.`;
}
