// Random ids, drawn 256 at a time from the machine's random source.

import { randomFillSync } from 'node:crypto';
import type { Guids } from './ports.js';

const GUID_BYTES = 16;
const POOL_BYTES = 256 * GUID_BYTES;

export class SystemGuids implements Guids {
  readonly #pool = Buffer.allocUnsafeSlow(POOL_BYTES);
  #next = POOL_BYTES;

  next(): string {
    if (this.#next === POOL_BYTES) {
      randomFillSync(this.#pool);
      this.#next = 0;
    }
    const start = this.#next;
    this.#next += GUID_BYTES;
    return this.#pool.toString('hex', start, this.#next);
  }
}
