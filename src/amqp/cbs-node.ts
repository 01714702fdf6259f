// The `$cbs` node: clients put their tokens here before they open links. Every well-formed token is accepted.

import { entryOf, textOf } from '../codec/read-value.js';
import type { RequestNode } from './request-links.js';
import type { Request, Response } from './request-message.js';

const PUT_TOKEN = 'put-token';
/** Older Java SDKs take nothing but 202 for success. */
const ACCEPTED: Response = { status: 202, description: 'Accepted' };

export class CbsNode implements RequestNode {
  readonly name = '$cbs';

  answer(request: Request, respond: (response: Response) => void): void {
    respond(answerTo(request));
  }
}

function answerTo(request: Request): Response {
  if (request.operation !== PUT_TOKEN) {
    return {
      status: 501,
      description: `The operation ${JSON.stringify(request.operation?.slice(0, 100) ?? null)} is not known on $cbs; ${PUT_TOKEN} is.`,
      condition: 'amqp:not-implemented',
    };
  }
  for (const property of ['type', 'name']) {
    if (textOf(entryOf(request.properties, property)) === undefined)
      return badRequest(`the property '${property}'`);
  }
  return textOf(request.body) === undefined ? badRequest('a token as its body') : ACCEPTED;
}

function badRequest(missing: string): Response {
  return {
    status: 400,
    description: `A ${PUT_TOKEN} request needs ${missing}.`,
    condition: 'com.microsoft:argument-error',
  };
}
