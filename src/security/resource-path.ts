// What a token is for: the host and the path of an audience, in whichever of their shapes a client writes them.

export type Resource = {
  /** In lower case, without the port; empty when none is named. */
  readonly host: string;
  /** In lower case, without slashes at its ends; empty: the whole namespace. */
  readonly path: string;
};

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
const PORT = /:\d*$/;

/** `sb://host:5672/queue`, `http://host/queue?api-version=2021-05` or `host/queue`; scheme, port and query say nothing of access. */
export function readResource(audience: string): Resource {
  const { authority, path } = splitAudience(audience);
  return { host: authority.replace(PORT, '').toLowerCase(), path: pathKey(path) };
}

/** The queue, topic or subscription that an audience is for, as it is written; empty: the namespace, or a node such as `$cbs`. */
export function entityPathIn(audience: string): string {
  return withoutNodes(withoutOuterSlashes(splitAudience(audience).path));
}

function splitAudience(audience: string): { readonly authority: string; readonly path: string } {
  const [bare = ''] = audience.replace(SCHEME, '').split(/[?#]/, 1);
  const slash = bare.indexOf('/');
  if (slash < 0) return { authority: bare, path: '' };
  return { authority: bare.slice(0, slash), path: decodePercent(bare.slice(slash)) };
}

/** Equal for paths that mean the same. */
export function pathKey(path: string): string {
  return withoutOuterSlashes(path).toLowerCase();
}

function withoutOuterSlashes(path: string): string {
  let start = 0;
  let end = path.length;
  while (path[start] === '/') start += 1;
  while (end > start && path[end - 1] === '/') end -= 1;
  return path.slice(start, end);
}

/** Name by name: what is for `orders` is not for `orders2`. Both as `pathKey` writes them. */
export function isWithin(path: string, outer: string): boolean {
  return outer === '' || path === outer || path.startsWith(`${outer}/`);
}

/** The queue or topic that a path is in, whatever of it is meant: a sub-queue, a subscription, `$management`. */
export function entityNameOf(path: string): string {
  const segments = withoutNodes(path).split('/');
  const end = segments.findIndex((segment, index) => index > 0 && segment.toLowerCase() === 'subscriptions');
  return (end < 0 ? segments : segments.slice(0, end)).join('/');
}

/** Sub-queues and `$management` begin with a dollar sign, and no name of an entity does. */
function withoutNodes(path: string): string {
  const segments = path.split('/');
  const end = segments.findIndex((segment) => segment.startsWith('$'));
  return end < 0 ? path : segments.slice(0, end).join('/');
}

/** A percent sign that encodes nothing is part of the path. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
