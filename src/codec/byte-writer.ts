// A growing buffer for encoded AMQP. Its content is taken out without a copy.

import { type AmqpValue, encodeValue } from './types.js';

const PAGE_BYTES = 16 * 1024;
/** The greatest number below 2^64. */
const GREATEST_ULONG = 2 ** 64 - 2048;

export class ByteWriter {
  #buffer: Buffer;
  #length = 0;

  constructor(initialBytes = PAGE_BYTES) {
    this.#buffer = Buffer.allocUnsafe(initialBytes);
  }

  get length(): number {
    return this.#length;
  }

  /** Returns everything written so far and starts empty. */
  take(): Buffer {
    const taken = this.#buffer.subarray(0, this.#length);
    // The next bytes go into the unused rest, so a writer that is used once allocates nothing more.
    this.#buffer = this.#buffer.subarray(this.#length);
    this.#length = 0;
    return taken;
  }

  byte(value: number): void {
    this.#ensure(1);
    this.#buffer[this.#length++] = value;
  }

  uint16(value: number): void {
    this.#ensure(2);
    this.#buffer.writeUInt16BE(value, this.#length);
    this.#length += 2;
  }

  uint32(value: number): void {
    this.#ensure(4);
    this.#buffer.writeUInt32BE(value, this.#length);
    this.#length += 4;
  }

  bytes(source: Uint8Array): void {
    this.#ensure(source.length);
    this.#buffer.set(source, this.#length);
    this.#length += source.length;
  }

  /** Writes hexadecimal digits as bytes, two digits for each. */
  hex(digits: string): void {
    this.#ensure(digits.length / 2);
    this.#length += this.#buffer.write(digits, this.#length, 'hex');
  }

  /** Overwrites four earlier bytes, such as a size that becomes known only later. */
  patchUint32(offset: number, value: number): void {
    this.#buffer.writeUInt32BE(value, offset);
  }

  patchByte(offset: number, value: number): void {
    this.#buffer[offset] = value;
  }

  null(): void {
    this.byte(0x40);
  }

  boolean(value: boolean): void {
    this.byte(value ? 0x41 : 0x42);
  }

  ubyte(value: number): void {
    this.byte(0x50);
    this.byte(value);
  }

  ushort(value: number): void {
    this.byte(0x60);
    this.uint16(value);
  }

  uint(value: number): void {
    if (value === 0) this.byte(0x43);
    else if (value < 256) {
      this.byte(0x52);
      this.byte(value);
    } else {
      this.byte(0x70);
      this.uint32(value);
    }
  }

  int(value: number): void {
    if (value >= -128 && value < 128) {
      this.byte(0x54);
      this.byte(value);
    } else {
      this.byte(0x71);
      this.uint32(value >>> 0);
    }
  }

  ulong(value: number): void {
    if (value === 0) this.byte(0x44);
    else if (value < 256) {
      this.byte(0x53);
      this.byte(value);
    } else {
      this.byte(0x80);
      // Some SDKs send 2^64 - 1 for "no limit", which is read as the number 2^64.
      this.#eightBytes(Math.min(value, GREATEST_ULONG));
    }
  }

  long(value: number): void {
    this.byte(0x81);
    this.#eightBytes(value);
  }

  /** Milliseconds since 1970. */
  timestamp(ms: number): void {
    this.byte(0x83);
    this.#eightBytes(ms);
  }

  binary(value: Uint8Array): void {
    this.#variable(0xa0, value);
  }

  /** Writes the start of a binary, whose bytes the caller writes. */
  binaryHead(byteLength: number): void {
    this.#variableHead(0xa0, byteLength);
  }

  string(value: string): void {
    this.#variable(0xa1, Buffer.from(value, 'utf8'));
  }

  symbol(value: string): void {
    this.#variable(0xa3, Buffer.from(value, 'ascii'));
  }

  /** A symbol array (AMQP "multiple" field). */
  symbols(values: readonly string[]): void {
    const encoded = values.map((each) => Buffer.from(each, 'ascii'));
    this.byte(0xf0);
    this.uint32(encoded.reduce((sum, each) => sum + 4 + each.length, 5));
    this.uint32(encoded.length);
    this.byte(0xb3);
    for (const each of encoded) {
      this.uint32(each.length);
      this.bytes(each);
    }
  }

  value(value: AmqpValue): void {
    this.bytes(encodeValue(value));
  }

  /** The descriptor of a performative, section or composite: a small ulong. */
  descriptor(code: number): void {
    this.byte(0x00);
    this.ulong(code);
  }

  /** Writes a list or map of 32-bit size; `writeItems` writes its items and returns their number. */
  compound32(code: 0xd0 | 0xd1, writeItems: () => number): void {
    this.byte(code);
    const sizeOffset = this.#length;
    this.uint32(0);
    this.uint32(0);
    const count = writeItems();
    this.patchUint32(sizeOffset, this.#length - sizeOffset - 4);
    this.patchUint32(sizeOffset + 4, count);
  }

  #variable(code8: number, value: Uint8Array): void {
    this.#variableHead(code8, value.length);
    this.bytes(value);
  }

  #variableHead(code8: number, byteLength: number): void {
    if (byteLength < 256) {
      this.byte(code8);
      this.byte(byteLength);
    } else {
      this.byte(code8 + 0x10);
      this.uint32(byteLength);
    }
  }

  #eightBytes(value: number): void {
    // Both halves are exact for every safe integer, even a negative one. A BigInt would cost ten times as much.
    this.uint32(Math.floor(value / 0x1_0000_0000) >>> 0);
    this.uint32(value >>> 0);
  }

  #ensure(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#buffer.length) return;
    const bigger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, needed, PAGE_BYTES));
    this.#buffer.copy(bigger, 0, 0, this.#length);
    this.#buffer = bigger;
  }
}
