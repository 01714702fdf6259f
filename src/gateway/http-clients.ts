// The connections of the HTTP server. Each carries out one request after the other, and counts its bytes in the budget.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ByteBudget, type ByteShare, STUCK_TEXT } from '../budget/byte-budget.js';

/** Memory of a request and its response in addition to head and bodies. */
const REQUEST_BYTES = 8 * 1024;
/** So much of a body arrives before it is read. */
const UNREAD_BODY_BYTES = 16 * 1024;
const TOO_MANY =
  'A client sent HTTP requests on one connection without waiting for answers, until there was no memory for more of them: ' +
  'its connection was closed; it has to read answers before it sends more';
const STUCK = `An HTTP connection was closed. ${STUCK_TEXT}`;

/** Called with a sentence for the person whose client has made a mistake. */
export type HintListener = (hint: string) => void;

/** All connections. They are counted here, because node:http counts a connection without any request as busy. */
export class Clients {
  readonly #budget: ByteBudget;
  readonly #onHint: HintListener;
  readonly #clients = new Map<Duplex, Client>();
  /** Whether the log has mentioned such a client. It is mentioned once, because it may come back again and again. */
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

/** One connection. Its requests are carried out one after the other, each when the answer before it has gone to the socket. */
class Client {
  readonly share: ByteShare;
  readonly #socket: Socket;
  /** The requests without a complete answer; the first one is under way. */
  readonly #pending = new Set<PendingRequest>();

  constructor(socket: Socket, share: ByteShare) {
    this.#socket = socket;
    this.share = share;
  }

  get isIdle(): boolean {
    return this.#pending.size === 0;
  }

  /** Carries the request out when its turn comes. Returns false if it has to wait but there is no memory for that. */
  add(request: IncomingMessage, response: ServerResponse, carryOut: () => void): boolean {
    const pending = { bytes: bytesOf(request), carryOut };
    this.#pending.add(pending);
    this.share.add(pending.bytes);
    // The answer is complete, and nothing else of the request is in memory.
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

  /** Sets the bytes that are held for the request under way. Those of the waiting requests stay the same. */
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
