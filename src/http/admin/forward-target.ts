// Forwarding targets: clients send the URL of an entity, or its name.

export const FORWARDING_ELEMENTS: readonly string[] = ['ForwardTo', 'ForwardDeadLetteredMessagesTo'];

/** The scheme that the service writes for a target without one. */
export const DEFAULT_SCHEME = 'sb';

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\/[^/]*\/?/i;

/** The scheme of a target in lower case; undefined when it has none or the default. */
export function readScheme(given: string): string | undefined {
  const scheme = ABSOLUTE.exec(given)?.[0].split(':')[0]?.toLowerCase();
  return scheme === DEFAULT_SCHEME ? undefined : scheme;
}

/** The name of the target, unchecked. A text that cannot be decoded is returned unchanged. */
export function readForwardTarget(given: string): string {
  if (!ABSOLUTE.test(given)) return given;
  const path = given
    .replace(ABSOLUTE, '')
    .replace(/[?#].*$/s, '')
    .replace(/\/$/, '');
  try {
    return decodeURIComponent(path) || given;
  } catch {
    return given;
  }
}
