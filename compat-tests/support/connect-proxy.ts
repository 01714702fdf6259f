// A proxy of the kind that companies have: it knows CONNECT and nothing else.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export class ConnectProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** How many connections it has made. */
  connectionCount = 0;

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => this.#keep(socket));
    server.on('connect', (request, client) => {
      const { hostname, port } = new URL(`http://${request.url}`);
      const target = this.#keep(connect({ host: hostname, port: Number(port) }));
      target.once('connect', () => {
        this.connectionCount += 1;
        client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        client.pipe(target).pipe(client);
      });
      client.once('close', () => target.destroy());
      target.once('close', () => client.destroy());
    });
  }

  static async start(): Promise<ConnectProxy> {
    const server = createServer((_, response) => response.writeHead(405).end());
    const proxy = new ConnectProxy(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #keep(socket: Socket): Socket {
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }
}
