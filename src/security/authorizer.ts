// Authorizes the clients of one namespace over every protocol: checks a token or a key and returns its claim, or a refusal.

import { ACCESS_RIGHTS, ROOT_RULE } from '../broker/contract/entities/authorization-rule.js';
import { splitKeyName } from '../description/namespace-name.js';
import { type Claim, type Refusal, refusal } from './access.js';
import {
  type AccessPolicy,
  type EntityPolicies,
  findPolicy,
  hasKey,
  isSameSecret,
  rightsOf,
} from './access-policy.js';
import { type EntraTokens, isJsonWebToken } from './entra-token.js';
import { entityNameOf, isWithin, pathKey, readResource } from './resource-path.js';
import { isSasToken, isSignedWith, readSasToken, type SasToken } from './sas-token.js';

/** `any` accepts every key and token, and logs a hint once for each kind of mistake that `strict` would refuse. */
export type AuthorizationMode = 'any' | 'strict';

type AuthorizerOptions = {
  readonly mode: AuthorizationMode;
  /** The policies of the namespace. Default: only the root rule. */
  readonly policies?: readonly AccessPolicy[];
  readonly entityPolicies: EntityPolicies;
  readonly entraTokens: EntraTokens;
  /** Called once for each kind of mistake. */
  readonly onHint: (hint: string) => void;
};

export type AccessRequest = {
  /** The token. Only its text decides its kind, because the Python SDK sends shared access signatures with the type `jwt`. */
  readonly token: string;
  /** The resource that the token should give access to: `sb://host/queue`. Default: the one that the token names, or else the namespace. */
  readonly audience?: string;
  /** The entity whose policies apply in addition to the namespace's. Default: the entity of the audience. */
  readonly entityPath?: string;
};

/** An Entra token has a few thousand characters. */
const MAX_TOKEN_LENGTH = 16 * 1024;
const MAX_AUDIENCE_LENGTH = 2048;
/** An error text repeats so many characters of a client's name. */
const MAX_NAME_LENGTH = 100;
/** azure-servicebus-jms takes everything after `SharedAccessKey=` in a connection string for the key. */
const EMULATOR_FIELD = /;UseDevelopmentEmulator=true;?$/i;
const WRONG_SIGNATURE = 'The token has an invalid signature.';

const EVERYTHING: Claim = {
  kind: 'claim',
  path: '',
  entityName: undefined,
  rights: ACCESS_RIGHTS,
  expiresAtMs: Number.POSITIVE_INFINITY,
};

export class Authorizer {
  readonly mode: AuthorizationMode;
  readonly #options: AuthorizerOptions;
  readonly #policies: readonly AccessPolicy[];
  readonly #hinted = new Set<string>();

  constructor(options: AuthorizerOptions) {
    this.mode = options.mode;
    this.#options = options;
    this.#policies = options.policies ?? [ROOT_RULE];
  }

  async check(request: AccessRequest, nowMs: number): Promise<Claim | Refusal> {
    if (this.mode === 'strict') return this.#checkStrictly(request, nowMs);
    // JSON Web Tokens are not checked: foreign ones cannot be, and so the library for them need not be loaded.
    if (!isJsonWebToken(request.token)) await this.#hintAbout(request, nowMs);
    return EVERYTHING;
  }

  /** Checks the name and key of SASL PLAIN, which must be of a policy of the namespace. The claim is valid for the whole connection. */
  checkKey(name: string, given: string): Claim | Refusal {
    const key = given.replace(EMULATOR_FIELD, '');
    const policy = findPolicy(this.#policies, splitKeyName(name).policy);
    const isKnown = policy !== undefined && hasKey(policy, (each) => isSameSecret(key, each));
    if (isKnown) return { ...EVERYTHING, rights: rightsOf(policy) };
    // The text leaves out the name, because some clients send the key instead of it.
    const wrong = refusal('InvalidSignature', 'There is no policy with this name and key.');
    if (this.mode === 'strict') return wrong;
    this.#hint(wrong, this.#isPolicyName(name) ? `a key for policy '${name}'` : 'a key');
    return EVERYTHING;
  }

  async #checkStrictly(request: AccessRequest, nowMs: number): Promise<Claim | Refusal> {
    const { token, audience = '' } = request;
    if (token.length > MAX_TOKEN_LENGTH) {
      return refusal(
        'MalformedToken',
        `The token has ${token.length} characters; ${MAX_TOKEN_LENGTH} is the limit.`,
      );
    }
    if (audience.length > MAX_AUDIENCE_LENGTH) {
      return refusal(
        'InvalidAudience',
        `The audience has ${audience.length} characters; ${MAX_AUDIENCE_LENGTH} is the limit.`,
      );
    }
    if (isSasToken(token)) return this.#checkSas(request, nowMs);
    if (isJsonWebToken(token)) return this.#checkEntra(token, audience, nowMs);
    return refusal(
      'MalformedToken',
      "It neither begins with 'SharedAccessSignature ' nor is a JSON Web Token of three parts with dots between them.",
    );
  }

