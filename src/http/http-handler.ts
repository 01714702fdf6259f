// What node:http calls: health at once, everything else by the app, which is loaded when it is first asked for.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerHealth, type HealthCheck, isAboutHealth } from './health.js';
import type { HttpContext } from './http-context.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export function createHttpHandler(check: HealthCheck, context: HttpContext): Handler {
  let loaded: Promise<Handler> | undefined;
  return (request, response) => {
    if (isAboutHealth(request)) {
      answerHealth(request, response, check);
      return;
    }
    loaded ??= loadApp(context);
    loaded.then(
      (handle) => handle(request, response),
      (fault) => {
        context.onFault(fault);
        response.destroy();
      },
    );
  };
}

async function loadApp(context: HttpContext): Promise<Handler> {
  const [{ getRequestListener }, { createApp }] = await Promise.all([
    import('@hono/node-server'),
    import('./app.js'),
  ]);
  const handle = createApp(context);
  const listener = getRequestListener(
    (request, { incoming }) => handle(request, namesIn(incoming.rawHeaders)),
    // Request and Response of the program that we may be part of stay what they are.
    { overrideGlobalObjects: false },
  );
  return (request, response) => {
    // Old clients take each header they do not know for a property of the message.
    response.removeHeader('connection');
    void listener(request, response);
  };
}

/** Names and values follow each other. */
function namesIn(rawHeaders: readonly string[]): readonly string[] {
  return rawHeaders.filter((_, index) => index % 2 === 0);
}
