// Hands requests of node:http to the application, and writes its answers to their sockets.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createApp } from './app.js';
import { requestError } from './error-response.js';
import type { AnswerClient, HttpContext, HttpRequest } from './http-context.js';
import { CutOff } from './http-faults.js';

/** Characters that would end the host in a URL, or start another one. */
const NOT_OF_HOST = /[\s/?#@\\]/;
/** A client has this time, and so many bytes, to finish a body that was refused. Then its connection is closed. */
const LINGER_MS = 1000;
const LINGER_BYTES = 64 * 1024 * 1024;

/** Answers a request. A fault of the emulator is reported, and ends the connection. */
export function createAppListener(
  context: HttpContext,
): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  const handle = createApp(context);
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const url = urlOf(incoming);
    const raw = {
      headerNames: namesIn(incoming.rawHeaders),
      target: incoming.url ?? '',
      share: context.budget?.of(incoming.socket),
      port: incoming.socket.localPort,
      get client() {
        return clientOf(outgoing);
      },
    };
    const response =
      url === undefined
        ? answerNoUrl(incoming, context)
        : await handle(readRequest(url, incoming, outgoing), raw);
    await write(response, outgoing, incoming);
  };
  return (incoming, outgoing) => {
    answer(incoming, outgoing).catch((fault: unknown) => {
      context.onFault(fault);
      outgoing.destroy();
    });
  };
}

function clientOf(outgoing: ServerResponse): AnswerClient {
  return {
    end: () => outgoing.destroy(),
    onGone: (then) => {
      if (outgoing.closed) then();
      else outgoing.once('close', then);
    },
  };
}

/** Undefined if target and host do not form a URL, as with `OPTIONS *`. HTTP/1.0 has no Host header. */
function urlOf({ url = '', headers, socket }: IncomingMessage): string | undefined {
  const host = headers.host || 'localhost';
  const text = `${'encrypted' in socket ? 'https' : 'http'}://${host}${url}`;
  return url.startsWith('/') && !NOT_OF_HOST.test(host) && URL.canParse(text) ? text : undefined;
}

function answerNoUrl({ url, headers }: IncomingMessage, { nextGuid }: HttpContext): Response {
  const [target, host] = [url, headers.host].map((text = '') => `'${text.slice(0, 300)}'`);
  return requestError(
    400,
    `This request cannot be answered: ${target} is not a path, or ${host} is not a host.`,
    { host: 'localhost', nextGuid },
  );
}

/** Does not make a `Request`, because its constructor refuses TRACE, and copies the body from one stream to another. */
function readRequest(url: string, incoming: IncomingMessage, outgoing: ServerResponse): HttpRequest {
  const headers = new Headers();
  const { rawHeaders } = incoming;
  // Names and values alternate.
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  }
  const client = new AbortController();
  if (outgoing.destroyed) client.abort();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) client.abort();
    // node:http discards a body that was not read at all, but not one that was read in part, behind which the next request would wait.
    else incoming.resume();
  });
  return {
    method: incoming.method ?? 'GET',
    url,
    headers,
    body: { [Symbol.asyncIterator]: () => piecesOf(incoming) },
    get isComplete() {
      return incoming.complete;
    },
    get signal() {
      return client.signal;
    },
  };
}

/** The pieces of the body. Even a destroyed stream still has the bytes that came before its client went. */
function piecesOf(incoming: IncomingMessage): AsyncIterator<Uint8Array> {
  return incoming.destroyed ? restOf(incoming) : incoming.iterator({ destroyOnReturn: false });
}

async function* restOf(incoming: IncomingMessage): AsyncGenerator<Uint8Array, void> {
  if (!incoming.complete) throw new Error('the client has gone');
  const rest: Buffer | null = incoming.read();
  if (rest !== null) yield rest;
}

/** Names and values alternate. */
function namesIn(rawHeaders: readonly string[]): readonly string[] {
  return rawHeaders.filter((_, index) => index % 2 === 0);
}

async function write(response: Response, outgoing: ServerResponse, incoming: IncomingMessage): Promise<void> {
  if (response instanceof CutOff) {
    outgoing.socket?.destroy();
    return;
  }
  const headers = Object.fromEntries(response.headers);
  const { status, body } = response;
  // Old clients take every unknown header for a message property.
  outgoing.removeHeader('connection');
  outgoing.statusMessage = response.statusText;
  if (body === null) outgoing.writeHead(status, headers).end();
  else if (headers['content-type']?.startsWith('text/event-stream')) {
    await pour(body, outgoing.writeHead(status, headers));
  } else {
    const bytes = Buffer.from(await response.arrayBuffer());
    if (headers['transfer-encoding'] === undefined) headers['content-length'] = String(bytes.length);
    outgoing.writeHead(status, headers);
    if (outgoing.shouldKeepAlive || incoming.complete) outgoing.end(bytes);
    else outgoing.write(bytes, () => discardRest(incoming, () => outgoing.end()));
  }
}

/** Reads on for a while: closing a socket with unread input resets it, and then the client can lose the answer. */
function discardRest(incoming: IncomingMessage, done: () => void): void {
  let bytes = 0;
  const end = () => {
    clearTimeout(timer);
    incoming.off('data', count).off('close', end).off('end', end);
    done();
  };
  const count = (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > LINGER_BYTES) end();
  };
  const timer = setTimeout(end, LINGER_MS);
  incoming.on('data', count).once('end', end).once('close', end).resume();
}

async function pour(stream: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  const reader = stream.getReader();
  let goOn = () => {};
  const stop = () => {
    // A stream that has failed reports it to its reader.
    reader.cancel().catch(() => {});
    goOn();
  };
  outgoing.on('drain', () => goOn()).once('close', stop);
  if (outgoing.destroyed) stop();
  for (let piece = await reader.read(); !piece.done && !outgoing.destroyed; piece = await reader.read()) {
    if (outgoing.write(piece.value)) continue;
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
  }
  outgoing.end();
}