  async #checkEntra(text: string, audience: string, nowMs: number): Promise<Claim | Refusal> {
    const access = await this.#options.entraTokens.verify(text, nowMs);
    if (access.kind === 'refusal') return access;
    const { rights, expiresAtMs } = access;
    return { kind: 'claim', path: readResource(audience).path, entityName: undefined, rights, expiresAtMs };
  }

  /** Checks the signature first, so that a client without the key learns nothing else. */
  async #checkSas(
    { token: given, audience, entityPath }: AccessRequest,
    nowMs: number,
  ): Promise<Claim | Refusal> {
    const token = readSasToken(given);
    if (token.kind === 'refusal') return token;
    const { path, host } = audience === undefined ? token.resource : readResource(audience);
    const signed = await this.#policyOf(token, entityNameOf(pathKey(entityPath ?? path)));
    if (signed === undefined) return refusal('InvalidSignature', WRONG_SIGNATURE);
    const { policy, entityName } = signed;
    if (token.expiresAtMs <= nowMs) return expired(token.expiresAtMs);
    const isForIt =
      token.resource.host === host &&
      isWithin(path, token.resource.path) &&
      (entityName === undefined || isWithin(token.resource.path, entityName));
    if (!isForIt) return refusal('InvalidAudience', `The token is not for '${cut(audience ?? '')}'.`);
    return { kind: 'claim', path, entityName, rights: rightsOf(policy), expiresAtMs: token.expiresAtMs };
  }

  /** The policy that signed the token. A policy of the namespace and one of the entity may have the same name; the key decides. */
  async #policyOf(
    token: SasToken,
    entityName: string,
  ): Promise<{ policy: AccessPolicy; entityName: string | undefined } | undefined> {
    const ofNamespace = signer(token, this.#policies);
    if (ofNamespace !== undefined) return { policy: ofNamespace, entityName: undefined };
    const ofEntity = signer(token, await this.#options.entityPolicies(entityName));
    return ofEntity && { policy: ofEntity, entityName };
  }

  async #hintAbout(request: AccessRequest, nowMs: number): Promise<void> {
    try {
      const token = readSasToken(request.token);
      const policy = token.kind === 'refusal' ? '' : ` of policy '${cut(token.keyName)}'`;
      const target = request.audience === undefined ? '' : ` for '${cut(request.audience)}'`;
      const credential = `a token${policy}${target}`;
      this.#hint(await this.#checkStrictly(request, nowMs), credential);
    } catch {
      // If the engine fails, the operation itself reports it. A hint must not cause a fault.
    }
  }

  /** Whether the name belongs to a policy. Only known names are shown, because some clients send the key instead of the name. */
  #isPolicyName(name: string): boolean {
    return findPolicy(this.#policies, splitKeyName(name).policy) !== undefined;
  }

  #hint(outcome: Claim | Refusal, credential: string): void {
    if (outcome.kind === 'claim' || this.#hinted.has(outcome.code)) return;
    this.#hinted.add(outcome.code);
    this.#options.onHint(
      `A client was accepted with ${credential}, which Azure would refuse: ${outcome.text} With --auth strict it is refused here, too`,
    );
  }
}

function signer(token: SasToken, policies: readonly AccessPolicy[]): AccessPolicy | undefined {
  const policy = findPolicy(policies, splitKeyName(token.keyName).policy);
  return policy && hasKey(policy, (key) => isSignedWith(token, key)) ? policy : undefined;
}

function expired(expiresAtMs: number): Refusal {
  const time = new Date(expiresAtMs);
  const shown = Number.isNaN(time.getTime()) ? '' : ` Expiration time: '${time.toISOString()}'.`;
  return refusal('ExpiredToken', `The token is expired.${shown}`);
}

function cut(text: string): string {
  return text.length > MAX_NAME_LENGTH ? `${text.slice(0, MAX_NAME_LENGTH)}…` : text;
}
