// A listening HTTP port: node:http with limits against slow and oversized requests; what is answered is decided in `http/`.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Address, listen } from './listen.js';

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 32 * 1024,
};
/** Time that requests under way get when the port closes; a stop as a whole has two seconds. */
const GRACE_MS = 500;

export class HttpPort {
  readonly port: number;
  readonly #servers: readonly Server[];
  readonly #clients: Clients;

  private constructor(port: number, servers: readonly Server[], clients: Clients) {
    this.port = port;
    this.#servers = servers;
    this.#clients = clients;
  }

  /** Throws a PortError. */
  static async open(address: Address, handler: RequestHandler): Promise<HttpPort> {
    const clients = new Clients();
    const { servers, port } = await listen(address, () =>
      createServer(LIMITS, (request, response) => {
        clients.asked(request.socket, response);
        handler(request, response);
      }).on('connection', (socket: Socket) => clients.came(socket)),
    );
    return new HttpPort(port, servers, clients);
  }

  /** Accepts nobody from now on, drops who has asked nothing, and after the grace all others. */
  async close(graceMs = GRACE_MS): Promise<void> {
    const closed = this.#servers.map((server) => new Promise((resolve) => server.close(resolve)));
    this.#clients.dropIdle();
    const force = setTimeout(() => this.#clients.dropAll(), graceMs);
    await Promise.all(closed);
    clearTimeout(force);
  }
}

/** Sockets and what they wait for. node:http takes a socket on which nothing was ever asked for a busy one. */
class Clients {
  readonly #underWay = new Map<Socket, Set<ServerResponse>>();

  came(socket: Socket): void {
    this.#underWay.set(socket, new Set());
    socket.once('close', () => this.#underWay.delete(socket));
  }

  asked(socket: Socket, response: ServerResponse): void {
    const responses = this.#underWay.get(socket);
    responses?.add(response);
    response.once('close', () => responses?.delete(response));
  }

  /** Those that wait for an answer stay; node:http closes them after it, because its server is closing. */
  dropIdle(): void {
    for (const [socket, responses] of this.#underWay) if (responses.size === 0) socket.destroy();
  }

  dropAll(): void {
    for (const socket of this.#underWay.keys()) socket.destroy();
  }
}
