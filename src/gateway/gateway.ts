// All ports of an emulator. Every port accepts every protocol, in plain text and inside TLS.

import type { Socket } from 'node:net';
import type { Address } from './listen.js';
import { Port } from './port.js';
import { PortError } from './port-error.js';
import { ProtocolSniffer, type Protocols } from './protocol-sniffer.js';
import { type TlsOptions, TlsServer } from './tls-server.js';

export class Gateway {
  readonly #sniffer: ProtocolSniffer;
  readonly #insideTls: ProtocolSniffer;
  readonly #tls: TlsServer | undefined;
  readonly #ports: Port[] = [];

  /** Without `tls`, nothing is decrypted. */
  constructor(protocols: Omit<Protocols, 'tls'>, tls?: TlsOptions) {
    this.#insideTls = new ProtocolSniffer({ ...protocols, tls: refuse });
    this.#tls = tls && new TlsServer(tls, this.#insideTls.accept);
    this.#sniffer = new ProtocolSniffer({
      ...protocols,
      tls: this.#tls && ((...client) => this.#tls?.take(...client)),
    });
  }

  /** Opens a port and returns its number. Throws a PortError. */
  async open(address: Address): Promise<number> {
    const port = await Port.open(address, this.#sniffer.accept);
    this.#ports.push(port);
    return port.port;
  }

  /** Opens a port that is a convenience only; calls `onUnavailable` with the reason and returns undefined when it is not available. */
  async openIfFree(address: Address, onUnavailable: (why: PortError) => void): Promise<number | undefined> {
    try {
      return await this.open(address);
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      onUnavailable(error);
      return undefined;
    }
  }

  /** Refuses new clients; resolves when every socket is closed. */
  async close(): Promise<void> {
    this.#sniffer.close();
    this.#tls?.close();
    this.#insideTls.close();
    await Promise.all(this.#ports.map((port) => port.close()));
  }
}

/** Refuses TLS inside TLS. */
function refuse(socket: Socket): void {
  socket.destroy();
}
