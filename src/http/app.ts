// Answers every HTTP request except health checks and the start page. Never touches a socket; loaded with the first request.

import { ByteBudget, ClientGone } from '../budget/byte-budget.js';
import { AUTHORITY_PATH } from '../security/entra-token.js';
import { refuseUnauthorized } from './authorization.js';
import { chooseNamespace } from './choose-namespace.js';
import { type RequestErrorContext, requestError } from './error-response.js';
import type { HttpContext, HttpRequest, RawRequest } from './http-context.js';
import { findRoute } from './routes.js';

export { CutOff } from './http-faults.js';

/** Answers every request, and never rejects. */
export type Handle = (request: HttpRequest, raw?: RawRequest) => Promise<Response>;

export function createApp(context: HttpContext): Handle {
  return async (request, raw) => {
    const response = await answer(request, raw, context).catch((fault: unknown) => {
      if (!(fault instanceof ClientGone)) context.onFault(fault);
      return requestError(
        500,
        'The emulator failed to answer; its log says why.',
        errorContextOf(request, context),
      );
    });
    return request.method === 'HEAD' ? new Response(null, response) : response;
  };
}

async function answer(
  request: HttpRequest,
  raw: RawRequest | undefined,
  context: HttpContext,
): Promise<Response> {
  const errorContext = errorContextOf(request, context);
  const url = new URL(request.url);
  const path = readPath(url, raw?.target);
  if (path === undefined) {
    return requestError(
      400,
      `'${(raw?.target ?? url.pathname).slice(0, 300)}' is not the path of anything.`,
      errorContext,
    );
  }
  const choosing = chooseNamespace({ request, path, raw, errorContext }, context);
  const chosen = choosing instanceof Promise ? await choosing : choosing;
  if (chosen instanceof Response) return chosen;
  const { headerNames, share = new ByteBudget().open(() => {}) } = raw ?? {};
  const call = { request, url, path: chosen.path, errorContext, headerNames, share };
  const { route, names } = await findRoute(call, chosen.context.engine);
  const routed = { ...call, names, context: chosen.context };
  return (await refuseUnauthorized(route, routed)) ?? route.answer(routed);
}

function errorContextOf(request: HttpRequest, { nextGuid }: HttpContext): RequestErrorContext {
  return { host: new URL(request.url).host, nextGuid };
}

/**
 * The decoded segments of a path; undefined for an invalid path. Ignores a final slash, as in `topic/Subscriptions/`.
 * `target` is the raw request target, where `..` is not yet resolved as it is in a URL.
 */
function readPath(url: URL, target = url.pathname): readonly string[] | undefined {
  if (!isPlain(target)) return undefined;
  const decoded = decode(url.pathname);
  if (decoded === undefined) return undefined;
  const segments = decoded.replace(/^\//, '').replace(/\/$/, '').split('/');
  if (segments.length === 1 && segments[0] === '') return [];
  return segments.some((segment) => segment === '' || isDotSegment(segment)) ? undefined : segments;
}

/** Whether no segment is `.` or `..`: `/a/../b` is refused, not resolved. `AUTHORITY_PATH` is excepted, because older Java libraries send it with dots. */
function isPlain(target: string): boolean {
  const [path = ''] = target.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1);
  // A URL reads a backslash as a slash.
  if (path.includes('\\')) return false;
  const decoded = decode(path.startsWith(AUTHORITY_PATH) ? path.slice(AUTHORITY_PATH.length) : path);
  return decoded !== undefined && !decoded.split('/').some(isDotSegment);
}

function isDotSegment(segment: string): boolean {
  return segment === '.' || segment === '..';
}

/** Decodes a path. The Python SDK sends the slash in a name as `%2F`; all other SDKs send `/`. */
function decode(pathname: string): string | undefined {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
}
