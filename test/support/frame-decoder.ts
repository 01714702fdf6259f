// AMQP 1.0 values from bytes, each with its type: the tests' own decoder, which shares nothing with the product's codec.

type NumberType = 'ubyte' | 'byte' | 'ushort' | 'short' | 'uint' | 'int' | 'float' | 'double' | 'char';
type BigType = 'ulong' | 'long' | 'timestamp';
type BytesType = 'binary' | 'uuid' | 'decimal32' | 'decimal64' | 'decimal128';

export type Decoded =
  | { readonly type: 'null'; readonly value: null }
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: NumberType; readonly value: number }
  | { readonly type: BigType; readonly value: bigint }
  | { readonly type: 'string' | 'symbol'; readonly value: string }
  | { readonly type: BytesType; readonly value: Buffer }
  | { readonly type: 'list' | 'array'; readonly value: readonly Decoded[] }
  | { readonly type: 'map'; readonly value: readonly (readonly [Decoded, Decoded])[] }
  | { readonly type: 'described'; readonly descriptor: Decoded; readonly value: Decoded };

type Read = { readonly value: Decoded; readonly next: number };
type Item = Read & { readonly bytes: Buffer };

/** The value that fills all of `bytes`. */
export function decode(bytes: Buffer): Decoded {
  const { value, next } = decodeAt(bytes, 0);
  if (next !== bytes.length) throw new Error(`${bytes.length - next} bytes follow the value`);
  return value;
}

export function decodeAt(bytes: Buffer, offset: number): Read {
  const code = bytes.readUInt8(offset);
  if (code !== 0x00) return readBody(bytes, code, offset + 1);
  const descriptor = decodeAt(bytes, offset + 1);
  const inner = decodeAt(bytes, descriptor.next);
  return {
    value: { type: 'described', descriptor: descriptor.value, value: inner.value },
    next: inner.next,
  };
}

/** The items of the list or map at `offset`, each with the bytes it came in. */
export function itemsAt(bytes: Buffer, offset: number): readonly Item[] {
  const code = bytes.readUInt8(offset);
  if (code === 0x45) return [];
  if (![0xc0, 0xc1, 0xd0, 0xd1].includes(code)) throw new Error(`0x${code.toString(16)} is no list or map`);
  return readItems(bytes, code, offset + 1);
}

/** Where the value at `offset` ends. */
export function endOf(bytes: Buffer, offset: number): number {
  return decodeAt(bytes, offset).next;
}

/** The bytes of each of the values that follow each other. */
export function values(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const end = endOf(bytes, offset);
    found.push(bytes.subarray(offset, end));
    offset = end;
  }
  return found;
}

/** The bytes of each item of a list or map, or of the list or map that a described value holds. */
export function items(value: Buffer): Buffer[] {
  return itemsAt(value, value[0] === 0x00 ? endOf(value, 1) : 0).map(({ bytes }) => bytes);
}

function readItems(bytes: Buffer, code: number, offset: number): readonly Item[] {
  const { count, start, end } = readCompound(bytes, code, offset);
  const items: Item[] = [];
  let position = start;
  for (let index = 0; index < count; index += 1) {
    const item = decodeAt(bytes, position);
    items.push({ ...item, bytes: bytes.subarray(position, item.next) });
    position = item.next;
  }
  if (position !== end) throw new Error(`a compound value says it ends at ${end} and ends at ${position}`);
  return items;
}

const EMPTY: Readonly<Record<number, Decoded>> = {
  64: { type: 'null', value: null },
  65: { type: 'boolean', value: true },
  66: { type: 'boolean', value: false },
  67: { type: 'uint', value: 0 },
  68: { type: 'ulong', value: 0n },
  69: { type: 'list', value: [] },
};

const FIXED: Readonly<Record<number, (body: Buffer) => Decoded>> = {
  80: (body) => ({ type: 'ubyte', value: body.readUInt8() }),
  81: (body) => ({ type: 'byte', value: body.readInt8() }),
  82: (body) => ({ type: 'uint', value: body.readUInt8() }),
  83: (body) => ({ type: 'ulong', value: BigInt(body.readUInt8()) }),
  84: (body) => ({ type: 'int', value: body.readInt8() }),
  85: (body) => ({ type: 'long', value: BigInt(body.readInt8()) }),
  86: (body) => ({ type: 'boolean', value: body.readUInt8() === 1 }),
  96: (body) => ({ type: 'ushort', value: body.readUInt16BE() }),
  97: (body) => ({ type: 'short', value: body.readInt16BE() }),
  112: (body) => ({ type: 'uint', value: body.readUInt32BE() }),
  113: (body) => ({ type: 'int', value: body.readInt32BE() }),
  114: (body) => ({ type: 'float', value: body.readFloatBE() }),
  115: (body) => ({ type: 'char', value: body.readUInt32BE() }),
  116: (body) => ({ type: 'decimal32', value: body }),
  128: (body) => ({ type: 'ulong', value: body.readBigUInt64BE() }),
  129: (body) => ({ type: 'long', value: body.readBigInt64BE() }),
  130: (body) => ({ type: 'double', value: body.readDoubleBE() }),
  131: (body) => ({ type: 'timestamp', value: body.readBigInt64BE() }),
  132: (body) => ({ type: 'decimal64', value: body }),
  148: (body) => ({ type: 'decimal128', value: body }),
  152: (body) => ({ type: 'uuid', value: body }),
};

