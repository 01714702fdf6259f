// Answers requests of node:http: health checks at once, all others with modules that are loaded at first use.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EmulatorClock } from '../steer/emulator-clock.js';
import { answerHealth, type HealthCheck, isAboutHealth } from './health.js';
import type { HttpContext } from './http-context.js';
import type { StartPage } from './start-page.js';

/** Below this path are the files of the page, except `/`. */
const PAGE_PATH = '/$jitney/page/';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export type Pages = {
  /** Answers `/` if the page is switched off. */
  readonly start: StartPage;
  /** The directory of the page's files; undefined if the page is switched off. */
  readonly directory: string | undefined;
};

/** Without `pages`, a browser is answered like any other client. */
export function createHttpHandler(check: HealthCheck, context: HttpContext, pages?: Pages): Handler {
  let app: Promise<Handler> | undefined;
  let page: Promise<Handler> | undefined;
  const handlerFor = (request: IncomingMessage): Promise<Handler> => {
    if (pages?.directory === undefined) {
      if (pages !== undefined && isBrowserAtRoot(request)) return loadStartPage(pages.start);
    } else if (isBrowserAtRoot(request) || isForPageFile(request)) {
      page ??= loadPage(pages.directory, context);
      return page;
    }
    app ??= loadApp(context);
    return app;
  };
  return (request, response) => {
    if (isAboutHealth(request)) {
      answerHealth(request, response, check, () => clockText(context.control?.clock));
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

function isForPageFile({ method, url = '' }: IncomingMessage): boolean {
  return url.startsWith(PAGE_PATH) && (method === 'GET' || method === 'HEAD');
}

/** Whether a browser opens the page at `/`. A call of an SDK has a token or an API version. */
export function isBrowserAtRoot({ method, url = '', headers }: IncomingMessage): boolean {
  const [path, query = ''] = url.split('?', 2);
  if (path !== '/' || (method !== 'GET' && method !== 'HEAD')) return false;
  if (headers.authorization !== undefined || query.includes('api-version=')) return false;
  return headers.accept?.toLowerCase().includes('text/html') === true;
}

async function loadStartPage(page: StartPage): Promise<Handler> {
  const { answerStartPage } = await import('./start-page.js');
  return (request, response) => answerStartPage(request, response, page);
}

async function loadPage(directory: string, context: HttpContext): Promise<Handler> {
  const { PageFiles } = await import('./page-files.js');
  const files = new PageFiles(directory);
  return (request, response) => {
    files.answer(request, response).catch((fault) => {
      context.onFault(fault);
      response.destroy();
    });
  };
}

async function loadApp(context: HttpContext): Promise<Handler> {
  const { createAppListener } = await import('./app-listener.js');
  return createAppListener(context);
}

/** Undefined while the broker uses the machine's time. */
function clockText(clock: EmulatorClock | undefined): string | undefined {
  if (clock === undefined) return undefined;
  const { mode, time } = clock.state;
  return mode === 'real' ? undefined : `${mode}, at ${time.toISOString()}`;
}
