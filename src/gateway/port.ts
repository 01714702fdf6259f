// A listening TCP port: hands on every accepted socket, and closes all of them when it closes.

import { createServer, type Server, type Socket } from 'node:net';
import { type Address, listen } from './listen.js';

/** Time for open sockets to close on their own before the port destroys them. */
const GRACE_MS = 1000;

export class Port {
  readonly port: number;
  readonly #servers: readonly Server[];
  readonly #sockets: Set<Socket>;

  private constructor(port: number, servers: readonly Server[], sockets: Set<Socket>) {
    this.port = port;
    this.#servers = servers;
    this.#sockets = sockets;
  }

  get connectionCount(): number {
    return this.#sockets.size;
  }

  /** Calls `onConnection` for each client in the turn that accepts it. Throws a JitneyError. */
  static async open(address: Address, onConnection: (socket: Socket) => void): Promise<Port> {
    const sockets = new Set<Socket>();
    const accept = (socket: Socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      // A reset is handled by the 'close' event that follows. Without this listener it would end the process.
      socket.on('error', () => {});
      onConnection(socket);
    };
    // Answers are small and awaited: Nagle's algorithm would delay them.
    const { servers, port } = await listen(address, () => createServer({ noDelay: true }, accept));
    return new Port(port, servers, sockets);
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