function readBody(bytes: Buffer, code: number, offset: number): Read {
  switch (code >> 4) {
    case 0x4:
      return { value: known(EMPTY, code), next: offset };
    case 0x5:
    case 0x6:
    case 0x7:
    case 0x8:
    case 0x9: {
      const width = 2 ** ((code >> 4) - 5);
      return { value: known(FIXED, code)(slice(bytes, offset, width)), next: offset + width };
    }
    case 0xa:
    case 0xb: {
      const length = code >> 4 === 0xa ? bytes.readUInt8(offset) : bytes.readUInt32BE(offset);
      const start = offset + (code >> 4 === 0xa ? 1 : 4);
      return { value: readText(code & 0xf, slice(bytes, start, length)), next: start + length };
    }
    case 0xc:
    case 0xd:
      return readListOrMap(bytes, code, offset);
    case 0xe:
    case 0xf:
      return readArray(bytes, code, offset);
    default:
      throw new Error(`0x${code.toString(16)} is no AMQP constructor`);
  }
}

function readText(kind: number, body: Buffer): Decoded {
  if (kind === 0) return { type: 'binary', value: body };
  if (kind === 1) return { type: 'string', value: body.toString('utf8') };
  if (kind === 3) return { type: 'symbol', value: body.toString('ascii') };
  throw new Error(`no variable-width type has the sub-code ${kind}`);
}

function readListOrMap(bytes: Buffer, code: number, offset: number): Read {
  const { end } = readCompound(bytes, code, offset);
  const items = readItems(bytes, code, offset).map(({ value }) => value);
  if ((code & 0xf) === 0) return { value: { type: 'list', value: items }, next: end };
  if ((code & 0xf) !== 1) throw new Error(`0x${code.toString(16)} is no AMQP constructor`);
  if (items.length % 2 !== 0) throw new Error('a map has a key without a value');
  const entries: [Decoded, Decoded][] = [];
  for (let index = 0; index < items.length; index += 2) {
    entries.push([items[index] as Decoded, items[index + 1] as Decoded]);
  }
  return { value: { type: 'map', value: entries }, next: end };
}

function readArray(bytes: Buffer, arrayCode: number, offset: number): Read {
  const { count, start, end } = readCompound(bytes, arrayCode, offset);
  const descriptors: Decoded[] = [];
  let position = start;
  while (bytes[position] === 0x00) {
    const descriptor = decodeAt(bytes, position + 1);
    descriptors.unshift(descriptor.value);
    position = descriptor.next;
  }
  const code = bytes.readUInt8(position);
  position += 1;
  const items: Decoded[] = [];
  for (let index = 0; index < count; index += 1) {
    const item = readBody(bytes, code, position);
    items.push(
      descriptors.reduce<Decoded>(
        (value, each) => ({ type: 'described', descriptor: each, value }),
        item.value,
      ),
    );
    position = item.next;
  }
  if (position !== end) throw new Error(`an array says it ends at ${end} and ends at ${position}`);
  return { value: { type: 'array', value: items }, next: end };
}

function readCompound(
  bytes: Buffer,
  code: number,
  offset: number,
): { count: number; start: number; end: number } {
  const isWide = (code & 0x10) !== 0;
  const width = isWide ? 4 : 1;
  const size = isWide ? bytes.readUInt32BE(offset) : bytes.readUInt8(offset);
  const count = isWide ? bytes.readUInt32BE(offset + 4) : bytes.readUInt8(offset + 1);
  const end = offset + width + size;
  if (end > bytes.length) throw new Error('a compound value runs past the end');
  return { count, start: offset + 2 * width, end };
}

function slice(bytes: Buffer, start: number, length: number): Buffer {
  if (start + length > bytes.length) throw new Error('a value runs past the end');
  return bytes.subarray(start, start + length);
}

function known<T>(table: Readonly<Record<number, T>>, code: number): T {
  const entry = table[code];
  if (entry === undefined) throw new Error(`0x${code.toString(16)} is no AMQP constructor`);
  return entry;
}
