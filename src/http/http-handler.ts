// Answers requests of node:http: health at once; a browser's page and all else by modules that are loaded when first asked for.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestError } from './error-response.js';
import { answerHealth, type HealthCheck, isAboutHealth } from './health.js';
import type { HttpContext } from './http-context.js';
import type { StartPage } from './start-page.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Without `page`, a browser is answered like any other client. */
export function createHttpHandler(check: HealthCheck, context: HttpContext, page?: StartPage): Handler {
  let app: Promise<Handler> | undefined;
  const handlerFor = (request: IncomingMessage): Promise<Handler> => {
    if (page !== undefined && isForStartPage(request)) return loadStartPage(page);
    app ??= loadApp(context);
    return app;
  };
  return (request, response) => {
    if (isAboutHealth(request)) {
      answerHealth(request, response, check);
      return;
    }
    handlerFor(request).then(
      (handle) => handle(request, response),
      (fault) => {
        context.onFault(fault);
        response.destroy();
      },
    );
  };
}

/** A browser that looks where it is. A call of the SDKs says who asks, or which version of the protocol it speaks. */
function isForStartPage({ method, url = '', headers }: IncomingMessage): boolean {
  const [path, query = ''] = url.split('?', 2);
  if (path !== '/' || (method !== 'GET' && method !== 'HEAD')) return false;
  if (headers.authorization !== undefined || query.includes('api-version=')) return false;
  return headers.accept?.toLowerCase().includes('text/html') === true;
}

async function loadStartPage(page: StartPage): Promise<Handler> {
  const { answerStartPage } = await import('./start-page.js');
  return (request, response) => answerStartPage(request, response, page);
}

async function loadApp(context: HttpContext): Promise<Handler> {
  const [{ getRequestListener }, { createApp }] = await Promise.all([
    import('@hono/node-server'),
    import('./app.js'),
  ]);
  const handle = createApp(context);
  const listener = getRequestListener(
    async (request, { incoming, outgoing }) => {
      const asSent = { headerNames: namesIn(incoming.rawHeaders), target: incoming.url ?? '' };
      const response = await handle(request, asSent);
      // The listener passes on the status without its text.
      outgoing.statusMessage = response.statusText;
      return response;
    },
    {
      // Request and Response of the program that we may be part of stay what they are.
      overrideGlobalObjects: false,
      // HTTP/1.0 has no Host header.
      hostname: 'localhost',
      errorHandler: (error) => notARequest(error, context),
    },
  );
  return (request, response) => {
    // Old clients take each header they do not know for a property of the message.
    response.removeHeader('connection');
    // Sent by themselves they would be in UTF-8; before the body they are in the Latin-1 that headers are in.
    response.flushHeaders = () => {};
    void listener(request, response);
  };
}

/** Of a request that no URL can be made of. */
function notARequest(error: unknown, { nextGuid }: HttpContext): Response {
  const why = error instanceof Error ? error.message : String(error);
  return requestError(400, `This is not a request that can be answered: ${why}.`, {
    host: 'localhost',
    nextGuid,
  });
}

/** Names and values follow each other. */
function namesIn(rawHeaders: readonly string[]): readonly string[] {
  return rawHeaders.filter((_, index) => index % 2 === 0);
}
