// AMQP 1.0 values as bytes, written without the product's codec so that the tests look at it with other eyes.

/** One AMQP value: constructor and body. */
export type Encoded = Buffer;

export const NULL: Encoded = Buffer.of(0x40);
export const TRUE: Encoded = Buffer.of(0x41);
export const FALSE: Encoded = Buffer.of(0x42);

/** A value whose body is given; for widths and types that the functions below do not choose. */
export function fixed(code: number, body: Uint8Array = Buffer.alloc(0)): Encoded {
  return Buffer.concat([Buffer.of(code), body]);
}

/** A value with a length before its bytes; the size of the length follows from the constructor code. */
export function variable(code: number, bytes: Uint8Array): Encoded {
  const isWide = (code & 0x10) !== 0;
  return Buffer.concat([Buffer.of(code), sizeOf(bytes.length, isWide), bytes]);
}

export const boolean = (value: boolean): Encoded => (value ? TRUE : FALSE);
export const ubyte = (value: number): Encoded => fixed(0x50, big(value, 1));
export const byte = (value: number): Encoded => fixed(0x51, big(value, 1));
export const ushort = (value: number): Encoded => fixed(0x60, big(value, 2));
export const short = (value: number): Encoded => fixed(0x61, big(value, 2));
export const timestamp = (value: number | bigint): Encoded => fixed(0x83, big(value, 8));
export const uuid = (bytes: Uint8Array): Encoded => fixed(0x98, bytes);

export function uint(value: number): Encoded {
  if (value === 0) return fixed(0x43);
  return value < 256 ? fixed(0x52, big(value, 1)) : fixed(0x70, big(value, 4));
}

export function ulong(value: number | bigint): Encoded {
  if (BigInt(value) === 0n) return fixed(0x44);
  return value < 256 ? fixed(0x53, big(value, 1)) : fixed(0x80, big(value, 8));
}

export function int(value: number): Encoded {
  return isSmall(value) ? fixed(0x54, big(value, 1)) : fixed(0x71, big(value, 4));
}

export function long(value: number | bigint): Encoded {
  return isSmall(value) ? fixed(0x55, big(value, 1)) : fixed(0x81, big(value, 8));
}

export function double(value: number): Encoded {
  const body = Buffer.alloc(8);
  body.writeDoubleBE(value);
  return fixed(0x82, body);
}

export const bin = (bytes: Uint8Array): Encoded => text(0xa0, bytes);
export const str = (value: string): Encoded => text(0xa1, Buffer.from(value, 'utf8'));
export const sym = (value: string): Encoded => text(0xa3, Buffer.from(value, 'ascii'));

export type CompoundWidth = 'smallest' | 'list8' | 'list32';

export function list(items: readonly Encoded[], width: CompoundWidth = 'smallest'): Encoded {
  if (items.length === 0 && width === 'smallest') return fixed(0x45);
  return compound(0xc0, items, width);
}

export function map(entries: readonly (readonly [Encoded, Encoded])[]): Encoded {
  return compound(0xc1, entries.flat(), 'smallest');
}

/** An array whose items share their constructor, which is their first byte unless given: `00 53 nn xx` for described items. */
export function array(
  items: readonly [Encoded, ...Encoded[]],
  itemConstructor = items[0].subarray(0, 1),
): Encoded {
  const bodies = items.map((item) => {
    if (!item.subarray(0, itemConstructor.length).equals(itemConstructor)) {
      throw new Error('the items of an array must have one constructor');
    }
    return item.subarray(itemConstructor.length);
  });
  return wrap(0xe0, items.length, Buffer.concat([itemConstructor, ...bodies]), 'smallest');
}

export function described(descriptor: Encoded, value: Encoded): Encoded {
  return Buffer.concat([Buffer.of(0x00), descriptor, value]);
}

function text(narrowCode: number, bytes: Uint8Array): Encoded {
  return variable(bytes.length > 255 ? narrowCode + 0x10 : narrowCode, bytes);
}

function compound(narrowCode: number, items: readonly Encoded[], width: CompoundWidth): Encoded {
  return wrap(narrowCode, items.length, Buffer.concat(items), width);
}

function wrap(narrowCode: number, count: number, body: Buffer, width: CompoundWidth): Encoded {
  const isWide = width === 'list32' || (width === 'smallest' && (body.length > 254 || count > 255));
  const counted = Buffer.concat([sizeOf(count, isWide), body]);
  return variable(isWide ? narrowCode + 0x10 : narrowCode, counted);
}

function sizeOf(length: number, isWide: boolean): Buffer {
  return big(length, isWide ? 4 : 1);
}

function isSmall(value: number | bigint): boolean {
  return value >= -128 && value <= 127;
}

/** A number in network order, two's complement. */
export function big(value: number | bigint, width: number): Buffer {
  const body = Buffer.alloc(8);
  body.writeBigUInt64BE(BigInt.asUintN(64, BigInt(value)));
  if (BigInt(value) >= 0n && BigInt(value) >> BigInt(8 * width) !== 0n) {
    throw new Error(`${value} does not fit in ${width} bytes`);
  }
  return body.subarray(8 - width);
}
