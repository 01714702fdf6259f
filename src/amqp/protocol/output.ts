// Output of a connection that waits for its write: small frames share a buffer, large payloads are not copied, unless their memory is used
// again.

import { ByteWriter } from '../../codec/byte-writer.js';
import type { ReusedBlocks } from '../../codec/reused-blocks.js';
import { compacted } from '../../codec/small-part.js';

/** Larger payloads are written uncopied. */
export const COPY_LIMIT_BYTES = 4096;

/** The output of one write. */
type Write = {
  readonly buffers: Buffer[];
  /** The blocks in which some of the buffers lie. */
  readonly blocks: Buffer[];
};

export class Output {
  readonly writer = new ByteWriter();
  readonly #blocks: ReusedBlocks | undefined;
  #writes: [Write, ...Write[]] = [{ buffers: [], blocks: [] }];
  #takenBytes = 0;
  /** The block that is being filled, and the room in it. */
  #block: Buffer | undefined;
  #freeBytes = 0;
  /** How many writes that have not ended have a part of each block. */
  readonly #writeCounts = new Map<Buffer, number>();

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

  /** A write has ended, and the stream no longer needs its parts of these blocks. */
  give(blocks: readonly Buffer[]): void {
    for (const block of blocks) {
      const left = (this.#writeCounts.get(block) ?? 0) - 1;
      if (left > 0) this.#writeCounts.set(block, left);
      else if (this.#writeCounts.delete(block)) this.#blocks?.give(block);
      if (left <= 0 && block === this.#block) this.#block = undefined;
    }
  }

  /** A write has failed, and the stream may still read these blocks. */
  lose(blocks: readonly Buffer[]): void {
    for (const block of blocks) {
      if (this.#writeCounts.delete(block)) this.#blocks?.lose();
      if (block === this.#block) this.#block = undefined;
    }
  }

  /** Gives up all that waits, because nothing more is written. */
  drop(): void {
    for (const { blocks } of this.#writes) this.give(blocks);
    this.#writes = [{ buffers: [], blocks: [] }];
    this.#takenBytes = 0;
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
    if (this.#block === undefined || bytes.length > this.#freeBytes) {
      const next = this.#blocks?.take();
      if (next === undefined || bytes.length > next.length) {
        if (next !== undefined) this.#blocks?.give(next);
        return compacted(bytes);
      }
      this.#block = next;
      this.#freeBytes = next.length;
    }
    const block = this.#block;
    const { blocks } = this.#lastWrite;
    if (!blocks.includes(block)) {
      blocks.push(block);
      this.#writeCounts.set(block, (this.#writeCounts.get(block) ?? 0) + 1);
    }
    const start = block.length - this.#freeBytes;
    bytes.copy(block, start);
    this.#freeBytes -= bytes.length;
    return block.subarray(start, start + bytes.length);
  }

  #addWrite(): void {
    this.#writes.push({ buffers: [], blocks: [] });
  }

  get #lastWrite(): Write {
    return this.#writes[this.#writes.length - 1] as Write;
  }
}
