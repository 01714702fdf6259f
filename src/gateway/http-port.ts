// A listening HTTP port: node:http with limits against slow and oversized requests; what is answered is decided in `http/`.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Address, listen } from './listen.js';

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 32 * 1024,
};
/** Time that requests under way get when the port closes. */
const GRACE_MS = 1000;

export class HttpPort {
  readonly port: number;
  readonly #servers: readonly Server[];

  private constructor(port: number, servers: readonly Server[]) {
    this.port = port;
    this.#servers = servers;
  }

  /** Throws a PortError. */
  static async open(address: Address, handler: RequestHandler): Promise<HttpPort> {
    const { servers, port } = await listen(address, () => createServer(LIMITS, handler));
    return new HttpPort(port, servers);
  }

  /** Accepts nobody from now on, drops idle connections, and after the grace all others. */
  async close(graceMs = GRACE_MS): Promise<void> {
    const closed = this.#servers.map((server) => new Promise((resolve) => server.close(resolve)));
    for (const server of this.#servers) server.closeIdleConnections();
    const force = setTimeout(() => {
      for (const server of this.#servers) server.closeAllConnections();
    }, graceMs);
    await Promise.all(closed);
    clearTimeout(force);
  }
}
