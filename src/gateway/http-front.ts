// Before every request is answered: whether the page that asks may, and what the gateway itself is asked for.

import type { Certificates } from '../security/certificates.js';
import type { RequestHandler } from './http-door.js';
import { answerTrust, isAboutTrust } from './trust-answer.js';
import type { VisitorCheck } from './visitor-check.js';

export type FrontOptions = {
  readonly visitors: VisitorCheck;
  /** undefined: there is no TLS, and nothing to trust. */
  readonly certificates: Certificates | undefined;
};

export function withFront(handler: RequestHandler, { visitors, certificates }: FrontOptions): RequestHandler {
  return (request, response) => {
    if (visitors.answers(request, response)) return;
    if (certificates !== undefined && isAboutTrust(request)) {
      void answerTrust(response, certificates);
      return;
    }
    handler(request, response);
  };
}
