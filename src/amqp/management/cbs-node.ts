// The `$cbs` node, to which clients put tokens before they open links. Answers whether a token is valid and its entity exists.

import { entryOf, textOf } from '../../codec/read-value.js';
import { MAX_ADDRESS_LENGTH, tooLong } from '../../codec/text-limits.js';
import type { Engine } from '../../engine/engine.js';
import type { Claim } from '../../security/access.js';
import type { AccessRequest, Authorizer } from '../../security/authorizer.js';
import { entityPathIn } from '../../security/resource-path.js';
import type { ConnectionActivity } from '../connection-activity.js';
import type { ConnectionClaims } from '../connection-claims.js';
import { describe, type ErrorContext, type Failure, failureOf } from '../error-condition.js';
import type { RequestNode } from './request-links.js';
import type { Request, Response } from './request-message.js';

/** The parts of a namespace by which a token is checked. */
type TokenNamespace = {
  readonly engine: Pick<Engine, 'ask'>;
  /** Checks tokens; undefined when every well-formed token is accepted. */
  readonly authorizer: Authorizer | undefined;
  /** Returns ` Did you mean 'x'?` for the path of a missing entity, or an empty text. Default: nothing is said. */
  readonly similarTo?: ((path: string) => Promise<string>) | undefined;
};
type Chosen = TokenNamespace | { readonly refusal: string };

type CbsNodeOptions = {
  /** The namespace that a token chooses, or why it may not. */
  readonly namespaceOf: (token: string) => Chosen | Promise<Chosen>;
  /** Stores the claims of tokens, if links need them. */
  readonly claims: ConnectionClaims | undefined;
  readonly context: ErrorContext;
  /** Whether tokens for entities that are missing are accepted, because a link will create them. Default: no. */
  readonly takesMissing?: boolean;
  readonly now: () => number;
  /** Default: nothing is said. */
  readonly activity?: ConnectionActivity;
  /** Ends the connection because of an internal fault. */
  readonly faulted: (cause: unknown) => void;
};

type PutToken = Required<Pick<AccessRequest, 'token' | 'audience'>>;
type Respond = (response: Response) => void;

const PUT_TOKEN = 'put-token';
/** The status for success. Older Java SDKs accept only 202. */
const ACCEPTED: Response = { status: 202, description: 'Accepted' };

/** Answers have no condition: beside one, the Python SDK reads neither status nor description. */
export class CbsNode implements RequestNode {
  readonly name = '$cbs';
  readonly #options: CbsNodeOptions;
  /** Checks tokens in order of arrival, because the later of two tokens for one audience counts. */
  #last: Promise<void> = Promise.resolve();

  constructor(options: CbsNodeOptions) {
    this.#options = options;
  }

  /** Finds the namespace first, because its faults may hit the request. A promise if the namespace has to be made. */
  prepare(request: Request): Promise<unknown> | undefined {
    const given = readPutToken(request);
    if ('status' in given) return undefined;
    const chosen = this.#options.namespaceOf(given.token);
    return chosen instanceof Promise ? chosen : undefined;
  }

  faultable({ properties }: Request): { readonly operation: 'token'; readonly path: string } {
    return { operation: 'token', path: entityPathIn(textOf(entryOf(properties, 'name')) ?? '') };
  }

  refusal({ status, description }: Failure): Response {
    return { status, description };
  }

  answer(request: Request, respond: Respond): void {
    const token = readPutToken(request);
    if ('status' in token) {
      respond(token);
      return;
    }
    const { faulted } = this.#options;
    this.#last = this.#last.then(async () => respond(await this.#check(token))).catch(faulted);
  }

  /** Checks the token before the entity: a client without a valid token must not learn which entities exist. */
  async #check(token: PutToken): Promise<Response> {
    const chosen = await this.#options.namespaceOf(token.token);
    if ('refusal' in chosen) return this.#unauthorized(token, chosen.refusal);
    const checked = await chosen.authorizer?.check(token, this.#options.now());
    if (checked?.kind === 'refusal') return this.#unauthorized(token, checked.text);
    return (await this.#missing(token.audience, chosen)) ?? this.#store(token, checked);
  }

  /** The answer when the entity of the audience does not exist; undefined when it exists or the audience names none. */
  async #missing(
    audience: string,
    { engine, authorizer, similarTo }: TokenNamespace,
  ): Promise<Response | undefined> {
    const entityPath = entityPathIn(audience);
    const { context, takesMissing = false } = this.#options;
    if (entityPath === '' || takesMissing) return undefined;
    const found = await engine.ask({ kind: 'find-entity', entityPath });
    if (found.kind !== 'failed') return undefined;
    this.#options.activity?.tokenRefused(entityPath, 'entity-not-found', found.error.message);
    // Differs from Azure: a similar name follows its sentence. A token with few rights must not learn which other entities exist.
    const hint = authorizer?.mode === 'strict' ? '' : await similarTo?.(entityPath);
    // ERR-04: the Java SDK retries a 404 with any other text.
    const { status, description } = failureOf(found.error, context, entityPath, hint);
    return { status, description };
  }

  #store(token: PutToken, claim: Claim | undefined): Response {
    const { claims, activity } = this.#options;
    if (claim === undefined || claims?.put(claim) !== false) {
      activity?.tokenAccepted(entityPathIn(token.audience), undefined);
      return ACCEPTED;
    }
    return this.#unauthorized(token, 'There are too many tokens on this connection; open another.');
  }

  #unauthorized({ audience }: PutToken, text: string): Response {
    this.#options.activity?.tokenRefused(entityPathIn(audience), 'unauthorized', text);
    return { status: 401, description: describe(text, this.#options.context) };
  }
}

function readPutToken({ operation, properties, body }: Request): PutToken | Response {
  if (operation !== PUT_TOKEN) {
    return {
      status: 501,
      description: `The operation ${JSON.stringify(operation?.slice(0, 100) ?? null)} is not known on $cbs; ${PUT_TOKEN} is.`,
    };
  }
  if (textOf(entryOf(properties, 'type')) === undefined) return badRequest("the property 'type'");
  const audience = textOf(entryOf(properties, 'name'));
  if (audience === undefined) return badRequest("the property 'name'");
  const problem = tooLong("The property 'name'", audience, MAX_ADDRESS_LENGTH);
  if (problem !== undefined) return { status: 400, description: problem };
  const token = textOf(body);
  return token === undefined ? badRequest('a token as its body') : { token, audience };
}

function badRequest(missing: string): Response {
  return { status: 400, description: `A ${PUT_TOKEN} request needs ${missing}.` };
}
