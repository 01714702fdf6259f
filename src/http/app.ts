// Everything there is on HTTP but health: from a request to its answer, without a socket. Loaded when first asked for.

import { Hono } from 'hono';
import { answerAdministration } from './admin/answer-administration.js';
import { refuseUnauthorized } from './authorization.js';
import { type Asked, requestError } from './error-response.js';
import type { AsSent, HttpCall } from './http-call.js';
import type { HttpContext } from './http-context.js';
import { answerIdentity } from './identity/answer-identity.js';
import { readPath } from './request-path.js';
import { answerRuntime } from './runtime/answer-runtime.js';
import { meantCall } from './runtime/meant-call.js';

/** Answers every request, and never rejects. */
export type Handle = (request: Request, asSent?: AsSent) => Promise<Response>;

type Env = { readonly Bindings: { readonly asSent?: AsSent | undefined } };

export function createApp(context: HttpContext): Handle {
  const app = new Hono<Env>();
  app.all('*', ({ req, env: { asSent } }) => answer(req.raw, asSent, context));
  app.onError((fault, { req }) => {
    context.onFault(fault);
    return requestError(500, 'The emulator failed to answer; its log says why.', askedBy(req.raw, context));
  });
  return async (request, asSent) => app.fetch(request, { asSent });
}

/** A call of the SDKs wins over what is ours: a queue may be called `health`. */
async function answer(request: Request, asSent: AsSent | undefined, context: HttpContext): Promise<Response> {
  const asked = askedBy(request, context);
  const url = new URL(request.url);
  const path = readPath(url, asSent?.target);
  if (path === undefined) {
    return requestError(
      400,
      `'${(asSent?.target ?? url.pathname).slice(0, 300)}' is not the path of anything.`,
      asked,
    );
  }
  const call = { request, url, path, asked, headerNames: asSent?.headerNames };
  return (await answerIdentity(call, context)) ?? answerCall(call, context);
}

async function answerCall(call: HttpCall, context: HttpContext): Promise<Response> {
  const meant = await meantCall(call, context.engine);
  const refused = await refuseUnauthorized(call, meant, context);
  if (refused !== undefined) return refused;
  return meant === undefined ? answerAdministration(call, context) : answerRuntime(call, meant, context);
}

function askedBy(request: Request, { nextGuid }: HttpContext): Asked {
  return { host: new URL(request.url).host, nextGuid };
}
