// Tokens as Entra issues them: makes the emulator's own, and looks whether one that comes is such a token and still good.

import type { AccessRight } from '../broker/entity/authorization-rule.js';
import { type Refusal, refusal } from './access.js';
import { DATA_OWNER, rightsOfRoles } from './entra-roles.js';
import { renewed } from './renewed.js';
import { openSigningKey, type SigningKey } from './signing-key.js';

export type EntraTokensOptions = {
  /** Where the signing key is kept; undefined: in memory, and tokens end with the emulator. */
  readonly keyFile?: string;
  /** Told that the key cannot be kept. */
  readonly tell?: (text: string) => void;
};

export type TokenRequest = {
  /** What the token is for, as the program asked for it. */
  readonly audience: string;
  readonly clientId?: string | undefined;
  readonly lifetimeMs: number;
  /** Default: `Azure Service Bus Data Owner`. */
  readonly roles?: readonly string[];
};

export type IssuedToken = { readonly text: string; readonly expiresAtMs: number };

export type EntraAccess = {
  readonly kind: 'entra-access';
  readonly rights: readonly AccessRight[];
  readonly expiresAtMs: number;
};

/** The public half of the signing key, as a JSON Web Key Set has it. */
export type PublicKeySet = { readonly keys: readonly Readonly<Record<string, unknown>>[] };

export const ISSUER = 'https://jitney.localhost/adfs';
/** Of a program that names no identity of its own. */
export const DEFAULT_CLIENT_ID = '00000000-0000-0000-0000-000000000001';
const TENANT_ID = '00000000-0000-0000-0000-000000000002';
const ALGORITHM = 'ES256';
/** The JavaScript SDK asks for the scope `https://servicebus.azure.net//.default`. */
const AUDIENCE = /^https:\/\/servicebus\.azure\.net\/{0,2}$/i;
/** Three parts in base64url. */
const JSON_WEB_TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const SECOND_MS = 1000;
/** As Entra does: a clock that is a little behind must not find the token too young. */
const BACKDATED_MS = 5 * 60 * SECOND_MS;

export function isJsonWebToken(text: string): boolean {
  return JSON_WEB_TOKEN.test(text);
}

export class EntraTokens {
  readonly #signingKey: () => Promise<SigningKey>;

  constructor({ keyFile, tell }: EntraTokensOptions = {}) {
    this.#signingKey = renewed(() => openSigningKey(keyFile, tell));
  }

  async issue(request: TokenRequest, nowMs: number): Promise<IssuedToken> {
    const [{ SignJWT }, { privateKey }] = await Promise.all([import('jose'), this.#signingKey()]);
    const { audience, clientId = DEFAULT_CLIENT_ID, lifetimeMs, roles = [DATA_OWNER] } = request;
    const expiresAt = Math.floor((nowMs + lifetimeMs) / SECOND_MS);
    const notBefore = Math.floor((nowMs - BACKDATED_MS) / SECOND_MS);
    const names = { appid: clientId, oid: clientId, sub: clientId, tid: TENANT_ID };
    const text = await new SignJWT({ ...names, roles, ver: '1.0' })
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid: ALGORITHM })
      .setIssuer(ISSUER)
      .setAudience(audience)
      .setIssuedAt(notBefore)
      .setNotBefore(notBefore)
      .setExpirationTime(expiresAt)
      .sign(privateKey);
    return { text, expiresAtMs: expiresAt * SECOND_MS };
  }

  async publicKeys(): Promise<PublicKeySet> {
    const { publicKey } = await this.#signingKey();
    return { keys: [{ ...publicKey.export({ format: 'jwk' }), use: 'sig', alg: ALGORITHM, kid: ALGORITHM }] };
  }

  /** Only tokens of our own are good: there is no network to ask for the keys of others. */
  async verify(text: string, nowMs: number): Promise<EntraAccess | Refusal> {
    const [jose, { publicKey }] = await Promise.all([import('jose'), this.#signingKey()]);
    try {
      const { payload } = await jose.jwtVerify(text, publicKey, {
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        requiredClaims: ['aud', 'exp'],
        currentDate: new Date(nowMs),
      });
      if (!isForServiceBus(payload.aud)) {
        return refusal('InvalidAudience', "The token is not for 'https://servicebus.azure.net'.");
      }
      const expiresAtMs = (payload.exp ?? 0) * SECOND_MS;
      return { kind: 'entra-access', rights: rightsOfRoles(textsIn(payload.roles)), expiresAtMs };
    } catch (error) {
      if (error instanceof jose.errors.JOSEError) return refusalFor(error);
      throw error;
    }
  }
}

function isForServiceBus(audience: unknown): boolean {
  return (Array.isArray(audience) ? textsIn(audience) : textsIn([audience])).some((each) =>
    AUDIENCE.test(each),
  );
}

function textsIn(values: unknown): readonly string[] {
  return Array.isArray(values) ? values.filter((value) => typeof value === 'string') : [];
}

/** In words of our own: those of the library may repeat what is in the token. */
function refusalFor(error: { readonly code: string; readonly claim?: unknown }): Refusal {
  switch (error.code) {
    case 'ERR_JWT_EXPIRED':
      return refusal('ExpiredToken', 'The token is expired.');
    case 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED':
    case 'ERR_JOSE_ALG_NOT_ALLOWED':
      return refusal('InvalidSignature', 'The token has an invalid signature.');
    case 'ERR_JWT_CLAIM_VALIDATION_FAILED':
      return refusalForClaim(error.claim);
    default:
      return refusal('MalformedToken', 'It is not a JSON Web Token.');
  }
}

function refusalForClaim(claim: unknown): Refusal {
  switch (claim) {
    case 'iss':
      return refusal('InvalidIssuer', `The token was not issued by this emulator, which is '${ISSUER}'.`);
    case 'nbf':
      return refusal('TokenNotYetValid', 'The token is not valid yet.');
    case 'aud':
      return refusal('InvalidAudience', "The token is not for 'https://servicebus.azure.net'.");
    default:
      return refusal('MalformedToken', 'The token lacks a claim, such as the time it expires.');
  }
}
