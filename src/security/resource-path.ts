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
  const [bare = ''] = audience.replace(SCHEME, '').split(/[?#]/, 1);
  const slash = bare.indexOf('/');
  const authority = slash < 0 ? bare : bare.slice(0, slash);
  const path = slash < 0 ? '' : bare.slice(slash);
  return { host: authority.replace(PORT, '').toLowerCase(), path: pathKey(decodePercent(path)) };
}

/** Equal for paths that mean the same. */
export function pathKey(path: string): string {
  let start = 0;
  let end = path.length;
  while (path[start] === '/') start += 1;
  while (end > start && path[end - 1] === '/') end -= 1;
  return path.slice(start, end).toLowerCase();
}

/** Name by name: what is for `orders` is not for `orders2`. Both as `pathKey` writes them. */
export function isWithin(path: string, outer: string): boolean {
  return outer === '' || path === outer || path.startsWith(`${outer}/`);
}

/** The queue or topic that a path is in, whatever of it is meant: a sub-queue, a subscription, `$management`. */
export function entityNameOf(path: string): string {
  const segments = path.split('/');
  const end = segments.findIndex(
    (segment, index) => segment.startsWith('$') || (index > 0 && segment.toLowerCase() === 'subscriptions'),
  );
  return (end < 0 ? segments : segments.slice(0, end)).join('/');
}

/** A percent sign that encodes nothing is part of the path. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
