// Checks every size, count and bound of encoded AMQP values before any reader sees the bytes. It does not build the values.

import { DecodeError } from './decode-error.js';

/** Deeper nesting is refused. The deepest legitimate message that we have seen is far below this. */
export const MAX_DEPTH = 32;
/** The most elements of width 0 in one scan. They take no bytes, so the size does not limit their number. */
const MAX_ZERO_WIDTH_ELEMENTS = 65_536;
/** The same limit for values that are built, where each element costs some fifty bytes of memory. */
export const MAX_BUILT_ZERO_WIDTH_ELEMENTS = 256;

const DESCRIBED = 0x00;
const BOOLEAN = 0x56;
const FIXED = 1;
const VARIABLE = 2;
const COMPOUND = 3;
const ARRAY = 4;

// The constructors of AMQP 1.6 with their category and the width of the value or of its size.
const CATEGORY = new Uint8Array(256);
const WIDTH = new Uint8Array(256);
for (const [codes, category, width] of [
  [[0x40, 0x41, 0x42, 0x43, 0x44, 0x45], FIXED, 0],
  [[0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56], FIXED, 1],
  [[0x60, 0x61], FIXED, 2],
  [[0x70, 0x71, 0x72, 0x73, 0x74], FIXED, 4],
  [[0x80, 0x81, 0x82, 0x83, 0x84], FIXED, 8],
  [[0x94, 0x98], FIXED, 16],
  [[0xa0, 0xa1, 0xa3], VARIABLE, 1],
  [[0xb0, 0xb1, 0xb3], VARIABLE, 4],
  [[0xc0, 0xc1], COMPOUND, 1],
  [[0xd0, 0xd1], COMPOUND, 4],
  [[0xe0], ARRAY, 1],
  [[0xf0], ARRAY, 4],
] as const) {
  for (const code of codes) {
    CATEGORY[code] = category;
    WIDTH[code] = width;
  }
}

type Budget = { zeroWidthElements: number };

/** Checks the value at `offset` and returns its end. Throws DecodeError if it is malformed or goes beyond `end`. */
export function scanValue(
  bytes: Uint8Array,
  offset: number,
  end: number,
  zeroWidthElements = MAX_ZERO_WIDTH_ELEMENTS,
): number {
  return scan(bytes, offset, end, 0, { zeroWidthElements });
}

function scan(bytes: Uint8Array, offset: number, end: number, depth: number, budget: Budget): number {
  const bodyOffset = scanConstructor(bytes, offset, end, depth, budget);
  return scanBody(bytes, bytes[bodyOffset - 1] as number, bodyOffset, end, depth, budget);
}

/** Returns the offset behind the constructor; the byte before it is the format code. */
function scanConstructor(
  bytes: Uint8Array,
  offset: number,
  end: number,
  depth: number,
  budget: Budget,
): number {
  if (depth > MAX_DEPTH) throw new DecodeError(`a value is nested deeper than ${MAX_DEPTH} levels`);
  if (offset >= end) throw new DecodeError('a value is cut short: its constructor is missing');
  if (bytes[offset] !== DESCRIBED) return offset + 1;
  const descriptorEnd = scan(bytes, offset + 1, end, depth + 1, budget);
  return scanConstructor(bytes, descriptorEnd, end, depth + 1, budget);
}

function scanBody(
  bytes: Uint8Array,
  code: number,
  offset: number,
  end: number,
  depth: number,
  budget: Budget,
): number {
  const width = WIDTH[code] as number;
  switch (CATEGORY[code]) {
    case FIXED:
      requireRoom(offset + width, end, code);
      if (code === BOOLEAN && (bytes[offset] as number) > 1)
        throw new DecodeError('a boolean is neither 0 nor 1');
      return offset + width;
    case VARIABLE: {
      requireRoom(offset + width, end, code);
      const next = offset + width + readSize(bytes, offset, width);
      requireRoom(next, end, code);
      return next;
    }
    case COMPOUND:
      return scanCompound(bytes, code, offset, end, depth, budget);
    case ARRAY:
      return scanArray(bytes, code, offset, end, depth, budget);
    default:
      throw new DecodeError(`0x${code.toString(16).padStart(2, '0')} is not an AMQP type`);
  }
}

function scanCompound(
  bytes: Uint8Array,
  code: number,
  offset: number,
  end: number,
  depth: number,
  budget: Budget,
): number {
  const width = WIDTH[code] as number;
  const { bodyEnd, count, next } = readSizeAndCount(bytes, code, offset, end);
  if ((code & 0x0f) === 1 && count % 2 !== 0)
    throw new DecodeError(`a map has an odd number of items: ${count}`);
  let item = next;
  for (let index = 0; index < count; index++) item = scan(bytes, item, bodyEnd, depth + 1, budget);
  if (item !== bodyEnd) {
    throw new DecodeError(
      `a list or map of ${count} items claims ${bodyEnd - offset - width} bytes but has fewer`,
    );
  }
  return bodyEnd;
}

function scanArray(
  bytes: Uint8Array,
  code: number,
  offset: number,
  end: number,
  depth: number,
  budget: Budget,
): number {
  const { bodyEnd, count, next } = readSizeAndCount(bytes, code, offset, end);
  const elements = scanConstructor(bytes, next, bodyEnd, depth + 1, budget);
  const elementCode = bytes[elements - 1] as number;
  const isFixed = CATEGORY[elementCode] === FIXED;
  if (isFixed && WIDTH[elementCode] === 0) {
    budget.zeroWidthElements -= count;
    if (budget.zeroWidthElements < 0)
      throw new DecodeError(`an array claims ${count} elements that take no bytes`);
  }
  let item = elements;
  if (isFixed && elementCode !== BOOLEAN) item += count * (WIDTH[elementCode] as number);
  else
    for (let index = 0; index < count; index++)
      item = scanBody(bytes, elementCode, item, bodyEnd, depth + 1, budget);
  if (item !== bodyEnd) throw new DecodeError(`an array of ${count} elements does not fill its size`);
  return bodyEnd;
}

function readSizeAndCount(bytes: Uint8Array, code: number, offset: number, end: number) {
  const width = WIDTH[code] as number;
  requireRoom(offset + 2 * width, end, code);
  const size = readSize(bytes, offset, width);
  const bodyEnd = offset + width + size;
  if (size < width) throw new DecodeError(`a list, map or array claims ${size} bytes, too few for its count`);
  requireRoom(bodyEnd, end, code);
  return { bodyEnd, count: readSize(bytes, offset + width, width), next: offset + 2 * width };
}

function readSize(bytes: Uint8Array, offset: number, width: number): number {
  if (width === 1) return bytes[offset] as number;
  return (
    (bytes[offset] as number) * 0x1000000 +
    (((bytes[offset + 1] as number) << 16) |
      ((bytes[offset + 2] as number) << 8) |
      (bytes[offset + 3] as number))
  );
}

function requireRoom(next: number, end: number, code: number): void {
  if (next > end) {
    throw new DecodeError(`a value of type 0x${code.toString(16)} is cut short by ${next - end} bytes`);
  }
}
