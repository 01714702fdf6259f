// The HTTP server of the gateway: a node:http server that is handed its sockets, with limits against slow and oversized requests.

import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ByteBudget, type ByteShare, STUCK_TEXT } from '../budget/byte-budget.js';
import { type HttpRefusal, readTarget } from './request-target.js';
import { answerUnreadable } from './unreadable-request.js';

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Takes over the socket of a WebSocket request. `head` holds the bytes that followed the request. */
type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Called with a sentence for the person whose client uses this server as a proxy. */
type HintListener = (hint: string) => void;

export type HttpLimits = {
  /** Time for the head of a request, and for the whole request. */
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
  keepAliveTimeout: 5_000,
  // Each user property of a message is one header.
  maxHeaderSize: 128 * 1024,
  connectionsCheckingInterval: 5_000,
  lingerMs: 1_000,
};
/** Time for pending requests when the server closes; a stop as a whole has two seconds. */
const GRACE_MS = 500;
/** Memory of a request and its response besides head and bodies. */
const REQUEST_BYTES = 8 * 1024;
/** The part of a body that comes before anybody reads it. */
const UNREAD_BODY_BYTES = 16 * 1024;
const TOO_MANY =
  'A client sent HTTP requests on one connection without waiting for answers, until there was no memory for more of them: ' +
  'its connection was closed; it has to read answers before it sends more';
const STUCK = `An HTTP connection was closed. ${STUCK_TEXT}`;

function proxyHint({ url = '' }: IncomingMessage): string {
  const target = JSON.stringify(url.slice(0, 100));
  return `A client took this port for a proxy and asked it for ${target}: its HTTPS_PROXY or proxy setting names this port`;
}

export class HttpServer {
  readonly #server: Server;
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
    this.#server = createServer(serverOptions, (request, response) => {
      if (request.socket.destroyed) return; // further requests of the same read
      this.#clients.add(request, response, () => {
        if (this.#isClosing) response.setHeader('connection', 'close');
        const refusal = readTarget(request);
        if (refusal === undefined) handler(request, response);
        else refuseRequest(request, response, refusal);
      });
    });
    // This server is not a proxy. Without a listener, CONNECT would get no answer.
    this.#server.on('connect', (request, socket) => {
      socket.on('error', ignoreReset);
      onHint(proxyHint(request));
      socket.once('finish', () => socket.destroy());
      socket.end('HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    });
    this.#server.on('clientError', (error, socket) => {
      // The client would take this answer as the answer to its pending request, and could lose a received message.
      if (this.#clients.hasPendingRequest(socket)) socket.destroy(error);
      else answerUnreadable(error, socket, lingerMs);
    });
    if (upgrade !== undefined) {
      this.#server.on('upgrade', (request, socket, head) => this.#upgrade(upgrade, request, socket, head));
    }
    // node:http starts its timeouts on this event, which a server that never listens does not emit.
    this.#server.emit('listening');
  }

  /** Serves HTTP on a socket until either side closes it. */
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
    this.#server.close(() => {});
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

/** All connections. node:http counts one without any request as busy. */
class Clients {
  readonly #budget: ByteBudget;
  readonly #onHint: HintListener;
  readonly #clients = new Map<Duplex, Client>();
  /** Whether a client that was closed for its memory was mentioned; it may come again and again. */
  #hasHinted = false;
  #isClosing = false;
  #closed: () => void = () => {};

  constructor(budget: ByteBudget, onHint: HintListener) {
    this.#budget = budget;
    this.#onHint = onHint;
  }

  open(socket: Socket): void {
    const share = this.#budget.open(() => this.#refuse(socket, STUCK), socket);
    this.#clients.set(socket, new Client(socket, share));
    socket.once('close', () => this.remove(socket));
  }

  /** Forgets a socket that is closed or no longer speaks HTTP. */
  remove(socket: Duplex): void {
    this.#clients.get(socket)?.share.close();
    this.#clients.delete(socket);
    if (this.#clients.size === 0) this.#closed();
  }

  add(request: IncomingMessage, response: ServerResponse, carryOut: () => void): void {
    const client = this.#clients.get(request.socket);
    if (client?.add(request, response, carryOut) === false) this.#refuse(request.socket, TOO_MANY);
    response.once('close', () => {
      if (this.#isClosing && client?.isIdle === true) request.socket.destroySoon();
    });
  }

  /** Whether the answer to a request of this socket is incomplete. */
  hasPendingRequest(socket: Duplex): boolean {
    return this.#clients.get(socket)?.isIdle === false;
  }

  /** Closes idle sockets now, and the others after their pending responses. */
  dropIdle(): void {
    this.#isClosing = true;
    for (const [socket, { isIdle }] of this.#clients) if (isIdle) socket.destroy();
  }

  dropAll(): void {
    for (const socket of this.#clients.keys()) socket.destroy();
  }

  allClosed(): Promise<void> {
    return new Promise((resolve) => {
      this.#closed = resolve;
      if (this.#clients.size === 0) resolve();
    });
  }

  #refuse(socket: Socket, hint: string): void {
    if (!this.#hasHinted) this.#onHint(hint);
    this.#hasHinted = true;
    socket.destroy();
  }
}

type PendingRequest = { readonly bytes: number; readonly carryOut: () => void };

/** One connection. Its requests are carried out one after the other, each when the socket has passed the last answer on. */
class Client {
  readonly share: ByteShare;
  readonly #socket: Socket;
  /** The first is under way. */
  readonly #pending = new Set<PendingRequest>();

  constructor(socket: Socket, share: ByteShare) {
    this.#socket = socket;
    this.share = share;
  }

  get isIdle(): boolean {
    return this.#pending.size === 0;
  }

  /** Carries the request out when it is its turn. False: it would have to wait, and there is no memory for that. */
  add(request: IncomingMessage, response: ServerResponse, carryOut: () => void): boolean {
    const pending = { bytes: bytesOf(request), carryOut };
    this.#pending.add(pending);
    this.share.add(pending.bytes);
    // The answer is made, and nothing else of the request is in memory.
    response.once('prefinish', () => this.#count(pending.bytes + this.#socket.writableLength));
    response.once('close', () => {
      if (this.#first === pending) this.#count(0);
      else this.share.add(-pending.bytes);
      this.#pending.delete(pending);
      this.#carryOutFirst();
    });
    if (this.#pending.size > 1) return this.share.mayTake();
    this.#carryOutFirst();
    return true;
  }

  get #first(): PendingRequest | undefined {
    const [first] = this.#pending;
    return first;
  }

  #carryOutFirst(): void {
    const first = this.#first;
    if (first === undefined || this.#socket.destroyed) return;
    if (this.share.mayTake()) first.carryOut();
    else this.share.wait({ goOn: first.carryOut });
  }

  /** Sets what is held for the request under way; the others wait as they came. */
  #count(bytes: number): void {
    let sum = bytes;
    for (const pending of this.#pending) if (pending !== this.#first) sum += pending.bytes;
    this.share.add(sum - this.share.bytes);
  }
}

/** The memory of a request that waits for its turn. */
function bytesOf({ rawHeaders, url = '', headers }: IncomingMessage): number {
  const bodyBytes =
    'transfer-encoding' in headers ? UNREAD_BODY_BYTES : Number(headers['content-length'] ?? 0);
  let bytes = REQUEST_BYTES + url.length + Math.min(UNREAD_BODY_BYTES, bodyBytes);
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}
