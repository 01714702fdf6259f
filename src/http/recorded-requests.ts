// Records the requests of clients in the stream of activities.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ActivityStream } from '../watch/activity-stream.js';
import { isBrowserAtRoot } from './http-handler.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** The paths of the control interface, and of the page. */
const OWN_PATHS = '/$jitney/';

/**
 * Records each request with its status and the time until its answer was sent. Reads of the page and of the control interface are left
 * out: a page that reads every second would push everything else out of the record. `recorderOf` returns a function that says where a
 * request is recorded, which is called when it has been answered; undefined if nothing is recorded.
 */
export function recordingRequests(
  handler: Handler,
  recorderOf: (request: IncomingMessage) => (() => ActivityStream) | undefined,
): Handler {
  return (request, response) => {
    const recorder = isLook(request) ? undefined : recorderOf(request);
    if (recorder !== undefined) {
      const startedAt = performance.now();
      const { method = '', url = '' } = request;
      // The query is left out, because it may hold a token.
      const path = url.split('?', 1)[0] ?? '';
      response.once('close', () => {
        const { statusCode: status } = response;
        const durationMs = performance.now() - startedAt;
        recorder().add({ kind: 'http-request', method, path, status, durationMs });
      });
    }
    handler(request, response);
  };
}

function isLook(request: IncomingMessage): boolean {
  const { method, url = '' } = request;
  return method === 'GET' && (url.replace('%24', '$').startsWith(OWN_PATHS) || isBrowserAtRoot(request));
}
