// The `$cbs` node: clients put their tokens here before they open links. Every well-formed one is accepted, unless they are checked.

import { entryOf, textOf } from '../codec/read-value.js';
import type { Authorizer, Asked as TokenAsked } from '../security/authorizer.js';
import type { ConnectionClaims } from './connection-claims.js';
import { describe, type ErrorContext, UNAUTHORIZED } from './error-condition.js';
import type { RequestNode } from './request-links.js';
import type { Request, Response } from './request-message.js';

export type TokenChecks = {
  readonly authorizer: Authorizer;
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

export class CbsNode implements RequestNode {
  readonly name = '$cbs';
  readonly #checks: TokenChecks | undefined;
  /** Tokens are looked at in the order in which they came: of two for one audience the later counts. */
  #last: Promise<void> = Promise.resolve();

  /** Without checks every token will do, and nobody is told. */
  constructor(checks?: TokenChecks) {
    this.#checks = checks;
  }

  answer(request: Request, respond: Respond): void {
    const asked = readPutToken(request);
    const checks = this.#checks;
    if ('status' in asked) {
      respond(asked);
    } else if (checks?.claims === undefined) {
      respond(ACCEPTED);
      // For what it tells whoever runs the emulator.
      checks?.authorizer.check(asked, checks.now()).catch(checks.faulted);
    } else {
      this.#last = this.#last.then(async () => respond(await judge(asked, checks))).catch(checks.faulted);
    }
  }
}

async function judge(
  asked: TokenAsked,
  { authorizer, claims, context, now }: TokenChecks,
): Promise<Response> {
  const judged = await authorizer.check(asked, now());
  if (judged.kind === 'claim' && claims?.put(judged) !== false) return ACCEPTED;
  const text =
    judged.kind === 'refusal' ? judged.text : 'There are too many tokens on this connection; open another.';
  return { status: 401, description: describe(text, context), condition: UNAUTHORIZED };
}

function readPutToken({ operation, properties, body }: Request): TokenAsked | Response {
  if (operation !== PUT_TOKEN) {
    return {
      status: 501,
      description: `The operation ${JSON.stringify(operation?.slice(0, 100) ?? null)} is not known on $cbs; ${PUT_TOKEN} is.`,
      condition: 'amqp:not-implemented',
    };
  }
  const type = textOf(entryOf(properties, 'type'));
  if (type === undefined) return badRequest("the property 'type'");
  const audience = textOf(entryOf(properties, 'name'));
  if (audience === undefined) return badRequest("the property 'name'");
  const text = textOf(body);
  return text === undefined ? badRequest('a token as its body') : { token: { type, text }, audience };
}

function badRequest(missing: string): Response {
  return {
    status: 400,
    description: `A ${PUT_TOKEN} request needs ${missing}.`,
    condition: 'com.microsoft:argument-error',
  };
}
