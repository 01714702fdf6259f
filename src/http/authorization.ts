// Whether a request may be carried out: it says who asks and, where that is looked at, who asks has the right.

import type { Token } from '../security/access.js';
import { JWT_TYPE, SAS_TOKEN_TYPE } from '../security/authorizer.js';
import { type Asked, requestError } from './error-response.js';
import type { HttpCall } from './http-call.js';
import type { HttpContext } from './http-context.js';
import { lackingAccess, type NeededAccess, neededAccess } from './needed-access.js';
import type { RuntimeCall } from './runtime/runtime-call.js';

const HEADER = /^(SharedAccessSignature|Bearer|WRAP)\s+(\S.*)$/i;
/** A first word before a second one; what stands alone may be a key. */
const OTHER_SCHEME = /^([a-z]{1,20})\s/i;

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

/** A shared access signature is the whole header; of the others the scheme is no part of the token. */
export function readToken(header: string | null): Token | undefined {
  const [text, scheme = '', token = ''] = HEADER.exec(header ?? '') ?? [];
  if (text === undefined) return undefined;
  switch (scheme.toLowerCase()) {
    case 'sharedaccesssignature':
      return { type: SAS_TOKEN_TYPE, text };
    case 'bearer':
      return { type: JWT_TYPE, text: token };
    default:
      return { type: scheme, text: token };
  }
}

/** What is asked for, without the query: a token is for places. */
function audienceOf({ url, path }: HttpCall): string {
  return `${url.origin}/${path.map(encodeURIComponent).join('/')}`;
}

function noToken(given: string | null): string {
  if (given === null) {
    return 'MissingToken: The authorization header was not found. Send "Authorization: SharedAccessSignature ..." or "Bearer ...".';
  }
  const scheme = OTHER_SCHEME.exec(given)?.[1];
  const seen = scheme === undefined ? 'has no scheme that is known' : `begins with '${scheme}'`;
  return `MalformedToken: The authorization header ${seen}; it must begin with SharedAccessSignature or Bearer, and the token behind it.`;
}

function about({ asked }: HttpCall, { entityPath }: NeededAccess): Asked {
  return entityPath === '' ? asked : { ...asked, entityPath };
}

/** Also of a right that is lacking: the service has no 403 for that. */
function unauthorized(text: string, asked: Asked): Response {
  return requestError(401, text, asked, { 'www-authenticate': 'Bearer' });
}
