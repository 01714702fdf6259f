// The token in a header such as `Authorization`, and what a request without one is told.

import { isJsonWebToken } from '../security/entra-token.js';

const HEADER = /^(SharedAccessSignature|Bearer|WRAP)\s+(\S.*)$/i;
/** A first word before a second one; what stands alone may be a key. */
const OTHER_SCHEME = /^([a-z]{1,20})\s/i;

/**
 * A shared access signature is the whole header; of the others the scheme is no part of the token. The Go SDK sends a JSON Web
 * Token without a scheme.
 */
export function readToken(header: string | null): string | undefined {
  const given = header ?? '';
  const [text, scheme = '', token] = HEADER.exec(given) ?? [];
  if (text === undefined) return isJsonWebToken(given) ? given : undefined;
  return scheme.toLowerCase() === 'sharedaccesssignature' ? text : token;
}

/** Why there is no token in the header. */
export function noToken(given: string | null): string {
  if (given === null) {
    return 'MissingToken: The authorization header was not found. Send "Authorization: SharedAccessSignature ..." or "Bearer ...".';
  }
  const scheme = OTHER_SCHEME.exec(given)?.[1];
  const seen = scheme === undefined ? 'has no scheme that is known' : `begins with '${scheme}'`;
  return `MalformedToken: The authorization header ${seen}; it must begin with SharedAccessSignature or Bearer, and the token behind it.`;
}
