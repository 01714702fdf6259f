// The path of a request as the names in it: decoded once, and nothing in it that could mean another place.

/**
 * Undefined when it is no path to anything. A slash at the end, as in `topic/Subscriptions/`, means nothing. `target` is what
 * the client has asked for, where that is known: a URL has its `..` already carried out.
 */
export function readPath(url: URL, target = url.pathname): readonly string[] | undefined {
  if (!isPlain(target)) return undefined;
  const decoded = decode(url.pathname);
  if (decoded === undefined) return undefined;
  const segments = decoded.replace(/^\//, '').replace(/\/$/, '').split('/');
  if (segments.length === 1 && segments[0] === '') return [];
  return segments.some((segment) => segment === '' || isStep(segment)) ? undefined : segments;
}

/** Nothing in it leads elsewhere: a client that asks for `/a/../b` means neither. */
function isPlain(target: string): boolean {
  const [path = ''] = target.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1);
  const decoded = decode(path);
  return decoded !== undefined && !decoded.split('/').some(isStep);
}

function isStep(segment: string): boolean {
  return segment === '.' || segment === '..';
}

/** Python sends the slash of a name as `%2F`, the others as it is. */
function decode(pathname: string): string | undefined {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
}
