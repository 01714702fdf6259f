// Behind every port: looks at the first byte a client sends, and hands it to those who speak its protocol.

import type { Socket } from 'node:net';

export type Protocols = {
  /** Also what is of no known protocol: it knows how to say so. */
  readonly amqp: (socket: Socket) => void;
  readonly http: (socket: Socket) => void;
};

/** How long a client may say nothing; as long as one may take for its AMQP handshake. */
const SILENCE_MS = 30_000;
const A = 0x41;
const Z = 0x5a;

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
      // It flows from the next tick on, when whoever takes it listens, unless that one has paused it again.
      socket.resume();
      this.#protocols[protocolOf(chunk[0])](socket);
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
}

/** A method of HTTP is in capital letters, and none that is used begins with the A of AMQP. */
function protocolOf(firstByte: number | undefined): keyof Protocols {
  return firstByte !== undefined && firstByte > A && firstByte <= Z ? 'http' : 'amqp';
}
