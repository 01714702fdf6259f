// A node:http server that listens nowhere and is handed its sockets; with limits against slow and oversized requests.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { asPlainRequest } from './plain-request.js';
import { refuseUpgrade } from './refuse-upgrade.js';
import { readTarget } from './request-target.js';
import { answerUnreadable } from './unreadable-request.js';

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Takes the socket of a request that asks for a WebSocket, with what came behind it. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export type HttpLimits = {
  /** Of the head of a request, and of all of it. */
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
  readonly maxHeaderSize: number;
  readonly connectionsCheckingInterval: number;
  /** Time to finish sending, for a client whose request was refused. A socket that is closed before that is reset, and the answer may be lost. */
  readonly lingerMs: number;
};

const LIMITS: HttpLimits = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 5_000,
  // One user property of a message is one header.
  maxHeaderSize: 128 * 1024,
  connectionsCheckingInterval: 5_000,
  lingerMs: 1_000,
};
/** Time that requests under way get when the door closes; a stop as a whole has two seconds. */
const GRACE_MS = 500;

export class HttpDoor {
  readonly #server: Server;
  readonly #clients = new Clients();
  #isClosing = false;

  /** Without an upgrade handler, a request for a WebSocket is a request like any other. */
  constructor(handler: RequestHandler, limits: Partial<HttpLimits> = {}, upgrade?: UpgradeHandler) {
    const { lingerMs, ...serverLimits } = { ...LIMITS, ...limits };
    this.#server = createServer(serverLimits, (request, response) => {
      this.#clients.asked(request.socket, response);
      if (this.#isClosing) response.setHeader('connection', 'close');
      const problem = readTarget(request);
      if (problem === undefined) handler(request, response);
      else refuseRequest(request, response, problem);
    });
    // A proxy is what this is not; unheard, the client would be left without a word.
    this.#server.on('connect', (_request, socket) => {
      socket.once('finish', () => socket.destroy());
      socket.end('HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    });
    this.#server.on('clientError', (error, socket) => {
      // The answer would be taken for that of the request under way, which could then lose a message that it receives.
      if (this.#clients.isUnderWay(socket)) socket.destroy(error);
      else answerUnreadable(error, socket, lingerMs);
    });
    if (upgrade !== undefined) {
      this.#server.on('upgrade', (request, socket, head) => this.#upgrade(upgrade, request, socket, head));
    }
    // Where node:http begins to watch its timeouts; a server that is handed its sockets is never told so.
    this.#server.emit('listening');
  }

  /** Speaks HTTP on a socket until either side ends it. */
  take(socket: Socket): void {
    if (this.#isClosing) {
      socket.destroy();
      return;
    }
    this.#clients.came(socket);
    this.#server.emit('connection', socket);
  }

  #upgrade(upgrade: UpgradeHandler, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (this.#isClosing) {
      socket.destroy();
      return;
    }
    const problem = readTarget(request);
    if (problem !== undefined) {
      refuseUpgrade(socket, { status: 400, text: problem });
      return;
    }
    if (request.headers.upgrade?.toLowerCase() === 'websocket') {
      this.#clients.left(request.socket);
      upgrade(request, socket, head);
      return;
    }
    // Java's client asks for HTTP/2 in this way, and is content with an answer in HTTP/1.1.
    if (head.length > 0) socket.unshift(head);
    socket.unshift(asPlainRequest(request));
    this.#server.emit('connection', socket);
  }

  /** Ends every connection there is; whoever comes again is served. */
  dropAll(): void {
    this.#clients.dropAll();
  }

  /** Drops who has asked nothing, and after the grace all others. */
  async close(graceMs = GRACE_MS): Promise<void> {
    this.#isClosing = true;
    // It was never listening, which it takes for an error; that ends its watch over timeouts all the same.
    this.#server.close(() => {});
    this.#clients.dropIdle();
    const force = setTimeout(() => this.#clients.dropAll(), graceMs);
    await this.#clients.allGone();
    clearTimeout(force);
  }
}

function refuseRequest(request: IncomingMessage, response: ServerResponse, problem: string): void {
  response.writeHead(400, { 'content-type': 'text/plain; charset=utf-8' }).end(`${problem}\n`);
  // A body nobody reads must not hold the connection.
  request.resume();
}

/** Sockets and what they wait for. node:http takes a socket on which nothing was ever asked for a busy one. */
class Clients {
  readonly #underWay = new Map<Duplex, Set<ServerResponse>>();
  #isClosing = false;
  #gone: () => void = () => {};

  came(socket: Socket): void {
    this.#underWay.set(socket, new Set());
    socket.once('close', () => this.left(socket));
  }

  /** Closed, or no longer one of HTTP. */
  left(socket: Socket): void {
    this.#underWay.delete(socket);
    if (this.#underWay.size === 0) this.#gone();
  }

  asked(socket: Socket, response: ServerResponse): void {
    const responses = this.#underWay.get(socket);
    responses?.add(response);
    response.once('close', () => {
      responses?.delete(response);
      if (this.#isClosing && responses?.size === 0) socket.destroySoon();
    });
  }

  /** Whether a request of this socket is still without its whole answer. */
  isUnderWay(socket: Duplex): boolean {
    return (this.#underWay.get(socket)?.size ?? 0) > 0;
  }

  /** Those that wait for an answer stay until they have it. */
  dropIdle(): void {
    this.#isClosing = true;
    for (const [socket, responses] of this.#underWay) if (responses.size === 0) socket.destroy();
  }

  dropAll(): void {
    for (const socket of this.#underWay.keys()) socket.destroy();
  }

  allGone(): Promise<void> {
    return new Promise((resolve) => {
      this.#gone = resolve;
      if (this.#underWay.size === 0) resolve();
    });
  }
}
