// A listening TCP port: hands on every accepted socket, and closes all of them when it closes.

import { createServer, type Server, type Socket } from 'node:net';
import { type Address, listen } from './listen.js';

/** Time for open sockets to close on their own before the port destroys them. */
const GRACE_MS = 1000;

type Serving = { onConnection: ((socket: Socket) => void) | undefined };
type Parts = {
  readonly port: number;
  readonly servers: readonly Server[];
  readonly sockets: Set<Socket>;
  readonly serving: Serving;
};

export class Port {
  readonly port: number;
  readonly #servers: readonly Server[];
  readonly #sockets: Set<Socket>;
  readonly #serving: Serving;

  private constructor({ port, servers, sockets, serving }: Parts) {
    this.port = port;
    this.#servers = servers;
    this.#sockets = sockets;
    this.#serving = serving;
  }

  get connectionCount(): number {
    return this.#sockets.size;
  }

  /** Calls `onConnection` for each client in the turn that accepts it; without it, clients wait for `serve`. Throws a JitneyError. */
  static async open(address: Address, onConnection?: (socket: Socket) => void): Promise<Port> {
    const serving: Serving = { onConnection };
    const sockets = new Set<Socket>();
    const accept = (socket: Socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      // A reset is handled by the 'close' event that follows. Without this listener it would end the process.
      socket.on('error', () => {});
      serving.onConnection?.(socket);
    };
    // Answers are small and awaited: Nagle's algorithm would delay them.
    const { servers, port } = await listen(address, () => createServer({ noDelay: true }, accept));
    return new Port({ port, servers, sockets, serving });
  }

  /** Serves the clients that wait, in which at most one buffer of bytes has been read, and all later ones. */
  serve(onConnection: (socket: Socket) => void): void {
    this.#serving.onConnection = onConnection;
    for (const socket of this.#sockets) if (!socket.destroyed) onConnection(socket);
  }

  /** Refuses new clients; resolves when every socket is closed, by force after the grace period. */
  async close(graceMs = GRACE_MS): Promise<void> {
    const closed = this.#servers.map((server) => new Promise((resolve) => server.close(resolve)));
    const force = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, graceMs);
    await Promise.all(closed);
    clearTimeout(force);
  }
}
