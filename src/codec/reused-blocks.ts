// Memory that is used again and again: for frames and messages that have not arrived in full, because most reads end within a frame, and for
// output that is copied. Memory that becomes garbage costs more than a copy, because V8 counts it and marks the whole heap more often.

/** A message of the standard tier, or a frame: those that we announce have at most 64 KiB. */
const BLOCK_BYTES = 256 * 1024;
/** Less than this is cheaper as memory of its own. */
export const LEAST_IN_BLOCK_BYTES = 4096;
/** Clients beyond these are served as well, from memory that becomes garbage. */
const MAX_BLOCKS = 8;

export class ReusedBlocks {
  readonly #free: Buffer[] = [];
  #count = 0;

  /** A block, which is less than half of its memory, so that `compacted` copies each piece of it; undefined if all are in use. */
  take(): Buffer | undefined {
    const block = this.#free.pop();
    if (block !== undefined || this.#count === MAX_BLOCKS) return block;
    this.#count += 1;
    return Buffer.allocUnsafeSlow(2 * BLOCK_BYTES + 1).subarray(0, BLOCK_BYTES);
  }

  give(block: Buffer): void {
    this.#free.push(block);
  }

  /** Counts a block that is not given back, because somebody may still read it. */
  lose(): void {
    this.#count -= 1;
  }
}
