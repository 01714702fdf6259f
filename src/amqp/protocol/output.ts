// Output of a connection that waits for its write: small frames share a buffer, large payloads are not copied.

import { ByteWriter } from '../../codec/byte-writer.js';

/** Larger payloads are written uncopied. */
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
    this.#closeBuffer();
    this.#push(bytes);
  }

  /** Separates two writes: later output does not reach the peer in the same write as earlier output. */
  breakWrite(): void {
    this.#closeBuffer();
    if (this.#lastGroup().length > 0) this.#groups.push([]);
  }

  /** The buffers of the next write, and whether more writes wait behind it. */
  take(): { buffers: readonly Buffer[]; hasMore: boolean } {
    this.#closeBuffer();
    const buffers = this.#groups.shift() ?? [];
    if (this.#groups.length === 0) this.#groups.push([]);
    for (const buffer of buffers) this.#takenBytes -= buffer.length;
    return { buffers, hasMore: this.#groups.length > 1 || this.#lastGroup().length > 0 };
  }

  #closeBuffer(): void {
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
