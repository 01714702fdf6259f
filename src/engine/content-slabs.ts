// Memory for large contents that is used again and again. Each content would otherwise become garbage, and V8 marks the whole heap for
// every 16 MB of that. A slab is free once all its contents are released; they come and go in order, so that is soon.

const SLAB_BYTES = 1024 * 1024;
/** Smaller contents, such as states of sessions, cost little in memory of their own, and may stay long. */
const LEAST_BYTES = 16 * 1024;
/** Larger contents would leave too much of a slab unused. They are less than half of it, as all views of memory that is used again. */
const MAX_BYTES = 256 * 1024;

/** The part of the budget that slabs may have: they stay in memory, and reading a content that has left them costs little. */
const MAX_SHARE = 1 / 2;
/** The part of the slabs that shall be free for what comes next. */
const FREE_SHARE = 1 / 4;

type Slab = { readonly memory: Buffer; usedBytes: number; contentCount: number };

export class ContentSlabs {
  readonly #maxCount: number;
  /** All slabs, by their memory. */
  readonly #slabs = new Map<ArrayBufferLike, Slab>();
  readonly #free: Slab[] = [];
  /** The slab that is being filled. */
  #current: Slab | undefined;

  constructor(budgetBytes: number) {
    this.#maxCount = Math.floor((budgetBytes * MAX_SHARE) / SLAB_BYTES);
  }

  /** The bytes of the slabs that have contents. */
  get bytesInUse(): number {
    return (this.#slabs.size - this.#free.length) * SLAB_BYTES;
  }

  /** The bytes of all slabs. */
  get byteLength(): number {
    return this.#slabs.size * SLAB_BYTES;
  }

  /** Whether so many slabs have contents that the oldest contents should leave them. */
  get isCrowded(): boolean {
    const usedCount = this.#slabs.size - this.#free.length;
    return usedCount > Math.max(1, this.#maxCount * (1 - FREE_SHARE)); // the one that is being filled never leaves
  }

  /** Copies a content into a slab; undefined if it is too small or too large, or there is no room. */
  copy(content: Uint8Array): Uint8Array | undefined {
    if (content.length < LEAST_BYTES || content.length > MAX_BYTES) return undefined;
    if (this.#current === undefined || this.#current.usedBytes + content.length > SLAB_BYTES) {
      const next = this.#take();
      if (next === undefined) return undefined;
      this.#current = next;
    }
    const slab = this.#current;
    const start = slab.usedBytes;
    slab.memory.set(content, start);
    slab.usedBytes += content.length;
    slab.contentCount += 1;
    return slab.memory.subarray(start, slab.usedBytes);
  }

  has(content: Uint8Array): boolean {
    return this.#slabs.has(content.buffer);
  }

  /** Gives back the memory of a content that `copy` returned, which nobody looks at any more. */
  release(content: Uint8Array): void {
    const slab = this.#slabs.get(content.buffer);
    if (slab === undefined) return;
    slab.contentCount -= 1;
    if (slab.contentCount > 0) return;
    slab.usedBytes = 0;
    if (slab !== this.#current) this.#free.push(slab);
  }

  /** Gives a free slab back to the system; false if there is none. */
  drop(): boolean {
    const slab = this.#free.pop();
    return slab !== undefined && this.#slabs.delete(slab.memory.buffer);
  }

  #take(): Slab | undefined {
    const free = this.#free.pop();
    if (free !== undefined || this.#slabs.size >= this.#maxCount) return free;
    const slab = { memory: Buffer.allocUnsafeSlow(SLAB_BYTES), usedBytes: 0, contentCount: 0 };
    this.#slabs.set(slab.memory.buffer, slab);
    return slab;
  }
}
