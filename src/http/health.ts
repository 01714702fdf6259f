// GET /health, /livez and /readyz: answers whether messages can be sent and received, in the official emulator's words.

import type { IncomingMessage, ServerResponse } from 'node:http';

/** Says how the clock differs from the machine's; undefined if it does not. */
export type ClockCheck = () => string | undefined;

/** Returns undefined when healthy, otherwise the problem. */
export type HealthCheck = () => string | undefined;

/** The path of the official emulator, and the two of Kubernetes' own servers. All three answer the same. */
const PATHS: readonly string[] = ['/health', '/livez', '/readyz'];

/** Whether a request is a health check. One with a token or an API version comes from an SDK, and is about a queue named `health`. */
export function isAboutHealth({ url = '', headers }: IncomingMessage): boolean {
  const [path = '', query = ''] = url.split('?', 2);
  return PATHS.includes(path) && headers.authorization === undefined && !query.includes('api-version=');
}

/** Answers a health check, even before anything is ready. Any web page may read the answer, so it reveals no names. */
export function answerHealth(
  request: IncomingMessage,
  response: ServerResponse,
  check: HealthCheck,
  clockCheck: ClockCheck = () => undefined,
): void {
  const { status, body, headers } = answer(request, check, clockCheck());
  const json = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(json),
    'cache-control': 'no-store',
    ...headers,
  });
  // node:http leaves the body out of the answer to HEAD.
  response.end(json);
  // An unread body would hold the connection.
  request.resume();
}

type Answer = {
  readonly status: number;
  readonly body: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
};

function answer(
  { method, url = '' }: IncomingMessage,
  check: HealthCheck,
  clock: string | undefined,
): Answer {
  if (method !== 'GET' && method !== 'HEAD') {
    const message = `${url.split('?', 1)[0]} answers GET and HEAD, not ${method}.`;
    return { status: 405, body: { status: 'method-not-allowed', message }, headers: { allow: 'GET, HEAD' } };
  }
  const trouble = check();
  if (trouble !== undefined) return { status: 503, body: { status: 'unhealthy', message: trouble } };
  const body = { status: 'healthy', message: 'Service is healthy.' };
  return { status: 200, body: clock === undefined ? body : { ...body, clock } };
}
