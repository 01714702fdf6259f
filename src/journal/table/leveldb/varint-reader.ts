// Reads LevelDB's numbers (varints of seven bits for each byte, the lowest first) and the bytes between them.

export class VarintReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at: number;

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end;
  }

  /** Whether the reader has gone beyond the last byte. */
  get isPastEnd(): boolean {
    return this.#at > this.#end;
  }

  number(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#bytes[this.#at++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  bytes(count: number): Uint8Array {
    const start = this.#at;
    this.#at += count;
    return this.#bytes.subarray(start, Math.min(this.#at, this.#end));
  }

  /** Reads bytes that follow their length. */
  lengthAndBytes(): Uint8Array {
    return this.bytes(this.number());
  }
}
