// All ports of an emulator: behind each of them is the same entrance, and another one inside of TLS.

import type { Socket } from 'node:net';
import { Entrance, type Protocols } from './entrance.js';
import type { Address } from './listen.js';
import { Port } from './port.js';
import { PortError } from './port-error.js';
import { TlsDoor, type TlsOptions } from './tls-door.js';

export class Gateway {
  readonly #entrance: Entrance;
  readonly #inside: Entrance;
  readonly #tls: TlsDoor | undefined;
  readonly #ports: Port[] = [];

  /** Without `tls`, nothing is decrypted. */
  constructor(protocols: Omit<Protocols, 'tls'>, tls?: TlsOptions) {
    this.#inside = new Entrance({ ...protocols, tls: refuse });
    this.#tls = tls && new TlsDoor(tls, this.#inside.welcome);
    this.#entrance = new Entrance({
      ...protocols,
      tls: this.#tls && ((...client) => this.#tls?.take(...client)),
    });
  }

  /** Which port it is, where any would do. Throws a PortError. */
  async open(address: Address): Promise<number> {
    const port = await Port.open(address, this.#entrance.welcome);
    this.#ports.push(port);
    return port.port;
  }

  /** For a port that is no more than a convenience; undefined: it cannot be had, and why has been told. */
  async openIfFree(address: Address, tell: (why: PortError) => void): Promise<number | undefined> {
    try {
      return await this.open(address);
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      tell(error);
      return undefined;
    }
  }

  /** Lets nobody in from now on; resolves when every socket is gone. */
  async close(): Promise<void> {
    this.#entrance.close();
    this.#tls?.close();
    this.#inside.close();
    await Promise.all(this.#ports.map((port) => port.close()));
  }
}

/** TLS inside of TLS is nobody's protocol. */
function refuse(socket: Socket): void {
  socket.destroy();
}
