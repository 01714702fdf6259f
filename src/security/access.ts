// What a client may do, as a token or a key has shown it: a claim; or why it has shown nothing: a refusal.

import type { AccessRight } from '../broker/entity/authorization-rule.js';
import { entityNameOf, isWithin, pathKey } from './resource-path.js';

export type Claim = {
  readonly kind: 'claim';
  /** What it opens, with all that is below; as `pathKey` writes it. */
  readonly path: string;
  /** Of a policy of one entity: no further than this queue or topic, whatever else has a name below its name. */
  readonly entityName: string | undefined;
  readonly rights: readonly AccessRight[];
  /** Milliseconds since 1970; infinite when it does not end. */
  readonly expiresAtMs: number;
};

export type RefusalCode =
  | 'MalformedToken'
  | 'InvalidSignature'
  | 'ExpiredToken'
  | 'InvalidAudience'
  | 'InvalidIssuer'
  | 'TokenNotYetValid';

/** The text never has a key, a signature or a token in it. */
export type Refusal = { readonly kind: 'refusal'; readonly code: RefusalCode; readonly text: string };

export function refusal(code: RefusalCode, sentence: string): Refusal {
  return { kind: 'refusal', code, text: `${code}: ${sentence}` };
}

/** `path` as a link or a request names it. */
export function opens(claim: Claim, right: AccessRight, path: string): boolean {
  return claim.rights.includes(right) && reaches(claim, path);
}

/** Whether it says anything of that path. */
export function reaches({ path: outer, entityName }: Claim, path: string): boolean {
  const key = pathKey(path);
  return isWithin(key, outer) && (entityName === undefined || entityNameOf(key) === entityName);
}
