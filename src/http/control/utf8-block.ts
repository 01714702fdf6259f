// Text that is encoded as UTF-8 piece by piece. Joining thousands of pieces first would copy the text three times on its way to the socket.

const START_BYTES = 64 * 1024;
/** The most bytes of one UTF-16 unit. */
const MAX_UTF8_BYTES = 3;

export class Utf8Block {
  #bytes = Buffer.allocUnsafeSlow(START_BYTES);
  #length = 0;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  add(text: string): void {
    const needed = this.#length + text.length * MAX_UTF8_BYTES;
    if (needed > this.#bytes.length) this.#grow(2 * needed);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** Takes the text that was added since the last call. */
  take(): Uint8Array {
    const taken = Uint8Array.prototype.slice.call(this.#bytes, 0, this.#length);
    this.#length = 0;
    return taken;
  }

  #grow(length: number): void {
    const earlier = this.#bytes;
    this.#bytes = Buffer.allocUnsafeSlow(length);
    this.#bytes.set(earlier.subarray(0, this.#length));
  }
}
