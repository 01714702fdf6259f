// A TCP proxy on loopback that passes bytes on as they come and keeps the AMQP frames of both directions.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer, type TlsOptions } from 'node:tls';
import { cutFrames, type Direction, type RecordedFrame } from '../../test/support/recording.js';

const LOOPBACK = '127.0.0.1';

export class RecordingProxy implements AsyncDisposable {
  readonly startedAt = Date.now();
  readonly frames: RecordedFrame[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #connectionCount = 0;
  #lastTimeMs = -1;

  private constructor(targetPort: number, certificate: TlsOptions | undefined) {
    const serve = (client: Socket) => this.#serve(client, targetPort);
    this.#server = certificate === undefined ? createServer(serve) : createSecureServer(certificate, serve);
  }

  /** With a certificate it speaks TLS with the client, and none with the target. */
  static async listen(targetPort: number, certificate?: TlsOptions): Promise<RecordingProxy> {
    const proxy = new RecordingProxy(targetPort, certificate);
    await once(proxy.#server.listen(0, LOOPBACK), 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(client: Socket, targetPort: number): void {
    this.#connectionCount += 1;
    const connection = this.#connectionCount;
    const server = connect(targetPort, LOOPBACK);
    this.#pass(client, server, { connection, from: 'client' });
    this.#pass(server, client, { connection, from: 'server' });
  }

  #pass(source: Socket, target: Socket, origin: { connection: number; from: Direction }): void {
    this.#sockets.add(source);
    const cut = cutFrames();
    source.on('data', (chunk) => {
      target.write(chunk);
      const timeMs = this.#nextTimeMs();
      for (const bytes of cut(chunk)) this.frames.push({ timeMs, ...origin, bytes });
    });
    source.on('end', () => target.end());
    source.on('error', () => target.destroy());
    source.on('close', () => {
      this.#sockets.delete(source);
      target.destroySoon();
    });
  }

  /** Each read has a time of its own, so that frames of one read are known by it. */
  #nextTimeMs(): number {
    this.#lastTimeMs = Math.max(this.#lastTimeMs + 1, Date.now() - this.startedAt);
    return this.#lastTimeMs;
  }
}
