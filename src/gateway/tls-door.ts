// Makes of a socket that speaks TLS one with what is said inside of it. The certificate, and `node:tls`, are loaded with the first.

import type { Socket } from 'node:net';
import type { Server, TLSSocket } from 'node:tls';
import type { Certificates } from '../security/certificates.js';
import { type Runtime, runtimeOf } from './client-hello.js';
import { type FailedClient, hintForHandshake, hintForSilence } from './tls-hints.js';

export type TlsOptions = {
  readonly certificates: Certificates;
  /** Told, once each, what clients do that cannot work, and how it could. */
  readonly onHint: (hint: string) => void;
  readonly handshakeMs?: number;
};

/** HTTP/2 is not spoken, and who offers nothing else is refused; who offers nothing at all is not. */
const PROTOCOLS = ['http/1.1', 'amqp'];
/** As long as one may take for the head of a request. */
const HANDSHAKE_MS = 10_000;

export class TlsDoor {
  readonly #options: TlsOptions;
  readonly #decrypted: (socket: Socket) => void;
  /** By both ends of the connection: `node:tls` gives back another socket than it was handed. */
  readonly #shakingHands = new Map<string, Socket>();
  /** One for each runtime: a handshake that fails says to its server alone which client it was of. */
  readonly #servers = new Map<Runtime | undefined, Serving>();
  readonly #told = new Set<string>();
  #loading: Promise<typeof import('node:tls')> | undefined;
  #isClosed = false;

  constructor(options: TlsOptions, decrypted: (socket: Socket) => void) {
    this.#options = options;
    this.#decrypted = decrypted;
  }

  /** Takes a socket that is paused, with all that it was sent still to be read; `greeting` is the first of that. */
  take(socket: Socket, greeting: Buffer): void {
    if (this.#isClosed) {
      socket.destroy();
      return;
    }
    const ends = endsOf(socket);
    this.#shakingHands.set(ends, socket);
    socket.once('close', () => {
      if (this.#shakingHands.get(ends) === socket) this.#shakingHands.delete(ends);
    });
    this.#serverFor(runtimeOf(greeting)).then(
      (server) => {
        if (!socket.destroyed) server.emit('connection', socket);
      },
      (error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        const about = error instanceof Error && 'kind' in error ? String(error.kind) : why;
        this.#hint(`There is no certificate for TLS: ${why}`, about);
        socket.destroy();
      },
    );
  }

  /** Lets nobody in from now on, and drops whose handshake is not over. */
  close(): void {
    this.#isClosed = true;
    for (const socket of this.#shakingHands.values()) socket.destroy();
  }

  async #serverFor(runtime: Runtime | undefined): Promise<Server> {
    const certificate = await this.#options.certificates.server();
    this.#loading ??= import('node:tls');
    const tls = await this.#loading;
    const serving = this.#servers.get(runtime) ?? {
      server: this.#makeServer(tls, runtime),
      certificate: undefined,
    };
    this.#servers.set(runtime, serving);
    if (serving.certificate !== certificate) {
      serving.server.setSecureContext(certificate);
      serving.certificate = certificate;
    }
    return serving.server;
  }

  /** It listens nowhere and is handed its sockets. */
  #makeServer(tls: typeof import('node:tls'), runtime: Runtime | undefined): Server {
    const { handshakeMs = HANDSHAKE_MS, certificates } = this.#options;
    const client: FailedClient = { runtime, authorityPath: certificates.authorityPath };
    const server = tls.createServer({
      handshakeTimeout: handshakeMs,
      ALPNProtocols: PROTOCOLS,
      SNICallback: (name, done) =>
        certificates.serverFor(name).then(
          (served) => done(null, served && tls.createSecureContext(served)),
          (error: Error) => done(error),
        ),
    });
    server.on('secureConnection', (socket) => this.#secured(socket, client));
    server.on('tlsClientError', (error, socket) => {
      const hint = hintForHandshake(error, client);
      if (hint !== undefined) this.#hint(hint);
      socket.destroy();
    });
    return server;
  }

  #secured(socket: TLSSocket, client: FailedClient): void {
    // Like those of a port: a reset is not worth more than the 'close' that follows.
    socket.on('error', () => {});
    this.#shakingHands.delete(endsOf(socket));
    // A client of TLS 1.3 looks at the certificate when the handshake is over for us.
    const unheard = () => this.#hint(hintForSilence(client));
    socket.once('close', unheard);
    socket.once('data', () => socket.off('close', unheard));
    this.#decrypted(socket);
  }

  /** Once for each `about`: the rest of a text may be another one each time. */
  #hint(hint: string, about = hint): void {
    if (this.#isClosed || this.#told.has(about)) return;
    this.#told.add(about);
    this.#options.onHint(hint);
  }
}

type Serving = {
  readonly server: Server;
  /** The one that the server has, to see when there is another. */
  certificate: unknown;
};

function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
