// Authorizes a request: it needs a token and, in strict mode, a token with the required right.

import { lackingRights } from '../security/access.js';
import { findHost } from './admin/host-entity.js';
import { noToken, readToken } from './authorization-header.js';
import { refuseControl } from './control/control-access.js';
import { errorInStatusLine, type RequestErrorContext, requestError } from './error-response.js';
import type { HttpCall, RoutedCall } from './http-context.js';
import { noteRefusal } from './note-refusal.js';
import type { Route } from './route-table.js';

/** The status for every refusal. The service has no 403: a valid token that lacks a right also gets a 401. */
const UNAUTHORIZED = 401;
const CHALLENGE = { 'www-authenticate': 'Bearer' };
/** The service's names of the claims that a change of a queue or topic needs. */
const CHANGING: Readonly<Record<string, string>> = { PUT: 'EntityWrite', DELETE: 'EntityDelete' };
/** An error text repeats so many characters of a client's URL. */
const MAX_ENDPOINT_LENGTH = 500;

/** The answer to an unauthorized request; undefined if it is authorized. */
export async function refuseUnauthorized(route: Route, call: RoutedCall): Promise<Response | undefined> {
  if (route.access === 'no token') return undefined;
  if (route.access === 'namespace Manage' || route.access === 'entity Manage') {
    return refuseControl(route.access, call);
  }
  const { authorizer, now = Date.now, onFault } = call.context;
  const given = call.request.headers.get('authorization');
  const token = readToken(given);
  if (token === undefined) return unauthorized(noToken(given) + pageHint(call), call);
  if (authorizer === undefined) return undefined;
  if (authorizer.mode === 'any') {
    // This check can only log a hint, so the answer does not wait for it.
    authorizer.check({ token, audience: audienceOf(call) }, now()).catch(onFault);
    return undefined;
  }
  const entityPath = entityPathOf(route, call);
  const outcome = await authorizer.check({ token, audience: audienceOf(call), entityPath }, now());
  const errorContext = entityPath === '' ? call.errorContext : { ...call.errorContext, entityPath };
  if (outcome.kind === 'refusal') return unauthorized(outcome.text, call, errorContext);
  if (route.access === 'any token' || outcome.rights.includes(route.access)) return undefined;
  if (route.access === 'Manage')
    return (await notFound(route, call)) ?? lackingManage(route, call, errorContext);
  return unauthorized(lackingRights([route.access], call.url.hostname, entityPath), call, errorContext);
}

/** For somebody who looks at `/` with a tool such as curl. No SDK asks for `/` without a token or an API version. */
function pageHint({ request, url }: HttpCall): string {
  const isLook = request.method === 'GET' && url.pathname === '/' && !url.searchParams.has('api-version');
  if (!isLook || request.headers.has('authorization')) return '';
  return ' The page of this emulator is at this address in a browser.';
}

/** The entity that the token must be for; empty for the namespace, to which reserved paths such as `$Resources/queues` belong. */
function entityPathOf({ access }: Route, { names, path }: RoutedCall): string {
  if (names.entity !== '') return names.entity;
  const joined = path.join('/');
  return access === 'Manage' && joined.startsWith('$') ? '' : joined;
}

/** The answer for a missing queue or topic. The service gives it even to a client without the right to read; not for subscriptions. */
async function notFound(route: Route, call: RoutedCall): Promise<Response | undefined> {
  if (call.request.method !== 'GET' || call.names.entity === '') return undefined;
  return (await findHost(call)) === undefined ? route.answer(call) : undefined;
}

function lackingManage({ call: operation }: Route, call: RoutedCall, context: RequestErrorContext): Response {
  const { request, url, names } = call;
  if (names.topic !== '') {
    const endpoint = `sb://${url.host}${url.pathname}${url.search}`.slice(0, MAX_ENDPOINT_LENGTH);
    const text = `SubCode=40100: Unauthorized : Unauthorized access for '${operation}' operation on endpoint '${endpoint}'.`;
    noteRefusal(call, UNAUTHORIZED, text);
    return errorInStatusLine(UNAUTHORIZED, text, context, CHALLENGE);
  }
  const claim = CHANGING[request.method];
  const text =
    claim === undefined
      ? 'Manage,EntityRead claims required for this operation.'
      : `Authorization failed for specified action: Manage,${claim}.`;
  return unauthorized(text, call, context);
}

/** The URL without its query, which tokens ignore. */
function audienceOf({ url, path }: HttpCall): string {
  return `${url.origin}/${path.map(encodeURIComponent).join('/')}`;
}

function unauthorized(
  text: string,
  call: RoutedCall,
  context: RequestErrorContext = call.errorContext,
): Response {
  noteRefusal(call, UNAUTHORIZED, text);
  return requestError(UNAUTHORIZED, text, context, CHALLENGE);
}
