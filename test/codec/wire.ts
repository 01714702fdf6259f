// A plain AMQP encoder and walker for tests: written from the specification, shares nothing with src.

/** Bytes from hexadecimal digits; spaces are for the reader. */
export function hex(digits: string): Buffer {
  return Buffer.from(digits.replaceAll(' ', ''), 'hex');
}

export const NULL = hex('40');

export const str = (text: string) => variable(0xa1, Buffer.from(text));
export const sym = (text: string) => variable(0xa3, Buffer.from(text));
export const bin = (bytes: Uint8Array) => variable(0xa0, bytes);
export const smallUlong = (value: number) => Buffer.from([0x53, value]);
export const uint = (value: number) => {
  if (value === 0) return hex('43');
  return value < 256 ? Buffer.from([0x52, value]) : fixed(0x70, BigInt(value), 4);
};
export const ulong = (value: bigint) => fixed(0x80, value, 8);
export const long = (value: bigint) => fixed(0x81, value, 8);
export const timestamp = (ms: bigint) => fixed(0x83, ms, 8);

/** With the 8-bit constructor when the value fits and `isWide` does not say otherwise. */
export function variable(code8: number, bytes: Uint8Array, isWide = bytes.length > 255): Buffer {
  return isWide
    ? Buffer.concat([Buffer.from([code8 + 0x10]), uint32(bytes.length), bytes])
    : Buffer.concat([Buffer.from([code8, bytes.length]), bytes]);
}

export function list(items: readonly Buffer[], isWide = false): Buffer {
  return items.length === 0 && !isWide ? hex('45') : compound(0xc0, items, isWide);
}

export function map(entries: readonly (readonly [Buffer, Buffer])[], isWide = false): Buffer {
  return compound(0xc1, entries.flat(), isWide);
}

/** The bare `elements` stand behind one constructor. */
export function array(elementConstructor: Buffer, elements: readonly Buffer[], isWide = false): Buffer {
  return sized(0xe0, elements.length, Buffer.concat([elementConstructor, ...elements]), isWide);
}

export function described(descriptor: Buffer, value: Buffer): Buffer {
  return Buffer.concat([hex('00'), descriptor, value]);
}

export function section(code: number, value: Buffer): Buffer {
  return described(smallUlong(code), value);
}

function compound(code8: number, items: readonly Buffer[], isWide: boolean): Buffer {
  return sized(code8, items.length, Buffer.concat(items), isWide);
}

function sized(code8: number, count: number, body: Buffer, isWide: boolean): Buffer {
  if (isWide || body.length > 254 || count > 255) {
    return Buffer.concat([Buffer.from([code8 + 0x10]), uint32(body.length + 4), uint32(count), body]);
  }
  return Buffer.concat([Buffer.from([code8, body.length + 1, count]), body]);
}

function fixed(code: number, value: bigint, width: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt.asUintN(64, value));
  return Buffer.concat([Buffer.from([code]), bytes.subarray(8 - width)]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const FIXED_WIDTH: Readonly<Record<number, number>> = { 4: 0, 5: 1, 6: 2, 7: 4, 8: 8, 9: 16 };

/** Where the well-formed value at `offset` ends. */
export function endOf(bytes: Buffer, offset: number): number {
  const code = bytes[offset] as number;
  if (code === 0x00) return endOf(bytes, endOf(bytes, offset + 1));
  const width = FIXED_WIDTH[code >> 4];
  if (width !== undefined) return offset + 1 + width;
  const isWide = ((code >> 4) & 1) === 1;
  return isWide ? offset + 5 + bytes.readUInt32BE(offset + 1) : offset + 2 + bytes.readUInt8(offset + 1);
}

/** The values that stand one behind the other. */
export function values(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const end = endOf(bytes, offset);
    found.push(bytes.subarray(offset, end));
    offset = end;
  }
  return found;
}

/** The encoded items of a list or map, which must be as many as it says; of a described one, of what it describes. */
export function items(value: Buffer): Buffer[] {
  const bare = value[0] === 0x00 ? value.subarray(endOf(value, 1)) : value;
  if (bare[0] === 0x45) return [];
  const isWide = (bare[0] as number) >= 0xd0;
  const found = values(bare.subarray(isWide ? 9 : 3));
  const count = isWide ? bare.readUInt32BE(5) : bare.readUInt8(2);
  if (found.length !== count) throw new Error(`a list or map of ${count} items has ${found.length}`);
  return found;
}
