// Bytes that come in pieces and are wanted in one buffer. They are in memory once, whatever their number: a large sum lies in
// blocks whose memory the system has back the moment they are copied, so that only one block is there twice.

/** Up to this many bytes pieces are kept as buffers: a block costs the system half a millisecond, and most messages have 1 MiB at most. */
const MAX_LOOSE_BYTES = 2 * 1024 * 1024;
/** This many pieces are joined into one, because the object of a one-byte piece takes a hundred bytes. */
const MAX_LOOSE_PIECES = 64;
const BLOCK_BYTES = 1024 * 1024;
const NOTHING = Buffer.alloc(0);

/** Memory that is given back by hand. A buffer that is garbage would stay until V8 looks for it. */
export type Block = { readonly bytes: Uint8Array; free(): void };

export class GatheredBytes {
  readonly #newBlock: (bytes: number) => Block;
  /** Joined pieces, and behind them loose ones; none when there are blocks. */
  #pieces: Buffer[] = [];
  #joinedCount = 0;
  /** All are full but the last. */
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

  /** `isKept`: more follows, so that the piece stays beyond the read that it came in. */
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

  /** All bytes behind those of `head`. Nothing is copied when there is one piece and no head. Leaves nothing here. */
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
/** Not in the types of ES2023; every Node has it. */
const Resizable = ArrayBuffer as unknown as new (
  bytes: number,
  options: { readonly maxByteLength: number },
) => ResizableBuffer;

/** V8 gives the pages of a resizable buffer back to the system when it shrinks, and the allocator of C keeps no part of them. */
export function resizableBlock(bytes: number): Block {
  const buffer = new Resizable(bytes, { maxByteLength: bytes });
  return { bytes: new Uint8Array(buffer), free: () => buffer.resize(0) };
}

/** Copies a piece that is less than half of the memory it lies in: the piece would keep all of that memory, a read or Node's pool. */
export function compacted(piece: Buffer): Buffer {
  if (piece.length * 2 >= piece.buffer.byteLength) return piece;
  const copy = Buffer.allocUnsafeSlow(piece.length);
  piece.copy(copy);
  return copy;
}
