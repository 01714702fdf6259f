// Where to forward to: clients send the URL of the entity, or its name.

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\/[^/]*\/?/i;

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
