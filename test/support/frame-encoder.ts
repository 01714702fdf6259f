// AMQP 1.0 values as bytes: the tests' own encoder, which shares nothing with the product's codec, so that a fault cannot hide on both sides.

/** One AMQP value: constructor and body. */
export type Encoded = Buffer;

export const NULL: Encoded = Buffer.of(0x40);
export const TRUE: Encoded = Buffer.of(0x41);
export const FALSE: Encoded = Buffer.of(0x42);

/** Bytes from hexadecimal digits; spaces are for the reader. */
export function hex(digits: string): Buffer {
  return Buffer.from(digits.replaceAll(' ', ''), 'hex');
}

/** A value from its constructor code and body; for widths and types that the functions below do not choose. */
export function fixed(code: number, body: Uint8Array = Buffer.alloc(0)): Encoded {
  return Buffer.concat([Buffer.of(code), body]);
}

/** A value with a length before its bytes: in the 8-bit form unless the code, the length or `isWide` says otherwise. */
export function variable(code: number, bytes: Uint8Array, isWide = bytes.length > 255): Encoded {
  const isLong = isWide || (code & 0x10) !== 0;
  return Buffer.concat([Buffer.of(isLong ? code | 0x10 : code), big(bytes.length, isLong ? 4 : 1), bytes]);
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
  return value < 256 ? smallUlong(Number(value)) : wideUlong(value);
}

export const smallUlong = (value: number): Encoded => fixed(0x53, big(value, 1));
/** Eight bytes, also for a number that would fit in one. */
export const wideUlong = (value: number | bigint): Encoded => fixed(0x80, big(value, 8));
export const wideLong = (value: number | bigint): Encoded => fixed(0x81, big(value, 8));

export function int(value: number): Encoded {
  return isSmall(value) ? fixed(0x54, big(value, 1)) : fixed(0x71, big(value, 4));
}

export function long(value: number | bigint): Encoded {
  return isSmall(value) ? fixed(0x55, big(value, 1)) : wideLong(value);
}

export function double(value: number): Encoded {
  const body = Buffer.alloc(8);
  body.writeDoubleBE(value);
  return fixed(0x82, body);
}

export const bin = (bytes: Uint8Array): Encoded => variable(0xa0, bytes);
export const str = (value: string): Encoded => variable(0xa1, Buffer.from(value, 'utf8'));
export const sym = (value: string): Encoded => variable(0xa3, Buffer.from(value, 'utf8'));

export function list(items: readonly Encoded[], isWide = false): Encoded {
  return items.length === 0 && !isWide ? fixed(0x45) : compound(0xc0, items, isWide);
}

export function map(entries: readonly (readonly [Encoded, Encoded])[], isWide = false): Encoded {
  return compound(0xc1, entries.flat(), isWide);
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
  return arrayOf(itemConstructor, bodies);
}

/** An array of bare `bodies` behind one constructor. */
export function arrayOf(itemConstructor: Encoded, bodies: readonly Buffer[], isWide = false): Encoded {
  return counted(0xe0, bodies.length, Buffer.concat([itemConstructor, ...bodies]), isWide);
}

export function described(descriptor: Encoded, value: Encoded): Encoded {
  return Buffer.concat([Buffer.of(0x00), descriptor, value]);
}

function compound(code: number, items: readonly Encoded[], isWide: boolean): Encoded {
  return counted(code, items.length, Buffer.concat(items), isWide);
}

function counted(code: number, count: number, body: Buffer, isWide: boolean): Encoded {
  const isLong = isWide || body.length > 254 || count > 255;
  return variable(code, Buffer.concat([big(count, isLong ? 4 : 1), body]), isLong);
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
