// Behind every port: looks at the first byte a client sends, and hands it to those who speak its protocol.

import type { Socket } from 'node:net';

export type Protocols = {
  /** Also what is of no known protocol: it knows how to say so. */
  readonly amqp: (socket: Socket) => void;
  readonly http: (socket: Socket) => void;
  /** Gives what it has decrypted back to an entrance. Without it, TLS is a protocol that is not known. `greeting` is still to be read, too. */
  readonly tls?: ((socket: Socket, greeting: Buffer) => void) | undefined;
};

/** How long a client may say nothing; as long as one may take for its AMQP handshake. */
const SILENCE_MS = 30_000;
const A = 0x41;
const Z = 0x5a;
/** The type of a record in which a handshake of TLS begins. */
const TLS_HANDSHAKE = 0x16;

export class Entrance {
  readonly #protocols: Protocols;
  readonly #silenceMs: number;
  readonly #silent = new Set<Socket>();
  #isClosed = false;

  constructor(protocols: Protocols, silenceMs = SILENCE_MS) {
    this.#protocols = protocols;
    this.#silenceMs = silenceMs;
  }

  /** Waits for the first byte, and for nothing after it. */
  readonly welcome = (socket: Socket): void => {
    if (this.#isClosed) {
      socket.destroy();
      return;
    }
    this.#silent.add(socket);
    const impatience = setTimeout(() => socket.destroy(), this.#silenceMs);
    const spoken = (chunk: Buffer) => {
      listened();
      socket.pause();
      socket.unshift(chunk);
      this.#hand(socket, chunk);
    };
    const listened = () => {
      clearTimeout(impatience);
      this.#silent.delete(socket);
      socket.off('data', spoken);
      socket.off('close', listened);
    };
    socket.on('data', spoken);
    socket.on('close', listened);
  };

  /** Lets nobody in from now on, and drops who has said nothing yet. */
  close(): void {
    this.#isClosed = true;
    for (const socket of this.#silent) socket.destroy();
  }

  #hand(socket: Socket, chunk: Buffer): void {
    const [firstByte] = chunk;
    const { amqp, http, tls } = this.#protocols;
    if (tls !== undefined && firstByte === TLS_HANDSHAKE) {
      // Paused: it is not read as a stream any more.
      tls(socket, chunk);
      return;
    }
    // It flows from the next tick on, when whoever takes it listens, unless that one has paused it again.
    socket.resume();
    if (isMethod(firstByte)) http(socket);
    else amqp(socket);
  }
}

/** A method of HTTP is in capital letters, and none that is used begins with the A of AMQP. */
function isMethod(firstByte: number | undefined): boolean {
  return firstByte !== undefined && firstByte > A && firstByte <= Z;
}
