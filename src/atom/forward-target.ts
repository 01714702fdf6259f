// Forwarding targets: clients send the URL of an entity.

import { shown, ValueError } from '../description/value-error.js';

export const FORWARDING_ELEMENTS: readonly string[] = ['ForwardTo', 'ForwardDeadLetteredMessagesTo'];

/** The scheme that the service writes for a target without one. */
export const DEFAULT_SCHEME = 'sb';

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\/[^/]*\/?/i;

/** The scheme of a target in lower case; undefined if there is none or it is the default. */
export function readScheme(given: string): string | undefined {
  const scheme = ABSOLUTE.exec(given)?.[0].split(':')[0]?.toLowerCase();
  return scheme === DEFAULT_SCHEME ? undefined : scheme;
}

/** The name of the target, unchecked. A text that cannot be decoded is returned unchanged. Throws ValueError for a bare name, as Azure refuses it. */
export function readForwardTarget(given: string): string {
  if (!ABSOLUTE.test(given)) {
    throw new ValueError(`must be an address such as sb://localhost/orders, not ${shown(given)}`);
  }
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
