// Decides by the first byte of a client which protocol it speaks: AMQP, HTTP or TLS.

import type { Socket } from 'node:net';

export type Protocols = {
  /** Also receives clients that speak an unknown protocol, and answers them with an AMQP header. */
  readonly amqp: (socket: Socket) => void;
  readonly http: (socket: Socket) => void;
  /** Decrypts TLS. Without it, TLS is an unknown protocol. `clientHello` is still unread on the socket. */
  readonly tls?: ((socket: Socket, clientHello: Buffer) => void) | undefined;
};

/** How long a client may be silent. It has the same time for its AMQP handshake. */
const SILENCE_MS = 30_000;
const A = 0x41;
const Z = 0x5a;
/** The type of the TLS record that starts a handshake. */
const TLS_HANDSHAKE = 0x16;

export class ProtocolSniffer {
  readonly #protocols: Protocols;
  readonly #silenceMs: number;
  readonly #silent = new Set<Socket>();
  #isClosed = false;

  constructor(protocols: Protocols, silenceMs = SILENCE_MS) {
    this.#protocols = protocols;
    this.#silenceMs = silenceMs;
  }

  /** Waits for the first byte, then hands the socket on. */
  readonly accept = (socket: Socket): void => {
    if (this.#isClosed) {
      socket.destroy();
      return;
    }
    this.#silent.add(socket);
    const timer = setTimeout(() => socket.destroy(), this.#silenceMs);
    const receive = (chunk: Buffer) => {
      stopWaiting();
      socket.pause();
      socket.unshift(chunk);
      this.#dispatch(socket, chunk);
    };
    const stopWaiting = () => {
      clearTimeout(timer);
      this.#silent.delete(socket);
      socket.off('data', receive);
      socket.off('close', stopWaiting);
    };
    socket.on('data', receive);
    socket.on('close', stopWaiting);
  };

  /** Refuses new clients, and drops those that are still silent. */
  close(): void {
    this.#isClosed = true;
    for (const socket of this.#silent) socket.destroy();
  }

  #dispatch(socket: Socket, chunk: Buffer): void {
    const [firstByte] = chunk;
    const { amqp, http, tls } = this.#protocols;
    if (tls !== undefined && firstByte === TLS_HANDSHAKE) {
      // The socket stays paused, because node:tls reads from its handle and not from the stream.
      tls(socket, chunk);
      return;
    }
    if (isMethod(firstByte)) {
      http(socket);
      // Not resumed within this turn: that would undo the pause of node:http, and read a body of any size into memory.
      process.nextTick(() => socket.resume());
      return;
    }
    // Data flows from the next tick on, when the new owner listens, unless the owner pauses the socket again.
    socket.resume();
    amqp(socket);
  }
}

/** HTTP methods start with a capital letter, and no method in use starts with the A of AMQP. */
function isMethod(firstByte: number | undefined): boolean {
  return firstByte !== undefined && firstByte > A && firstByte <= Z;
}
