// Reads the target of a request: refuses a long path, and rewrites the absolute form (`GET https://host/path`) as a Host header and a path.

import type { IncomingMessage } from 'node:http';

export type HttpRefusal = { readonly status: number; readonly text: string };

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
/** A URI with its authority, and its path with the query. */
const HTTP_URI = /^https?:\/\/([^/?#]*)(\/[^#]*|\?[^#]*)?$/i;
/** A host and a port. User information is refused, because it could pass for a host (RFC 9110 4.2.4). */
const AUTHORITY = /^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{0,5})?$/i;

/** The longest path in characters, without the query. The name of an entity has at most 260. */
const MAX_PATH_LENGTH = 8192;
const SHOWN_LENGTH = 200;

/**
 * Changes the request to origin form, which all handlers expect. The authority of the URI replaces the Host header, which a
 * server must ignore in this case (RFC 9112 3.2.2). Returns undefined unless the request is refused.
 */
export function readTarget(request: IncomingMessage): HttpRefusal | undefined {
  const { url = '' } = request;
  const pathLength = url.split('?', 1)[0]?.length ?? 0;
  if (pathLength > MAX_PATH_LENGTH) {
    const shown = `${url.slice(0, SHOWN_LENGTH)}...`;
    const text = `The path '${shown}' has ${pathLength} characters; ${MAX_PATH_LENGTH} is the limit`;
    return { status: 414, text };
  }
  // The targets `*` and `host:port` are answered elsewhere.
  if (url.startsWith('/') || !SCHEME.test(url) || request.method === 'CONNECT') return undefined;
  const [, authority = '', path = ''] = HTTP_URI.exec(url) ?? [];
  if (!AUTHORITY.test(authority)) {
    const text = `The request target '${url.slice(0, SHOWN_LENGTH)}' is refused: send a path, or http(s)://<host>[:<port>]/<path> without a user`;
    return { status: 400, text };
  }
  request.url = path.startsWith('/') ? path : `/${path}`;
  request.headers.host = authority;
  replaceHost(request.rawHeaders, authority);
  return undefined;
}

/** Names and values alternate. */
function replaceHost(rawHeaders: string[], authority: string): void {
  for (let index = rawHeaders.length - 2; index >= 0; index -= 2) {
    if (rawHeaders[index]?.toLowerCase() === 'host') rawHeaders.splice(index, 2);
  }
  rawHeaders.push('Host', authority);
}
