// GET /health, /livez and /readyz: whether messages can be sent and received, in the official emulator's words.

import type { IncomingMessage, ServerResponse } from 'node:http';

/** undefined: healthy; otherwise what is wrong. */
export type HealthCheck = () => string | undefined;

/** The official emulator's, and the two that Kubernetes' own servers have. All say the same. */
const PATHS: readonly string[] = ['/health', '/livez', '/readyz'];

/** A call of the SDKs is not, whatever its path: a queue may be called `health`. */
export function isAboutHealth({ url = '', headers }: IncomingMessage): boolean {
  const [path = '', query = ''] = url.split('?', 2);
  return PATHS.includes(path) && headers.authorization === undefined && !query.includes('api-version=');
}

/** Safe to call before anything is ready. Any page may read it, so it names nothing of what is here. */
export function answerHealth(request: IncomingMessage, response: ServerResponse, check: HealthCheck): void {
  const { status, body, headers } = answer(request, check);
  const json = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(json),
    'cache-control': 'no-store',
    ...headers,
  });
  // node:http leaves the body out of the answer to HEAD.
  response.end(json);
  // A body nobody reads must not hold the connection.
  request.resume();
}

type Answer = {
  readonly status: number;
  readonly body: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
};

function answer({ method, url = '' }: IncomingMessage, check: HealthCheck): Answer {
  if (method !== 'GET' && method !== 'HEAD') {
    const message = `${url.split('?', 1)[0]} answers GET and HEAD, not ${method}.`;
    return { status: 405, body: { status: 'method-not-allowed', message }, headers: { allow: 'GET, HEAD' } };
  }
  const trouble = check();
  if (trouble !== undefined) return { status: 503, body: { status: 'unhealthy', message: trouble } };
  return { status: 200, body: { status: 'healthy', message: 'Service is healthy.' } };
}
