// What a connection has to say and has not yet been written: small frames share a page, large payloads go uncopied.

import { ByteWriter } from '../../codec/byte-writer.js';

const COPY_LIMIT_BYTES = 4096;

export class Output {
  readonly writer = new ByteWriter();
  #groups: Buffer[][] = [[]];
  #takenBytes = 0;

  /** Bytes waiting to be taken. */
  get byteLength(): number {
    return this.#takenBytes + this.writer.length;
  }

  payload(bytes: Buffer): void {
    if (bytes.length <= COPY_LIMIT_BYTES) {
      this.writer.bytes(bytes);
      return;
    }
    this.#closePage();
    this.#push(bytes);
  }

  /** What follows must reach the peer in another write than what came before. */
  breakWrite(): void {
    this.#closePage();
    if (this.#lastGroup().length > 0) this.#groups.push([]);
  }

  /** The buffers of the next write, and whether more writes wait behind it. */
  take(): { buffers: readonly Buffer[]; hasMore: boolean } {
    this.#closePage();
    const buffers = this.#groups.shift() ?? [];
    if (this.#groups.length === 0) this.#groups.push([]);
    for (const buffer of buffers) this.#takenBytes -= buffer.length;
    return { buffers, hasMore: this.#groups.length > 1 || this.#lastGroup().length > 0 };
  }

  #closePage(): void {
    if (this.writer.length > 0) this.#push(this.writer.take());
  }

  #push(buffer: Buffer): void {
    this.#lastGroup().push(buffer);
    this.#takenBytes += buffer.length;
  }

  #lastGroup(): Buffer[] {
    return this.#groups[this.#groups.length - 1] as Buffer[];
  }
}
