// Gathers bytes that come in pieces into one buffer. However many there are, they are in memory only once: large amounts are kept in
// blocks, and the system gets the memory of each block back as soon as it is copied. So only one block is there twice.

import { compacted } from './small-part.js';

/** Up to this many bytes, pieces are kept as buffers, because a block costs half a millisecond. Most messages have at most 1 MiB. */
const MAX_LOOSE_BYTES = 2 * 1024 * 1024;
/** This many pieces are joined into one, because the object of a one-byte piece takes a hundred bytes. */
const MAX_LOOSE_PIECES = 64;
const BLOCK_BYTES = 1024 * 1024;
const NOTHING = Buffer.alloc(0);

/** Memory that is given back explicitly. An unused buffer would stay until V8 collects garbage. */
export type Block = { readonly bytes: Uint8Array; free(): void };

export class GatheredBytes {
  readonly #newBlock: (bytes: number) => Block;
  /** Joined pieces, followed by loose ones; empty if there are blocks. */
  #pieces: Buffer[] = [];
  #joinedCount = 0;
  /** The blocks; all but the last are full. */
  #blocks: Block[] = [];
  /** The room in the last block. */
  #freeBytes = 0;
  #byteLength = 0;

  constructor(newBlock = resizableBlock) {
    this.#newBlock = newBlock;
  }

  get byteLength(): number {
    return this.#byteLength;
  }

  /** `isKept`: more pieces follow, so this one stays in memory longer than the read that it came in. */
  append(piece: Buffer, isKept: boolean): void {
    if (piece.length === 0) return;
    if (this.#byteLength + piece.length <= MAX_LOOSE_BYTES) this.#addLoose(isKept ? compacted(piece) : piece);
    else {
      for (const loose of this.#pieces) this.#copyToBlocks(loose);
      this.#pieces = [];
      this.#joinedCount = 0;
      this.#copyToBlocks(piece);
    }
    this.#byteLength += piece.length;
  }

  /** Takes out all bytes, after the bytes of `head`. If there is only one piece and no head, nothing is copied. */
  take(head: Uint8Array = NOTHING): Buffer {
    const byteLength = head.length + this.#byteLength;
    const whole =
      this.#blocks.length > 0 ? this.#joinBlocks(head, byteLength) : this.#joinLoose(head, byteLength);
    this.#clear();
    return whole;
  }

  /** Gives the memory back. */
  drop(): void {
    for (const block of this.#blocks) block.free();
    this.#clear();
  }

  #clear(): void {
    this.#blocks = [];
    this.#freeBytes = 0;
    this.#pieces = [];
    this.#joinedCount = 0;
    this.#byteLength = 0;
  }

  #addLoose(piece: Buffer): void {
    this.#pieces.push(piece);
    if (this.#pieces.length - this.#joinedCount < MAX_LOOSE_PIECES) return;
    this.#pieces.push(compacted(Buffer.concat(this.#pieces.splice(this.#joinedCount))));
    this.#joinedCount += 1;
  }

  #copyToBlocks(piece: Buffer): void {
    for (let start = 0; start < piece.length; ) {
      if (this.#freeBytes === 0) {
        this.#blocks.push(this.#newBlock(BLOCK_BYTES));
        this.#freeBytes = BLOCK_BYTES;
      }
      const part = piece.subarray(start, start + this.#freeBytes);
      this.#blocks.at(-1)?.bytes.set(part, BLOCK_BYTES - this.#freeBytes);
      this.#freeBytes -= part.length;
      start += part.length;
    }
  }

  #joinLoose(head: Uint8Array, byteLength: number): Buffer {
    const [first = NOTHING] = this.#pieces;
    if (head.length === 0 && this.#pieces.length <= 1) return first;
    return Buffer.concat([head, ...this.#pieces], byteLength);
  }

  #joinBlocks(head: Uint8Array, byteLength: number): Buffer {
    const whole = Buffer.allocUnsafeSlow(byteLength);
    whole.set(head);
    let end = head.length;
    for (const block of this.#blocks) {
      const part = block.bytes.subarray(0, byteLength - end);
      whole.set(part, end);
      end += part.length;
      block.free();
    }
    return whole;
  }
}

type ResizableBuffer = ArrayBuffer & { resize(bytes: number): void };
/** A resizable buffer, which every Node has, although it is not in the types of ES2023. */
const Resizable = ArrayBuffer as unknown as new (
  bytes: number,
  options: { readonly maxByteLength: number },
) => ResizableBuffer;

/** A block in a resizable buffer. When it shrinks, V8 gives its pages back to the system, and C's allocator keeps none of them. */
export function resizableBlock(bytes: number): Block {
  const buffer = new Resizable(bytes, { maxByteLength: bytes });
  return { bytes: new Uint8Array(buffer), free: () => buffer.resize(0) };
}
