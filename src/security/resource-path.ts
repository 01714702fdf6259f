// Reads the host and the path of a token's audience, in every form that clients write.

export type Resource = {
  /** In lower case, without the port; may be empty. */
  readonly host: string;
  /** In lower case, without leading and trailing slashes; empty for the whole namespace. */
  readonly path: string;
};

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
const PORT = /:\d*$/;

/** Reads `sb://host:5672/queue`, `http://host/queue?api-version=2021-05` or `host/queue`. Scheme, port and query are ignored. */
export function readResource(audience: string): Resource {
  const { authority, path } = splitAudience(audience);
  return { host: authority.replace(PORT, '').toLowerCase(), path: pathKey(path) };
}

/** The queue, topic or subscription of an audience, as it is written; empty for the namespace and for nodes such as `$cbs`. */
export function entityPathIn(audience: string): string {
  return withoutNodes(withoutOuterSlashes(splitAudience(audience).path));
}

function splitAudience(audience: string): { readonly authority: string; readonly path: string } {
  const [bare = ''] = audience.replace(SCHEME, '').split(/[?#]/, 1);
  const slash = bare.indexOf('/');
  if (slash < 0) return { authority: bare, path: '' };
  return { authority: bare.slice(0, slash), path: decodePercent(bare.slice(slash)) };
}

/** A path in the form in which paths are compared: in lower case, without outer slashes. */
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

/** Whether a path is within another; both come from `pathKey`. Compares whole names: `orders2` is not within `orders`. */
export function isWithin(path: string, outer: string): boolean {
  return outer === '' || path === outer || path.startsWith(`${outer}/`);
}

/** The queue or topic of a path, even if the path names a sub-queue, a subscription or `$management`. */
export function entityNameOf(path: string): string {
  const segments = withoutNodes(path).split('/');
  const end = segments.findIndex((segment, index) => index > 0 && segment.toLowerCase() === 'subscriptions');
  return (end < 0 ? segments : segments.slice(0, end)).join('/');
}

/** Cuts off sub-queues and `$management`, which begin with a dollar sign. Names of entities never do. */
function withoutNodes(path: string): string {
  const segments = path.split('/');
  const end = segments.findIndex((segment) => segment.startsWith('$'));
  return end < 0 ? path : segments.slice(0, end).join('/');
}

/** Decodes percent-encoding. A percent sign that encodes nothing is part of the path. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
