// Random AMQP values: well-formed ones of every type, and ones that lie about their size, count, type or depth.

import type { Random } from '../simulation/random.js';
import {
  array,
  big,
  bin,
  boolean,
  described,
  double,
  type Encoded,
  fixed,
  int,
  list,
  long,
  map,
  NULL,
  str,
  sym,
  timestamp,
  ubyte,
  uint,
  ulong,
  ushort,
  uuid,
} from '../support/frame-encoder.js';

/** Names that mean something to JavaScript, to AMQP, or to nobody. */
const TEXTS: readonly string[] = [
  ...['', 'a', 'q', 'constructor', '__proto__', 'toString', 'hasOwnProperty', 'amqp:accepted:list'],
  ...['x-opt-sequence-number', 'x-opt-locked-until', 'DeadLetterReason', 'com.microsoft:dead-letter'],
  ...['\u0000', 'ü€😀', '%', '%zz', '/', '$', '0', 'amqp:not-found'],
];
const LONG_TEXTS: readonly string[] = ['x'.repeat(255), 'x'.repeat(256), 'y'.repeat(3000)];

/** Numbers at which something tips over. */
const NUMBERS: readonly number[] = [
  ...[0, 1, 2, 3, 7, 127, 128, 255, 256, 511, 512, 2048, 65_535, 65_536],
  ...[2 ** 31 - 1, 2 ** 31, 2 ** 32 - 2, 2 ** 32 - 1],
];

const SCALARS: readonly ((random: Random) => Encoded)[] = [
  () => NULL,
  (random) => boolean(random.chance(0.5)),
  (random) => fixed(0x56, Buffer.of(random.integer(2))),
  (random) => ubyte(random.integer(256)),
  (random) => ushort(random.integer(65_536)),
  (random) => uint(randomNumber(random)),
  (random) => ulong(randomNumber(random)),
  (random) => fixed(0x80, randomBytes(random, 8)),
  (random) => fixed(0x51, randomBytes(random, 1)),
  (random) => fixed(0x61, randomBytes(random, 2)),
  (random) => int(random.integer(1000) - 500),
  (random) => long(random.integer(1000) - 500),
  (random) => fixed(0x81, randomBytes(random, 8)),
  (random) => fixed(0x72, randomBytes(random, 4)),
  (random) => double(random.integer(1000)),
  (random) => fixed(0x73, randomBytes(random, 4)),
  (random) => fixed(0x74, randomBytes(random, 4)),
  (random) => fixed(0x84, randomBytes(random, 8)),
  (random) => fixed(0x94, randomBytes(random, 16)),
  (random) => timestamp(random.integer(2 ** 31) * 1000),
  (random) => fixed(0x83, randomBytes(random, 8)),
  (random) => uuid(randomBytes(random, 16)),
  (random) => bin(randomBytes(random, random.integer(40))),
  (random) => str(randomText(random)),
  (random) => sym(randomText(random)),
];

export function randomText(random: Random): string {
  return random.pick(random.chance(0.03) ? LONG_TEXTS : TEXTS);
}

export function randomNumber(random: Random): number {
  return random.chance(0.7) ? random.pick(NUMBERS) : random.integer(2 ** 32);
}

export function randomBytes(random: Random, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let index = 0; index < length; index++) bytes[index] = random.integer(256);
  return bytes;
}

/** A well-formed value of any type. */
export function randomValue(random: Random, depth = 0): Encoded {
  if (depth > 4 || random.chance(0.7)) return random.pick(SCALARS)(random);
  const items = Array.from({ length: random.integer(5) }, () => randomValue(random, depth + 1));
  switch (random.integer(4)) {
    case 0:
      return list(items, random.pick([false, true]));
    case 1:
      return randomMap(random, depth + 1);
    case 2:
      return array([uuid(randomBytes(random, 16)), uuid(randomBytes(random, 16))]);
    default:
      return described(
        random.chance(0.5) ? ulong(randomNumber(random)) : sym(randomText(random)),
        randomValue(random, depth + 1),
      );
  }
}

export function randomMap(random: Random, depth = 0): Encoded {
  const entries = Array.from({ length: random.integer(4) }, () => {
    const key = random.chance(0.8)
      ? random.pick([str, sym])(randomText(random))
      : randomValue(random, depth + 1);
    return [key, randomValue(random, depth + 1)] as const;
  });
  return map(entries);
}

const HOSTILE: readonly ((random: Random) => Encoded)[] = [
  // An array that claims millions of elements that take no bytes.
  (random) => fixed(0xf0, Buffer.concat([big(5, 4), big(randomNumber(random), 4), Buffer.of(0x40)])),
  (random) =>
    fixed(0xf0, Buffer.concat([big(5, 4), big(60_000, 4), Buffer.of(random.pick([0x40, 0x43, 0x45]))])),
  // Lists and maps whose count or size is wrong.
  (random) => fixed(0xc0, Buffer.of(random.integer(256), random.integer(256), 0x40, 0x40)),
  (random) => fixed(0xd1, Buffer.concat([big(randomNumber(random), 4), big(randomNumber(random), 4)])),
  () => fixed(0xc1, Buffer.of(2, 1, 0x40)),
  (random) => fixed(random.pick([0xc0, 0xd0, 0xe0, 0xf0]), Buffer.alloc(8)),
  // Texts and binaries longer than what is there.
  (random) => fixed(random.pick([0xb0, 0xb1, 0xb3]), big(randomNumber(random), 4)),
  (random) => fixed(random.pick([0xa0, 0xa1, 0xa3]), Buffer.of(random.integer(256))),
  // A text that is not UTF-8.
  (random) => fixed(0xa1, Buffer.concat([Buffer.of(9), randomBytes(random, 9)])),
  // Deep nesting, of descriptors, of lists, of arrays.
  (random) => Buffer.concat([Buffer.alloc(random.pick([10, 30, 35, 1000])), ulong(1), NULL]),
  (random) => nested(random.integer(60), (inner) => list([inner])),
  (random) => nested(random.integer(60), (inner) => map([[inner, inner.length > 2000 ? NULL : inner]])),
  (random) => nested(random.integer(60), (inner) => array([inner])),
  (random) => nested(random.integer(60), (inner) => described(inner.length > 2000 ? NULL : inner, inner)),
  // What is no type at all.
  (random) => fixed(random.integer(256), randomBytes(random, random.integer(12))),
  (random) => described(randomValue(random), randomValue(random)),
  () => fixed(0x56, Buffer.of(2)),
];

/** A value that no honest peer sends; some of them are legal all the same. */
export function hostileValue(random: Random): Encoded {
  return random.pick(HOSTILE)(random);
}

function nested(depth: number, wrap: (inner: Encoded) => Encoded): Encoded {
  let value: Encoded = NULL;
  for (let level = 0; level < depth && value.length < 5000; level++) value = wrap(value);
  return value;
}
