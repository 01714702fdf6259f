// Whether a request says who asks. Any key and any token will do; none at all, or what is no token, will not.

import { type Asked, requestError } from './error-response.js';

const SCHEMES = /^(?:SharedAccessSignature|Bearer|WRAP)\s+\S/i;

/** The answer to a request that may not be carried out; undefined: it may. */
export function refuseUnauthorized({ headers }: Request, asked: Asked): Response | undefined {
  const given = headers.get('authorization');
  if (given !== null && SCHEMES.test(given)) return undefined;
  const text =
    given === null
      ? 'MissingToken: The authorization header was not found. Send "Authorization: SharedAccessSignature ..." or "Bearer ..."; any key will do here.'
      : `MalformedToken: The authorization header is '${given.slice(0, 20)}...'; it must begin with SharedAccessSignature or Bearer.`;
  return requestError(401, text, asked, { 'www-authenticate': 'Bearer' });
}
