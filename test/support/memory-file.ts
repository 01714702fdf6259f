// A file in memory: the bytes that the operating system has, and what of them a power cut leaves.

import type { Random } from '../simulation/random.js';

/** The piece that a disk writes as a whole. */
const SECTOR_BYTES = 512;

type Change = { readonly position: number; readonly bytes: Uint8Array } | { readonly length: number };

export class MemoryFile {
  #bytes: Buffer;
  #length: number;
  /** The bytes that the disk has for certain. */
  #synced: Buffer;
  /** The changes since then, the oldest first. */
  #changes: Change[] = [];
  #changeCount = 0;

  /** Begins with bytes that the disk has. */
  constructor(bytes: Uint8Array = new Uint8Array()) {
    this.#bytes = Buffer.from(bytes);
    this.#length = bytes.length;
    this.#synced = Buffer.from(bytes);
  }

  get length(): number {
    return this.#length;
  }

  /** A copy of what the operating system has. */
  get bytes(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  write(bytes: Uint8Array, position: number): void {
    this.#put(bytes, position);
    this.#note({ position, bytes: Uint8Array.from(bytes) });
  }

  truncate(length: number): void {
    this.#cut(length);
    this.#note({ length });
  }

  /** How many changes there were up to now. */
  get changeCount(): number {
    return this.#changeCount;
  }

  /** Brings the first changes to the disk. */
  sync(changeCount = this.#changeCount): void {
    const count = changeCount - this.#changeCount + this.#changes.length;
    if (count <= 0) return;
    const remade = new MemoryFile(this.#synced);
    for (const change of this.#changes.splice(0, count)) remade.#apply(change);
    this.#synced = remade.bytes;
  }

  read(into: Uint8Array, position: number): number {
    const bytes = this.#bytes.subarray(Math.min(position, this.#length), this.#length);
    const count = Math.min(bytes.length, into.length);
    into.set(bytes.subarray(0, count));
    return count;
  }

  /** The last write becomes a part of it; returns false when the last change is no write, or is on the disk. */
  tear(random: Random): boolean {
    const last = this.#changes.at(-1);
    if (last === undefined || 'length' in last) return false;
    const remade = new MemoryFile(this.#synced);
    for (const change of this.#changes.slice(0, -1)) remade.#apply(change);
    remade.write(last.bytes.subarray(0, random.integer(last.bytes.length)), last.position);
    this.#bytes = remade.#bytes;
    this.#length = remade.#length;
    return true;
  }

  /**
   * What the disk may have. Of each sector it has the state after any of the changes, in no order among sectors; the length is that
   * after any of them.
   */
  afterPowerCut(random: Random): MemoryFile {
    const states = this.#states();
    const { length } = random.pick(states);
    const left = Buffer.alloc(length);
    for (let start = 0; start < length; start += SECTOR_BYTES) {
      const sector = random.pick(states).subarray(start, Math.min(start + SECTOR_BYTES, length));
      left.set(sector, start);
    }
    return new MemoryFile(left);
  }

  /** The synced bytes, those of the operating system, and a few between them. */
  #states(): Buffer[] {
    const most = 6;
    const step = Math.ceil(this.#changes.length / most);
    const remade = new MemoryFile(this.#synced);
    const states = [this.#synced];
    this.#changes.forEach((change, index) => {
      remade.#apply(change);
      if (index % step === 0) states.push(remade.bytes);
    });
    return [...states, this.bytes];
  }

  #note(change: Change): void {
    this.#changes.push(change);
    this.#changeCount += 1;
  }

  #apply(change: Change): void {
    if ('length' in change) this.#cut(change.length);
    else this.#put(change.bytes, change.position);
  }

  #put(bytes: Uint8Array, position: number): void {
    const end = position + bytes.length;
    if (end > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(end, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    this.#bytes.set(bytes, position);
    this.#length = Math.max(this.#length, end);
  }

  #cut(length: number): void {
    if (length > this.#length) this.#put(new Uint8Array(length - this.#length), this.#length);
    this.#bytes.fill(0, length);
    this.#length = length;
  }
}
