// Records the requests of clients in the stream of what happens.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ActivityStream } from '../watch/activity-stream.js';
import { isBrowserAtRoot } from './http-handler.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** The paths of the control interface, and of the page. */
const OWN_PATHS = '/$jitney/';

/**
 * Records each request with its status and the time until its answer was sent; but not that a browser opens the page, and no look over
 * the control interface, because a page that looks each second would push out of the record what it looks for.
 */
export function recordingRequests(handler: Handler, activity: ActivityStream): Handler {
  return (request, response) => {
    if (activity.isOn && !isLook(request)) {
      const startedAt = performance.now();
      const { method = '', url = '' } = request;
      // Without the query, which may hold a token.
      const path = url.split('?', 1)[0] ?? '';
      response.once('close', () => {
        const { statusCode: status } = response;
        const durationMs = performance.now() - startedAt;
        activity.add({ kind: 'http-request', method, path, status, durationMs });
      });
    }
    handler(request, response);
  };
}

function isLook(request: IncomingMessage): boolean {
  const { method, url = '' } = request;
  return method === 'GET' && (url.replace('%24', '$').startsWith(OWN_PATHS) || isBrowserAtRoot(request));
}
