// Decrypts TLS sockets. Loads the certificate and `node:tls` with the first one.

import type { Socket } from 'node:net';
import type { Server, TLSSocket } from 'node:tls';
import type { Certificates } from '../security/certificates.js';
import { isForHttps, type Runtime, runtimeOf } from './client-hello.js';
import { type FailedClient, hintForDisconnect, hintForHandshake } from './tls-hints.js';

export type TlsOptions = {
  readonly certificates: Certificates;
  /** Called once for each way in which clients fail, with the remedy. */
  readonly onHint: (hint: string) => void;
  readonly handshakeMs?: number;
};

/** Refuses a client that offers only HTTP/2, and accepts a client without ALPN. */
const PROTOCOLS = ['http/1.1', 'amqp'];
/** The same time that a client gets for the head of a request. */
const HANDSHAKE_MS = 10_000;

export class TlsServer {
  readonly #options: TlsOptions;
  readonly #decrypted: (socket: Socket) => void;
  /** Sockets in a handshake by the addresses of both ends, because `node:tls` emits a different socket object. */
  readonly #handshakes = new Map<string, Socket>();
  /** One server for each kind of client, so that the server that reports a failed handshake identifies its client. */
  readonly #servers = new Map<string, Serving>();
  readonly #peers = new Map<string, Peers>();
  readonly #hinted = new Set<string>();
  #loading: Promise<typeof import('node:tls')> | undefined;
  #isClosed = false;

  constructor(options: TlsOptions, decrypted: (socket: Socket) => void) {
    this.#options = options;
    this.#decrypted = decrypted;
  }

  /** Takes a paused socket with its input unread. `clientHello` is the first chunk of the input. */
  take(socket: Socket, clientHello: Buffer): void {
    if (this.#isClosed) {
      socket.destroy();
      return;
    }
    const connection = addressesOf(socket);
    this.#handshakes.set(connection, socket);
    socket.once('close', () => {
      if (this.#handshakes.get(connection) === socket) this.#handshakes.delete(connection);
    });
    this.#serverFor({ runtime: runtimeOf(clientHello), isForHttps: isForHttps(clientHello) }).then(
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

  /** Refuses new clients, and drops those in a handshake. */
  close(): void {
    this.#isClosed = true;
    for (const socket of this.#handshakes.values()) socket.destroy();
  }

  async #serverFor(kind: ClientKind): Promise<Server> {
    const certificate = await this.#options.certificates.server();
    this.#loading ??= import('node:tls');
    const tls = await this.#loading;
    const name = `${kind.runtime} ${kind.isForHttps}`;
    const serving = this.#servers.get(name) ?? {
      server: this.#makeServer(tls, kind),
      certificate: undefined,
    };
    this.#servers.set(name, serving);
    if (serving.certificate !== certificate) {
      serving.server.setSecureContext(certificate);
      serving.certificate = certificate;
    }
    return serving.server;
  }

  /** Makes a server that never listens and gets its sockets from `take`. */
  #makeServer(tls: typeof import('node:tls'), kind: ClientKind): Server {
    const { handshakeMs = HANDSHAKE_MS, certificates } = this.#options;
    const client: FailedClient = { ...kind, authorityPath: certificates.authorityPath };
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
    // A reset is handled by the 'close' event that follows, as in `Port`.
    socket.on('error', () => {});
    this.#handshakes.delete(addressesOf(socket));
    this.#watchSilence(socket, client);
    this.#decrypted(socket);
  }

  /**
   * Gives a hint if a client disconnects without having sent anything, because a TLS 1.3 client checks the certificate after our side has
   * finished the handshake. If another connection of the client has sent something, the client trusts the certificate. Then this
   * connection is a spare one, as .NET's pool opens them.
   */
  #watchSilence(socket: TLSSocket, client: FailedClient): void {
    const key = `${client.runtime} ${socket.remoteAddress}`;
    const peers = this.#peers.get(key) ?? { openCount: 0, speakingCount: 0, suspects: new Set() };
    this.#peers.set(key, peers);
    peers.openCount += 1;
    let speaks = false;
    if (peers.speakingCount === 0) peers.suspects.add(socket);
    socket.once('data', () => {
      speaks = true;
      peers.speakingCount += 1;
      peers.suspects.clear();
    });
    socket.once('close', () => {
      peers.openCount -= 1;
      if (peers.openCount === 0) this.#peers.delete(key);
      if (speaks) peers.speakingCount -= 1;
      if (peers.suspects.delete(socket)) this.#hint(hintForDisconnect(client));
    });
  }

  /** Gives one hint for each `about`, because the rest of the text may differ each time. */
  #hint(hint: string, about = hint): void {
    if (this.#isClosed || this.#hinted.has(about)) return;
    this.#hinted.add(about);
    this.#options.onHint(hint);
  }
}

type ClientKind = { readonly runtime: Runtime | undefined; readonly isForHttps: boolean };

type Serving = {
  readonly server: Server;
  /** The server's current certificate, compared to notice a renewal. */
  certificate: unknown;
};

type Peers = {
  openCount: number;
  speakingCount: number;
  /** Silent connections that were never open at the same time as one that has sent something. */
  readonly suspects: Set<TLSSocket>;
};

function addressesOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
