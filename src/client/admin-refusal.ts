// Refusals of the administration service as errors of one sentence, which name the right that is missing.

import { JitneyError } from '../jitney-error.js';
import type { RequestContext } from './client-error.js';

type AdminRefusal = { readonly status: number; readonly detail: string };

/** Azure's texts for a valid token that lacks a right. All calls of administration need Manage. */
const LACKS_RIGHT =
  /claims? required|claim\(s\) are required|Authorization failed for specified action|Unauthorized access for/i;
/** The data for Azure's support that follows a sentence, and the sub-code before it. */
const TRACKING = /(?:TrackingId|Reference|To know more visit)[: ].*$/s;
const SUB_CODE = /^SubCode=\d+[.:]?\s*/i;

export function adminRefusalOf(
  { status, detail }: AdminRefusal,
  { address, path, keyName }: RequestContext,
): JitneyError {
  const text = detail.replace(TRACKING, '').replace(SUB_CODE, '').trim() || `status ${status}`;
  switch (status) {
    case 401:
    case 403: {
      if (status === 403 && !LACKS_RIGHT.test(text)) break;
      const access = keyName === undefined ? 'the token' : `the key '${keyName}'`;
      const why = LACKS_RIGHT.test(text)
        ? 'it lacks the right Manage, which administration needs'
        : `it is not accepted (${text})`;
      return new JitneyError('access-refused', `${address} refuses ${access} for '${path}': ${why}`);
    }
    case 404:
      return new JitneyError('no-entity', `There is no '${path}' at ${address}: ${text}`);
    case 429:
    case 503:
      return new JitneyError('refused', `${address} is too busy for the request for '${path}': ${text}`);
    default:
      break;
  }
  return new JitneyError('refused', `${address} refuses the request for '${path}': ${text}`);
}
