// GET /ca.pem: the certificate that a program must trust to speak TLS with us; it is no secret.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Certificates } from '../security/certificates.js';

const PATH = '/ca.pem';

/** A call of the SDKs is not, whatever its path: a queue may be called `ca.pem`. */
export function isAboutTrust({ url = '', headers, method }: IncomingMessage): boolean {
  const [path, query = ''] = url.split('?', 2);
  if (path !== PATH || (method !== 'GET' && method !== 'HEAD')) return false;
  return headers.authorization === undefined && !query.includes('api-version=');
}

/** Made with the first question. */
export async function answerTrust(response: ServerResponse, certificates: Certificates): Promise<void> {
  const [status, body] = await certificates.authority().then(
    (pem): [number, string] =>
      pem === undefined
        ? [404, 'A certificate of your own is served: trust who has issued it.\n']
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
