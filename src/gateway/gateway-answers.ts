// Requests that the gateway answers itself: requests from refused origins, CORS preflights, and GET /ca.pem.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Certificates } from '../security/certificates.js';
import type { RequestHandler } from './http-server.js';
import type { OriginCheck } from './origin-check.js';

const CA_PATH = '/ca.pem';

type GatewayAnswerOptions = {
  readonly originCheck: OriginCheck;
  /** Undefined without TLS. */
  readonly certificates: Certificates | undefined;
};

/** Wraps a handler, so that it gets only requests that the gateway does not answer. */
export function withGatewayAnswers(
  handler: RequestHandler,
  { originCheck, certificates }: GatewayAnswerOptions,
): RequestHandler {
  return (request, response) => {
    if (originCheck.answers(request, response)) return;
    if (certificates !== undefined && isCaCertificateRequest(request)) {
      void answerCaCertificate(response, certificates);
      return;
    }
    handler(request, response);
  };
}

/** Whether a request asks for the certificate. One with a token or an API version comes from an SDK, and means a queue named `ca.pem`. */
function isCaCertificateRequest({ url = '', headers, method }: IncomingMessage): boolean {
  const [path, query = ''] = url.split('?', 2);
  if (path !== CA_PATH || (method !== 'GET' && method !== 'HEAD')) return false;
  return headers.authorization === undefined && !query.includes('api-version=');
}

/** Answers with the certificate that a program must trust to speak TLS with us. The certificate is public. */
async function answerCaCertificate(response: ServerResponse, certificates: Certificates): Promise<void> {
  const [status, body] = await certificates.authority().then(
    (pem): [number, string] =>
      pem === undefined
        ? [404, 'This emulator serves a certificate of your own: trust the authority that issued it.\n']
        : [200, pem],
    (error: unknown): [number, string] => [500, `${error instanceof Error ? error.message : error}\n`],
  );
  response.writeHead(status, {
    'content-type': status === 200 ? 'application/x-pem-file' : 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  });
  response.end(body);
}
