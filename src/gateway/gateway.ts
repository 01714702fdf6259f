// All ports of an emulator: behind each of them is the same entrance.

import { Entrance, type Protocols } from './entrance.js';
import type { Address } from './listen.js';
import { Port } from './port.js';

export class Gateway {
  readonly #entrance: Entrance;
  readonly #ports: Port[] = [];

  constructor(protocols: Protocols) {
    this.#entrance = new Entrance(protocols);
  }

  /** Which port it is, where any would do. Throws a PortError. */
  async open(address: Address): Promise<number> {
    const port = await Port.open(address, this.#entrance.welcome);
    this.#ports.push(port);
    return port.port;
  }

  /** Lets nobody in from now on; resolves when every socket is gone. */
  async close(): Promise<void> {
    this.#entrance.close();
    await Promise.all(this.#ports.map((port) => port.close()));
  }
}
