// Whether a request may be carried out: it says who asks and, where that is looked at, who asks has the right.

import { noToken, readToken } from './authorization-header.js';
import { type Asked, requestError } from './error-response.js';
import type { HttpCall } from './http-call.js';
import type { HttpContext } from './http-context.js';
import { lackingAccess, type NeededAccess, neededAccess } from './needed-access.js';
import type { RuntimeCall } from './runtime/runtime-call.js';

/** The answer to a request that may not be carried out; undefined: it may. `meant`: as for `neededAccess`. */
export async function refuseUnauthorized(
  call: HttpCall,
  meant: RuntimeCall | undefined,
  { authorizer, now = Date.now, onFault }: HttpContext,
): Promise<Response | undefined> {
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
  if (judged.rights.includes(needed.right)) return undefined;
  return unauthorized(lackingAccess(needed, call.url.hostname), about(call, needed));
}

/** What is asked for, without the query: a token is for places. */
function audienceOf({ url, path }: HttpCall): string {
  return `${url.origin}/${path.map(encodeURIComponent).join('/')}`;
}

function about({ asked }: HttpCall, { entityPath }: NeededAccess): Asked {
  return entityPath === '' ? asked : { ...asked, entityPath };
}

/** Also of a right that is lacking: the service has no 403 for that. */
function unauthorized(text: string, asked: Asked): Response {
  return requestError(401, text, asked, { 'www-authenticate': 'Bearer' });
}
