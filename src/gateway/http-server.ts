// The HTTP server of the gateway: a node:http server to which sockets are handed, with limits against slow and oversized requests.

import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ByteBudget } from '../budget/byte-budget.js';
import { Clients, type HintListener } from './http-clients.js';
import { type HttpRefusal, readTarget } from './request-target.js';
import { answerUnreadable } from './unreadable-request.js';

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Takes over the socket of a WebSocket request. `head` holds the bytes that followed the request. */
type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export type HttpLimits = {
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
  readonly maxHeaderSize: number;
  readonly connectionsCheckingInterval: number;
  /** Time for a refused client to finish sending. Closing the socket earlier resets it, and the answer may be lost. */
  readonly lingerMs: number;
};

const LIMITS: HttpLimits = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  // Long, because a client whose own timers are late sends its next request on a socket that is just being closed, and fails.
  keepAliveTimeout: 65_000,
  // Large, because each user property of a message is one header.
  maxHeaderSize: 128 * 1024,
  connectionsCheckingInterval: 5_000,
  lingerMs: 1_000,
};
/** Time for pending requests when the server closes. A whole stop has two seconds. */
const GRACE_MS = 500;
function proxyHint({ url = '' }: IncomingMessage): string {
  const target = JSON.stringify(url.slice(0, 100));
  return `A client took this port for a proxy and asked it for ${target}: its HTTPS_PROXY or proxy setting names this port`;
}

export class HttpServer {
  readonly #makeServer: () => Server;
  #made: Server | undefined;
  readonly #clients: Clients;
  #isClosing = false;

  /** Without an upgrade handler, a WebSocket request is handled like any other. `budget` counts what clients hold. */
  constructor(
    handler: RequestHandler,
    limits: Partial<HttpLimits> = {},
    upgrade?: UpgradeHandler,
    onHint: HintListener = () => {},
    budget = new ByteBudget(),
  ) {
    this.#clients = new Clients(budget, onHint);
    const { lingerMs, ...serverLimits } = { ...LIMITS, ...limits };
    // A request for any other protocol is answered as plain HTTP. Nodes before 22.21 and 24.9 ignore this option: see `#upgrade`.
    const shouldUpgradeCallback = (request: IncomingMessage) =>
      upgrade !== undefined && isForWebSocket(request);
    const serverOptions = { ...serverLimits, shouldUpgradeCallback };
    this.#makeServer = () => {
      const server = createServer(serverOptions, (request, response) => {
        if (request.socket.destroyed) return; // further requests of the same read
        this.#clients.add(request, response, () => {
          if (this.#isClosing) response.setHeader('connection', 'close');
          const refusal = readTarget(request);
          if (refusal === undefined) handler(request, response);
          else refuseRequest(request, response, refusal);
        });
      });
      // This server is not a proxy. Without a listener, CONNECT would get no answer.
      server.on('connect', (request, socket) => {
        socket.on('error', ignoreReset);
        onHint(proxyHint(request));
        socket.once('finish', () => socket.destroy());
        socket.end('HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
      });
      server.on('clientError', (error, socket) => {
        // The client would take this answer as the answer to its pending request, and could lose a received message.
        if (this.#clients.hasPendingRequest(socket)) socket.destroy(error);
        else answerUnreadable(error, socket, lingerMs);
      });
      if (upgrade !== undefined) {
        server.on('upgrade', (request, socket, head) => this.#upgrade(upgrade, request, socket, head));
      }
      // node:http starts its timeouts on this event, which a server that never listens does not emit.
      server.emit('listening');
      return server;
    };
  }

  /** Made for the first socket, because `node:http` takes milliseconds to load. */
  get #server(): Server {
    this.#made ??= this.#makeServer();
    return this.#made;
  }

  take(socket: Socket): void {
    if (this.#isClosing) {
      socket.destroy();
      return;
    }
    this.#clients.open(socket);
    this.#server.emit('connection', socket);
  }

  #upgrade(upgrade: UpgradeHandler, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', ignoreReset);
    if (this.#isClosing) {
      socket.destroy();
      return;
    }
    const refusal = readTarget(request);
    if (refusal !== undefined) {
      refuseSocket(socket, refusal);
      return;
    }
    if (isForWebSocket(request)) {
      this.#clients.remove(request.socket);
      upgrade(request, socket, head);
      return;
    }
    // Java's client requests an upgrade to HTTP/2, and accepts an answer in HTTP/1.1. Only older Nodes call this for it.
    if (head.length > 0) socket.unshift(head);
    socket.unshift(withoutUpgrade(request));
    this.#server.emit('connection', socket);
  }

  /** Closes every open connection; new ones are served. */
  dropAll(): void {
    this.#clients.dropAll();
  }

  /** Closes idle connections at once, and the others after the grace period. */
  async close(graceMs = GRACE_MS): Promise<void> {
    this.#isClosing = true;
    // Fails because the server never listened, but stops the server's timeouts.
    this.#made?.close(() => {});
    this.#clients.dropIdle();
    const force = setTimeout(() => this.#clients.dropAll(), graceMs);
    await this.#clients.allClosed();
    clearTimeout(force);
  }
}

/** If such a request has a body, Node 26 hands out a stream of its own, which repeats the error of the socket. 'close' follows. */
function ignoreReset(): void {}

function refuseRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { status, text }: HttpRefusal,
): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
  // An unread body would hold the connection.
  request.resume();
}

/** Answers what node:http does not: an upgrade request, or a client for which there is no room. Closes the socket. */
export function refuseSocket(socket: Duplex, { status, text }: HttpRefusal): void {
  const body = `${text}\n`;
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: text/plain; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  // The rest of its input is discarded; the client may never close its side.
  socket.resume();
  socket.once('finish', () => socket.destroy());
}

function isForWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/** The bytes of a request's head, without the header that requests an upgrade. */
function withoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  // Names and values alternate.
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${rawHeaders[index + 1]}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}
