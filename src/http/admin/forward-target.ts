// Where to forward to: clients send the URL of the entity, or its name.

export const FORWARDING_ELEMENTS: readonly string[] = ['ForwardTo', 'ForwardDeadLetteredMessagesTo'];

/** In which the service writes a target that has none. */
export const USUAL_SCHEME = 'sb';

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\/[^/]*\/?/i;

/** In lower case; undefined: it has none, or the usual one. */
export function readScheme(given: string): string | undefined {
  const scheme = ABSOLUTE.exec(given)?.[0].split(':')[0]?.toLowerCase();
  return scheme === USUAL_SCHEME ? undefined : scheme;
}

/** The name. That it can be one is checked elsewhere; what is no text of a URL stays as it is. */
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
