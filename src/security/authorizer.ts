// Who may do what, for every edge: takes a token or a key and gives the claim it makes, or why it makes none.

import { ACCESS_RIGHTS, ROOT_RULE } from '../broker/entity/authorization-rule.js';
import { type Claim, type Refusal, refusal } from './access.js';
import { type AccessPolicy, type EntityPolicies, findPolicy, rightsOf } from './access-policy.js';
import { type EntraTokens, isJsonWebToken } from './entra-token.js';
import { entityNameOf, isWithin, pathKey, readResource } from './resource-path.js';
import { isSameSecret } from './same-secret.js';
import { isSasToken, isSignedWith, readSasToken, type SasToken } from './sas-token.js';

/** `any`: every key and token is let in, and whoever would not be in `strict` is told once. */
export type AuthorizationMode = 'any' | 'strict';

export type AuthorizerOptions = {
  readonly mode: AuthorizationMode;
  /** Of the namespace. Default: the root rule alone. */
  readonly policies?: readonly AccessPolicy[];
  readonly entityPolicies: EntityPolicies;
  readonly entraTokens: EntraTokens;
  /** Told of each kind of mistake once. */
  readonly onHint: (hint: string) => void;
};

export type Asked = {
  /** Its text alone says of which kind it is: the Python SDK puts shared access signatures with the type `jwt`. */
  readonly token: string;
  /** Of what the token is to open: `sb://host/queue`. */
  readonly audience: string;
  /** Whose policies count besides those of the namespace, where the audience does not say it by itself. */
  readonly entityPath?: string;
};

/** A token of Entra has a few thousand characters. */
const MAX_TOKEN_LENGTH = 16 * 1024;
const MAX_AUDIENCE_LENGTH = 2048;
/** Of a name that a client sent, as much as is told. */
const MAX_NAME_LENGTH = 100;
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
  readonly #told = new Set<string>();

  constructor(options: AuthorizerOptions) {
    this.mode = options.mode;
    this.#options = options;
    this.#policies = options.policies ?? [ROOT_RULE];
  }

  async check(asked: Asked, nowMs: number): Promise<Claim | Refusal> {
    if (this.mode === 'strict') return this.#judge(asked, nowMs);
    // Of tokens that are not ours nothing can be said, and a plain start is spared the library for them.
    if (!isJsonWebToken(asked.token)) await this.#tellAbout(asked, nowMs);
    return EVERYTHING;
  }

  /** Of SASL PLAIN: a policy of the namespace and its key, good for a whole connection. */
  checkKey(name: string, key: string): Claim | Refusal {
    const policy = findPolicy(this.#policies, name);
    const isKnown = policy !== undefined && hasKey(policy, (each) => isSameSecret(key, each));
    if (isKnown) return { ...EVERYTHING, rights: rightsOf(policy) };
    // Without the name: some give the key in its place.
    const wrong = refusal('InvalidSignature', 'There is no policy with this name and key.');
    if (this.mode === 'strict') return wrong;
    this.#tell(wrong, 'key');
    return EVERYTHING;
  }

  async #judge(asked: Asked, nowMs: number): Promise<Claim | Refusal> {
    const { token, audience } = asked;
    if (token.length > MAX_TOKEN_LENGTH) {
      return refusal(
        'MalformedToken',
        `The token has ${token.length} characters; ${MAX_TOKEN_LENGTH} are the limit.`,
      );
    }
    if (audience.length > MAX_AUDIENCE_LENGTH) {
      return refusal(
        'InvalidAudience',
        `The audience has ${audience.length} characters; ${MAX_AUDIENCE_LENGTH} are the limit.`,
      );
    }
    if (isSasToken(token)) return this.#judgeSas(asked, nowMs);
    if (isJsonWebToken(token)) return this.#judgeEntra(token, audience, nowMs);
    return refusal(
      'MalformedToken',
      "It neither begins with 'SharedAccessSignature ' nor is a JSON Web Token of three parts with dots between them.",
    );
  }

  async #judgeEntra(text: string, audience: string, nowMs: number): Promise<Claim | Refusal> {
    const access = await this.#options.entraTokens.verify(text, nowMs);
    if (access.kind === 'refusal') return access;
    const { rights, expiresAtMs } = access;
    return { kind: 'claim', path: readResource(audience).path, entityName: undefined, rights, expiresAtMs };
  }

  /** The signature comes first: of a token that nobody with a key has signed nothing else is told. */
  async #judgeSas({ token: given, audience, entityPath }: Asked, nowMs: number): Promise<Claim | Refusal> {
    const token = readSasToken(given);
    if (token.kind === 'refusal') return token;
    const { path, host } = readResource(audience);
    const signed = await this.#policyOf(token, entityNameOf(pathKey(entityPath ?? path)));
    if (signed === undefined) return refusal('InvalidSignature', WRONG_SIGNATURE);
    const { policy, entityName } = signed;
    if (token.expiresAtMs <= nowMs) return expired(token.expiresAtMs);
    const isForIt =
      token.resource.host === host &&
      isWithin(path, token.resource.path) &&
      (entityName === undefined || isWithin(token.resource.path, entityName));
    if (!isForIt) return refusal('InvalidAudience', `The token is not for '${cut(audience)}'.`);
    return { kind: 'claim', path, entityName, rights: rightsOf(policy), expiresAtMs: token.expiresAtMs };
  }

  /** A name may be that of a policy of the namespace and of one of the entity: what signed it is what counts. */
  async #policyOf(
    token: SasToken,
    entityName: string,
  ): Promise<{ policy: AccessPolicy; entityName: string | undefined } | undefined> {
    const ofNamespace = signer(token, this.#policies);
    if (ofNamespace !== undefined) return { policy: ofNamespace, entityName: undefined };
    const ofEntity = signer(token, await this.#options.entityPolicies(entityName));
    return ofEntity && { policy: ofEntity, entityName };
  }

  async #tellAbout(asked: Asked, nowMs: number): Promise<void> {
    try {
      this.#tell(await this.#judge(asked, nowMs), 'token');
    } catch {
      // An engine that does not answer says so to whoever needs it: a hint is not worth a fault.
    }
  }

  #tell(judged: Claim | Refusal, what: 'token' | 'key'): void {
    if (judged.kind === 'claim' || this.#told.has(judged.code)) return;
    this.#told.add(judged.code);
    this.#options.onHint(
      `A client came with a ${what} that Azure would refuse, and was let in: ${judged.text} With --auth strict it is refused here too`,
    );
  }
}

function signer(token: SasToken, policies: readonly AccessPolicy[]): AccessPolicy | undefined {
  const policy = findPolicy(policies, token.keyName);
  return policy && hasKey(policy, (key) => isSignedWith(token, key)) ? policy : undefined;
}

/** An empty key is none. */
function hasKey({ primaryKey, secondaryKey = '' }: AccessPolicy, matches: (key: string) => boolean): boolean {
  return [primaryKey, secondaryKey].some((key) => key !== '' && matches(key));
}

function expired(expiresAtMs: number): Refusal {
  const time = new Date(expiresAtMs);
  const shown = Number.isNaN(time.getTime()) ? '' : ` Expiration time: '${time.toISOString()}'.`;
  return refusal('ExpiredToken', `The token is expired.${shown}`);
}

function cut(text: string): string {
  return text.length > MAX_NAME_LENGTH ? `${text.slice(0, MAX_NAME_LENGTH)}…` : text;
}
