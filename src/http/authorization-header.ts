// Reads the token in a header such as `Authorization`, and words the error for a request without one.

import { isJsonWebToken } from '../security/entra-token.js';

const HEADER = /^(SharedAccessSignature|Bearer|WRAP)\s+(\S.*)$/i;
/** The first of several words. A single word may be a key, and an error text must not repeat a key. */
const OTHER_SCHEME = /^([a-z]{1,20})\s/i;

/**
 * A shared access signature includes its scheme; all other tokens do not. The Go SDK sends a JSON Web Token without a
 * scheme.
 */
export function readToken(header: string | null): string | undefined {
  const given = header ?? '';
  const [text, scheme = '', token] = HEADER.exec(given) ?? [];
  if (text === undefined) return isJsonWebToken(given) ? given : undefined;
  return scheme.toLowerCase() === 'sharedaccesssignature' ? text : token;
}

/** The error text for a header without a token. */
export function noToken(given: string | null): string {
  if (given === null) {
    return 'MissingToken: The authorization header was not found. Send "Authorization: SharedAccessSignature ..." or "Bearer ...".';
  }
  const scheme = OTHER_SCHEME.exec(given)?.[1];
  const seen = scheme === undefined ? 'has no known scheme' : `begins with '${scheme}'`;
  return `MalformedToken: The authorization header ${seen}; it must begin with SharedAccessSignature or Bearer, followed by the token.`;
}
