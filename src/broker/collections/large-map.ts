// A map that may become large. A Map moves all its entries at once when it grows or shrinks, with a million for 50 ms; this one
// keeps what goes beyond the first few thousand in many small maps, which grow one at a time.

/** The entries of the first map, which is the only one while there are no more. */
const FIRST_ENTRIES = 2048;
const PART_COUNT = 256;
/** The characters of a key that decide where it lies, from its end. Keys that differ only before them share a map. */
const HASHED_CHARACTERS = 12;

export class LargeMap<Key extends string | number, Value> {
  readonly #first = new Map<Key, Value>();
  /** Undefined while the first map has everything. */
  #parts: (Map<Key, Value> | undefined)[] | undefined;
  #countInParts = 0;

  get size(): number {
    return this.#first.size + this.#countInParts;
  }

  /** The numbers of entries that lie together. */
  get partSizes(): readonly number[] {
    const parts = this.#parts ?? [];
    return [this.#first.size, ...parts.map((part) => part?.size ?? 0)];
  }

  get(key: Key): Value | undefined {
    const value = this.#first.get(key);
    return value !== undefined || this.#parts === undefined ? value : this.#parts[partOf(key)]?.get(key);
  }

  has(key: Key): boolean {
    return this.#first.has(key) || this.#parts?.[partOf(key)]?.has(key) === true;
  }

  set(key: Key, value: Value): void {
    const isFull = this.#parts !== undefined || this.#first.size >= FIRST_ENTRIES;
    if (!isFull || this.#first.has(key)) {
      this.#first.set(key, value);
      return;
    }
    this.#parts ??= new Array(PART_COUNT).fill(undefined);
    const index = partOf(key);
    let part = this.#parts[index];
    if (part === undefined) {
      part = new Map();
      this.#parts[index] = part;
    }
    const { size } = part;
    part.set(key, value);
    this.#countInParts += part.size - size;
  }

  delete(key: Key): boolean {
    if (this.#first.delete(key)) return true;
    if (this.#parts?.[partOf(key)]?.delete(key) !== true) return false;
    this.#countInParts -= 1;
    if (this.#countInParts === 0) this.#parts = undefined;
    return true;
  }

  /** In the order in which they were added while they are few, otherwise in any order. Entries may be deleted meanwhile. */
  *values(): Generator<Value> {
    const parts = this.#parts;
    yield* this.#first.values();
    for (const part of parts ?? []) if (part !== undefined) yield* part.values();
  }
}

function partOf(key: string | number): number {
  if (typeof key === 'number') return key % PART_COUNT;
  let hash = 0;
  for (let at = Math.max(0, key.length - HASHED_CHARACTERS); at < key.length; at++) {
    hash = (Math.imul(hash, 31) + key.charCodeAt(at)) | 0;
  }
  return (hash ^ (hash >>> 15)) & (PART_COUNT - 1);
}
