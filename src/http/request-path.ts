// The path of a request as the names in it: decoded once, and nothing in it that could mean another place.

/** Undefined when it is no path to anything. A slash at the end, as in `topic/Subscriptions/`, means nothing. */
export function readPath(url: URL): readonly string[] | undefined {
  const decoded = decode(url.pathname);
  if (decoded === undefined) return undefined;
  const segments = decoded.replace(/^\//, '').replace(/\/$/, '').split('/');
  if (segments.length === 1 && segments[0] === '') return [];
  return segments.some((segment) => segment === '' || segment === '.' || segment === '..')
    ? undefined
    : segments;
}

/** Python sends the slash of a name as `%2F`, the others as it is. */
function decode(pathname: string): string | undefined {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
}
