// The `$cbs` node: clients put their tokens here before they open links. Answers whether a token is good and its entity exists.

import { entryOf, textOf } from '../codec/read-value.js';
import type { Engine } from '../engine/engine.js';
import type { Claim } from '../security/access.js';
import type { Authorizer, Asked as TokenAsked } from '../security/authorizer.js';
import { entityPathIn } from '../security/resource-path.js';
import type { ConnectionClaims } from './connection-claims.js';
import { describe, type ErrorContext, failureOf } from './error-condition.js';
import type { RequestNode } from './request-links.js';
import type { Request, Response } from './request-message.js';

export type CbsNodeOptions = {
  readonly engine: Pick<Engine, 'ask'>;
  /** Default: none, and every well-formed token will do. */
  readonly authorizer: Authorizer | undefined;
  /** Where claims are asked for: where they are kept. */
  readonly claims: ConnectionClaims | undefined;
  readonly context: ErrorContext;
  readonly now: () => number;
  /** Something of ours broke; the connection is to end. */
  readonly faulted: (cause: unknown) => void;
};

type Respond = (response: Response) => void;

const PUT_TOKEN = 'put-token';
/** Older Java SDKs take nothing but 202 for success. */
const ACCEPTED: Response = { status: 202, description: 'Accepted' };

/** No answer has a condition: the Python SDK reads neither status nor description beside one. */
export class CbsNode implements RequestNode {
  readonly name = '$cbs';
  readonly #options: CbsNodeOptions;
  /** Tokens are looked at in the order in which they came: of two for one audience the later counts. */
  #last: Promise<void> = Promise.resolve();

  constructor(options: CbsNodeOptions) {
    this.#options = options;
  }

  answer(request: Request, respond: Respond): void {
    const asked = readPutToken(request);
    if ('status' in asked) {
      respond(asked);
      return;
    }
    const { faulted } = this.#options;
    this.#last = this.#last.then(async () => respond(await this.#judge(asked))).catch(faulted);
  }

  /** The entity comes after the token: a client without a good one learns of no entity. */
  async #judge(asked: TokenAsked): Promise<Response> {
    const { authorizer, now } = this.#options;
    const judged = await authorizer?.check(asked, now());
    if (judged?.kind === 'refusal') return this.#unauthorized(judged.text);
    return (await this.#missing(asked.audience)) ?? this.#keep(judged);
  }

  /** The answer to a token for an entity that does not exist; undefined: it exists, or the audience names none. */
  async #missing(audience: string): Promise<Response | undefined> {
    const entityPath = entityPathIn(audience);
    if (entityPath === '') return undefined;
    const { engine, context } = this.#options;
    const found = await engine.ask({ kind: 'find-entity', entityPath });
    if (found.kind !== 'failed') return undefined;
    // ERR-04: the Java SDK retries a 404 in any other words.
    const { status, description } = failureOf(found.error, context, entityPath);
    return { status, description };
  }

  #keep(claim: Claim | undefined): Response {
    const { claims } = this.#options;
    if (claim === undefined || claims?.put(claim) !== false) return ACCEPTED;
    return this.#unauthorized('There are too many tokens on this connection; open another.');
  }

  #unauthorized(text: string): Response {
    return { status: 401, description: describe(text, this.#options.context) };
  }
}

function readPutToken({ operation, properties, body }: Request): TokenAsked | Response {
  if (operation !== PUT_TOKEN) {
    return {
      status: 501,
      description: `The operation ${JSON.stringify(operation?.slice(0, 100) ?? null)} is not known on $cbs; ${PUT_TOKEN} is.`,
    };
  }
  if (textOf(entryOf(properties, 'type')) === undefined) return badRequest("the property 'type'");
  const audience = textOf(entryOf(properties, 'name'));
  if (audience === undefined) return badRequest("the property 'name'");
  const token = textOf(body);
  return token === undefined ? badRequest('a token as its body') : { token, audience };
}

function badRequest(missing: string): Response {
  return { status: 400, description: `A ${PUT_TOKEN} request needs ${missing}.` };
}
