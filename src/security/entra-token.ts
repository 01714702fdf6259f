// Entra tokens: issues and signs the emulator's own tokens, and verifies tokens that clients send.

import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { dirname } from 'node:path';
import { ACCESS_RIGHTS, type AccessRight } from '../broker/contract/entities/authorization-rule.js';
import { isOfKind } from '../jitney-error.js';
import { type Refusal, refusal } from './access.js';
import { newKeyPem } from './certificate-authority.js';
import { createFile, makeFolder, readIfPresent } from './certificate-store.js';
import { memoizeAsync } from './memoize-async.js';

type EntraTokensOptions = {
  /** The file of the signing key. Without it, tokens are valid only until the emulator stops. */
  readonly keyFile?: string;
  /** Reports that the key cannot be written. */
  readonly warn?: (text: string) => void;
};

type TokenRequest = {
  /** The audience as the program requested it. */
  readonly audience: string;
  readonly clientId?: string | undefined;
  readonly lifetimeMs: number;
  /** Default: `Azure Service Bus Data Owner`. */
  readonly roles?: readonly string[];
};

type IssuedToken = { readonly text: string; readonly expiresAtMs: number };

type EntraAccess = {
  readonly kind: 'entra-access';
  readonly rights: readonly AccessRight[];
  readonly expiresAtMs: number;
};

/** A JSON Web Key Set with the public half of the signing key. */
type PublicKeySet = { readonly keys: readonly Readonly<Record<string, unknown>>[] };

export const DATA_OWNER = 'Azure Service Bus Data Owner';
export const DATA_SENDER = 'Azure Service Bus Data Sender';
export const DATA_RECEIVER = 'Azure Service Bus Data Receiver';

export const ISSUER = 'https://jitney.localhost/adfs';
/**
 * The path of the authority, whose tenant is `adfs`. Java, Python and Go look at its first segment as it is written: because it is ADFS,
 * they do not ask Entra about the host. JavaScript and .NET first resolve `..`. Then .NET believes that it is dSTS; for ADFS it would ask
 * port 443.
 */
export const AUTHORITY_PATH = '/adfs/../dstsv2/';
export const AUTHORITY_TENANT = 'adfs';
/** The client id of a program that names none. */
export const DEFAULT_CLIENT_ID = '00000000-0000-0000-0000-000000000001';
const TENANT_ID = '00000000-0000-0000-0000-000000000002';
const ALGORITHM = 'ES256';
/** Audiences of Service Bus. The JavaScript SDK requests the scope `https://servicebus.azure.net//.default`. */
const AUDIENCE = /^https:\/\/servicebus\.azure\.net\/{0,2}$/i;
const JSON_WEB_TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const SECOND_MS = 1000;
/** Like Entra's, tokens are valid from five minutes before now, for clocks that are a little behind. */
const BACKDATED_MS = 5 * 60 * SECOND_MS;

/** The rights of Azure's built-in roles for Service Bus data. */
const RIGHTS_OF_ROLES = new Map<string, readonly AccessRight[]>([
  [DATA_OWNER, ACCESS_RIGHTS],
  [DATA_SENDER, ['Send']],
  [DATA_RECEIVER, ['Listen']],
]);

export function isJsonWebToken(text: string): boolean {
  return JSON_WEB_TOKEN.test(text);
}

type SigningKey = { readonly privateKey: KeyObject; readonly publicKey: KeyObject };

export class EntraTokens {
  readonly #signingKey: () => Promise<SigningKey>;

  constructor({ keyFile, warn }: EntraTokensOptions = {}) {
    this.#signingKey = memoizeAsync(() => openSigningKey(keyFile, warn));
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

  /** Verifies a token. Only the emulator's own are accepted, because the keys of other issuers cannot be fetched. */
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

/** Refusals with our own texts, because the library's texts may repeat parts of the token. */
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

/** The rights of all roles together; an unknown role gives no rights. */
function rightsOfRoles(roles: readonly string[]): readonly AccessRight[] {
  return [...new Set(roles.flatMap((role) => RIGHTS_OF_ROLES.get(role) ?? []))];
}

/** Reads or creates the key in `file`, so that tokens outlive the emulator. Without a writable file, the key is only in memory. */
export async function openSigningKey(
  file: string | undefined,
  warn: (text: string) => void = () => {},
): Promise<SigningKey> {
  const pem =
    file === undefined ? newKeyPem() : ((await readIfPresent(file)) ?? (await createKey(file, warn)));
  const privateKey = readKey(pem, file);
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

/** Creates the key. If another emulator has just written the file, returns that key. */
async function createKey(file: string, warn: (text: string) => void): Promise<string> {
  const text = newKeyPem();
  try {
    await makeFolder(dirname(file));
    return await createFile({ path: file, text, isSecret: true });
  } catch (error) {
    if (!isOfKind(error, 'certificate-unwritable')) throw error;
    warn(`Tokens are valid only until this process ends: ${error.message}`);
    return text;
  }
}

function readKey(pem: string, file: string | undefined): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw new Error(
      `${file} does not hold a valid key. Delete it; tokens that were already issued are then refused`,
      {
        cause,
      },
    );
  }
}
