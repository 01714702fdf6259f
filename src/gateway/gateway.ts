// All ports of an emulator. Every port accepts every protocol, in plain text and inside TLS.

import type { Socket } from 'node:net';
import type { Room } from './descriptors.js';
import type { Address } from './listen.js';
import { Port } from './port.js';
import { ProtocolSniffer, type Protocols } from './protocol-sniffer.js';
import { ReadBuffer } from './read-buffer.js';
import { type TlsOptions, TlsServer } from './tls-server.js';

/** Decides which clients are served, and tells the others that there is no room. */
export type Admission = Omit<Protocols, 'tls'> & {
  readonly roomFor: (socket: Socket, connectionCount: number) => Room;
};

/** A client that was told that there is no room is disconnected after this time. */
const REFUSAL_MS = 5000;

export class Gateway {
  readonly #sniffer: ProtocolSniffer;
  readonly #refusing: ProtocolSniffer | undefined;
  readonly #admission: Admission | undefined;
  readonly #insideTls: ProtocolSniffer;
  readonly #tls: TlsServer | undefined;
  readonly #ports = new Set<Port>();

  /** Without `tls`, nothing is decrypted. Without `admission`, every client is served. */
  constructor(protocols: Omit<Protocols, 'tls'>, tls?: TlsOptions, admission?: Admission) {
    this.#admission = admission;
    // A client with TLS gets no answer, because its handshake would cost more than serving it.
    this.#refusing = admission && new ProtocolSniffer({ ...admission, tls: refuse }, REFUSAL_MS);
    this.#insideTls = new ProtocolSniffer({ ...protocols, tls: refuse });
    this.#tls = tls && new TlsServer(tls, this.#insideTls.accept);
    const readBuffer = new ReadBuffer();
    this.#sniffer = new ProtocolSniffer({
      ...protocols,
      amqp: (socket) => protocols.amqp(readBuffer.adopt(socket)),
      tls: this.#tls && ((...client) => this.#tls?.take(...client)),
    });
  }

  /** Opens a port and returns its number. Throws a JitneyError. */
  async open(address: Address): Promise<number> {
    const port = await Port.open(address, this.#accept);
    this.#ports.add(port);
    return port.port;
  }

  /** Closes one port; resolves when every socket of it is closed. */
  async closePort(number: number): Promise<void> {
    const found = [...this.#ports].filter(({ port }) => port === number);
    for (const port of found) this.#ports.delete(port);
    await Promise.all(found.map((port) => port.close()));
  }

  /** Serves the clients of a port that is open, also those that wait there. Returns its number. */
  take(port: Port): number {
    this.#ports.add(port);
    port.serve(this.#accept);
    return port.port;
  }

  /** Refuses new clients; resolves when every socket is closed. */
  async close(): Promise<void> {
    this.#sniffer.close();
    this.#refusing?.close();
    this.#tls?.close();
    this.#insideTls.close();
    await Promise.all([...this.#ports].map((port) => port.close()));
  }

  readonly #accept = (socket: Socket): void => {
    switch (this.#admission?.roomFor(socket, this.#connectionCount()) ?? 'free') {
      case 'free':
        this.#sniffer.accept(socket);
        return;
      case 'full':
        this.#refusing?.accept(socket);
        destroyAfter(socket, REFUSAL_MS);
        return;
      case 'exhausted':
        socket.destroy();
    }
  };

  #connectionCount(): number {
    let count = 0;
    for (const port of this.#ports) count += port.connectionCount;
    return count;
  }
}

/** Refuses TLS inside TLS, and TLS if there is no room. */
function refuse(socket: Socket): void {
  socket.destroy();
}

function destroyAfter(socket: Socket, durationMs: number): void {
  const timer = setTimeout(() => socket.destroy(), durationMs);
  socket.once('close', () => clearTimeout(timer));
}
