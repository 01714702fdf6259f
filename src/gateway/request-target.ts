// The target of a request in absolute form (`GET https://host/path`), rewritten as the Host header and the path it stands for.

import type { IncomingMessage } from 'node:http';

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
/** The authority, and the path with its query. A fragment is never sent. */
const HTTP_URI = /^https?:\/\/([^/?#]*)(\/[^#]*|\?[^#]*)?$/i;
/** A host and a port. Without user information, which names no host and misleads readers about it (RFC 9110 4.2.4). */
const AUTHORITY = /^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{0,5})?$/i;

/**
 * Changes the request to origin form, the only one that its readers know. The authority of the URI replaces the Host header,
 * which a server must ignore beside it (RFC 9112 3.2.2). Returns why the target is refused, or undefined.
 */
export function readTarget(request: IncomingMessage): string | undefined {
  const { url = '' } = request;
  // `*` and `host:port` belong to methods that are answered elsewhere.
  if (url.startsWith('/') || !SCHEME.test(url) || request.method === 'CONNECT') return undefined;
  const [, authority = '', path = ''] = HTTP_URI.exec(url) ?? [];
  if (!AUTHORITY.test(authority)) {
    return `The request target '${url.slice(0, 200)}' is refused: send a path, or http(s)://<host>[:<port>]/<path> without a user`;
  }
  request.url = path.startsWith('/') ? path : `/${path}`;
  request.headers.host = authority;
  replaceHost(request.rawHeaders, authority);
  return undefined;
}

/** Names and values follow each other. */
function replaceHost(rawHeaders: string[], authority: string): void {
  for (let index = rawHeaders.length - 2; index >= 0; index -= 2) {
    if (rawHeaders[index]?.toLowerCase() === 'host') rawHeaders.splice(index, 2);
  }
  rawHeaders.push('Host', authority);
}
