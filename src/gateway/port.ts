// A listening TCP port: hands every accepted socket on, and takes all of them down when it closes.

import { createServer, type Server, type Socket } from 'node:net';
import { type Address, listen } from './listen.js';

/** Time that open sockets get to end by themselves when the port closes. */
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

  /** Throws a PortError. `onConnection` is called for each client, in the turn it is accepted in. */
  static async open(address: Address, onConnection: (socket: Socket) => void): Promise<Port> {
    const sockets = new Set<Socket>();
    const accept = (socket: Socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      // A reset is not worth more than the 'close' that follows; without a listener it would end the process.
      socket.on('error', () => {});
      onConnection(socket);
    };
    // Answers are small and awaited: never held back to be sent with later ones.
    const { servers, port } = await listen(address, () => createServer({ noDelay: true }, accept));
    return new Port(port, servers, sockets);
  }

  /** Accepts nobody from now on; resolves when every socket is gone, by force after the grace. */
  async close(graceMs = GRACE_MS): Promise<void> {
    const closed = this.#servers.map((server) => new Promise((resolve) => server.close(resolve)));
    const force = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, graceMs);
    await Promise.all(closed);
    clearTimeout(force);
  }
}
