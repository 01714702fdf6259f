// Whether a request may be carried out: it says who asks and, where that is looked at, who asks has the right.

import { readResource } from './admin/admin-resource.js';
import { answerAdministration } from './admin/answer-administration.js';
import { noToken, readToken } from './authorization-header.js';
import { type Asked, errorInStatusLine, requestError } from './error-response.js';
import type { HttpCall } from './http-call.js';
import type { HttpContext } from './http-context.js';
import { lackingAccess, type NeededAccess, neededAccess } from './needed-access.js';
import type { RuntimeCall } from './runtime/runtime-call.js';

/** The service has no 403: this also answers a token that is good and lacks a right. */
const UNAUTHORIZED = 401;
const CHALLENGE = { 'www-authenticate': 'Bearer' };

/** The answer to a request that may not be carried out; undefined: it may. `meant`: as for `neededAccess`. */
export async function refuseUnauthorized(
  call: HttpCall,
  meant: RuntimeCall | undefined,
  context: HttpContext,
): Promise<Response | undefined> {
  const { authorizer, now = Date.now, onFault } = context;
  const given = call.request.headers.get('authorization');
  const token = readToken(given);
  if (token === undefined) return unauthorized(noToken(given), call.asked);
  if (authorizer === undefined) return undefined;
  if (authorizer.mode === 'any') {
    // For what it tells whoever runs the emulator; the answer does not wait for it.
    authorizer.check({ token, audience: audienceOf(call) }, now()).catch(onFault);
    return undefined;
  }
  const needed = neededAccess(call, meant);
  const { entityPath } = needed;
  const judged = await authorizer.check({ token, audience: audienceOf(call), entityPath }, now());
  if (judged.kind === 'refusal') return unauthorized(judged.text, about(call, needed));
  if (needed.right === undefined || judged.rights.includes(needed.right)) return undefined;
  return (await notFound(call, needed, context)) ?? lacking(call, needed);
}

/** The service tells who may not read a queue or topic that there is none of that name; of subscriptions it does not. */
async function notFound(
  call: HttpCall,
  { right, method }: NeededAccess,
  context: HttpContext,
): Promise<Response | undefined> {
  if (right !== 'Manage' || method !== 'GET' || readResource(call.path)?.kind !== 'entity') return undefined;
  const answer = await answerAdministration(call, context);
  return answer.status === 404 ? answer : undefined;
}

function lacking(call: HttpCall, needed: NeededAccess): Response {
  const { text, isInStatusLine } = lackingAccess(needed, call);
  const asked = about(call, needed);
  return isInStatusLine ? errorInStatusLine(UNAUTHORIZED, text, asked, CHALLENGE) : unauthorized(text, asked);
}

/** What is asked for, without the query: a token is for places. */
function audienceOf({ url, path }: HttpCall): string {
  return `${url.origin}/${path.map(encodeURIComponent).join('/')}`;
}

function about({ asked }: HttpCall, { entityPath }: NeededAccess): Asked {
  return entityPath === '' ? asked : { ...asked, entityPath };
}

function unauthorized(text: string, asked: Asked): Response {
  return requestError(UNAUTHORIZED, text, asked, CHALLENGE);
}
