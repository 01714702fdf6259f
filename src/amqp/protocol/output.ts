// Output of a connection that waits for its write: small frames share a buffer, large payloads are not copied, unless their memory is used
// again.

import { ByteWriter } from '../../codec/byte-writer.js';
import { compacted } from '../../codec/gathered-bytes.js';
import type { ReusedBlocks } from '../../codec/reused-blocks.js';

/** Larger payloads are written uncopied. */
export const COPY_LIMIT_BYTES = 4096;

/** The output of one write. */
type Write = {
  readonly buffers: Buffer[];
  /** The blocks in which some of the buffers lie; to be given back when they are written. */
  readonly blocks: Buffer[];
};

export class Output {
  readonly writer = new ByteWriter();
  readonly #blocks: ReusedBlocks | undefined;
  #writes: [Write, ...Write[]] = [{ buffers: [], blocks: [] }];
  #takenBytes = 0;
  /** The room in the last block of the last write. */
  #freeBytes = 0;

  /** Without `blocks`, what is copied gets memory of its own. */
  constructor(blocks?: ReusedBlocks) {
    this.#blocks = blocks;
  }

  /** Bytes waiting to be taken. */
  get byteLength(): number {
    return this.#takenBytes + this.writer.length;
  }

  /** `isReused`: the bytes are valid only during this call. */
  payload(bytes: Buffer, isReused: boolean): void {
    if (bytes.length <= COPY_LIMIT_BYTES) {
      this.writer.bytes(bytes);
      return;
    }
    this.#closeBuffer();
    this.#push(isReused ? this.#copied(bytes) : bytes);
  }

  /** Separates two writes: later output does not reach the peer in the same write as earlier output. */
  breakWrite(): void {
    this.#closeBuffer();
    if (this.#lastWrite.buffers.length > 0) this.#addWrite();
  }

  /** The next write, and whether more wait behind it. `give` or `lose` its blocks when it has ended. */
  take(): Write & { readonly hasMore: boolean } {
    this.#closeBuffer();
    const [write] = this.#writes;
    if (this.#writes.length === 1) this.#addWrite();
    this.#writes.shift();
    for (const buffer of write.buffers) this.#takenBytes -= buffer.length;
    return { ...write, hasMore: this.#writes.length > 1 || this.#lastWrite.buffers.length > 0 };
  }

  /** The stream no longer needs these blocks. */
  give(blocks: readonly Buffer[]): void {
    for (const block of blocks) this.#blocks?.give(block);
  }

  /** The stream failed, and may still read these blocks. */
  lose(blocks: readonly Buffer[]): void {
    for (const _ of blocks) this.#blocks?.lose();
  }

  /** Gives up all that waits, because nothing more is written. */
  drop(): void {
    for (const { blocks } of this.#writes) this.give(blocks);
    this.#writes = [{ buffers: [], blocks: [] }];
    this.#takenBytes = 0;
    this.#freeBytes = 0;
  }

  #closeBuffer(): void {
    if (this.writer.length > 0) this.#push(this.writer.take());
  }

  #push(buffer: Buffer): void {
    this.#lastWrite.buffers.push(buffer);
    this.#takenBytes += buffer.length;
  }

  /** Copies the bytes into a block, or into memory of their own if there is none. */
  #copied(bytes: Buffer): Buffer {
    const { blocks } = this.#lastWrite;
    if (bytes.length > this.#freeBytes) {
      const block = this.#blocks?.take();
      if (block === undefined) return compacted(bytes);
      blocks.push(block);
      this.#freeBytes = block.length;
    }
    const block = blocks.at(-1) as Buffer;
    const start = block.length - this.#freeBytes;
    bytes.copy(block, start);
    this.#freeBytes -= bytes.length;
    return block.subarray(start, start + bytes.length);
  }

  #addWrite(): void {
    this.#writes.push({ buffers: [], blocks: [] });
    this.#freeBytes = 0;
  }

  get #lastWrite(): Write {
    return this.#writes[this.#writes.length - 1] as Write;
  }
}
