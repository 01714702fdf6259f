// Spoils a conversation: bits, bytes, sizes and channels of its frames, and their order and number.

import type { Random } from '../simulation/random.js';
import { big } from '../support/frame-encoder.js';
import { hostileValue, randomBytes, randomNumber } from './random-value.js';

type Mutate = (random: Random, pieces: Buffer[], other: readonly Buffer[]) => void;

const HEADER_BYTES = 8;
/** Constructors and lengths at which a reader turns another way. */
const TELLING_BYTES: readonly number[] = [
  ...[0x00, 0x01, 0x02, 0x40, 0x41, 0x43, 0x44, 0x45, 0x52, 0x53, 0x56, 0x60, 0x70, 0x71, 0x80, 0x83],
  ...[0xa0, 0xa1, 0xa3, 0xb0, 0xb1, 0xb3, 0xc0, 0xc1, 0xd0, 0xd1, 0xe0, 0xf0, 0x7f, 0xff],
];

const MUTATIONS: readonly (readonly [Mutate, number])[] = [
  [flipBit, 10],
  [setByte, 20],
  [insertBytes, 8],
  [removeBytes, 8],
  [overwriteNumber, 6],
  [changeSize, 2],
  [changeChannel, 4],
  [truncateAll, 3],
  [drop, 6],
  [duplicate, 8],
  [swap, 8],
  [splice, 5],
];

/** A copy of the conversation with one to five things wrong. */
export function mutated(random: Random, conversation: readonly Buffer[], other: readonly Buffer[]): Buffer[] {
  const pieces = conversation.map((piece) => Buffer.from(piece));
  for (let count = 1 + random.integer(5); count > 0 && pieces.length > 0; count--) {
    random.pickWeighted(MUTATIONS)(random, pieces, other);
  }
  return pieces;
}

function anyIndex(random: Random, pieces: readonly Buffer[]): number {
  return random.integer(pieces.length);
}

/** Changes the body of a frame; its size is mostly put right, or nothing behind it would be looked at. */
function changeBody(random: Random, pieces: Buffer[], change: (body: Buffer) => Buffer): void {
  const index = anyIndex(random, pieces);
  const piece = pieces[index] as Buffer;
  const start = piece.length > HEADER_BYTES && random.chance(0.95) ? HEADER_BYTES : 0;
  const changed = Buffer.concat([piece.subarray(0, start), change(piece.subarray(start))]);
  if (start > 0 && random.chance(0.9)) changed.writeUInt32BE(changed.length, 0);
  pieces[index] = changed;
}

function flipBit(random: Random, pieces: Buffer[]): void {
  changeBody(random, pieces, (body) => {
    const at = random.integer(body.length);
    if (body.length > 0) body[at] = (body[at] as number) ^ (1 << random.integer(8));
    return body;
  });
}

function setByte(random: Random, pieces: Buffer[]): void {
  changeBody(random, pieces, (body) => {
    if (body.length > 0) body[random.integer(body.length)] = random.pick(TELLING_BYTES);
    return body;
  });
}

function insertBytes(random: Random, pieces: Buffer[]): void {
  changeBody(random, pieces, (body) => {
    const at = random.integer(body.length + 1);
    const added = random.chance(0.5) ? randomBytes(random, 1 + random.integer(8)) : hostileValue(random);
    return Buffer.concat([body.subarray(0, at), added, body.subarray(at)]);
  });
}

function removeBytes(random: Random, pieces: Buffer[]): void {
  changeBody(random, pieces, (body) => {
    const at = random.integer(body.length + 1);
    return Buffer.concat([body.subarray(0, at), body.subarray(at + 1 + random.integer(8))]);
  });
}

function overwriteNumber(random: Random, pieces: Buffer[]): void {
  changeBody(random, pieces, (body) => {
    if (body.length >= 4) big(randomNumber(random), 4).copy(body, random.integer(body.length - 3));
    return body;
  });
}

function changeSize(random: Random, pieces: Buffer[]): void {
  const piece = pieces[anyIndex(random, pieces)] as Buffer;
  if (piece.length >= 4) piece.writeUInt32BE(randomNumber(random), 0);
}

function changeChannel(random: Random, pieces: Buffer[]): void {
  const piece = pieces[anyIndex(random, pieces)] as Buffer;
  if (piece.length >= HEADER_BYTES) piece.writeUInt16BE(random.pick([0, 1, 2, 65_535]), 6);
}

function truncateAll(random: Random, pieces: Buffer[]): void {
  const index = anyIndex(random, pieces);
  const piece = pieces[index] as Buffer;
  pieces.splice(index, pieces.length - index, piece.subarray(0, random.integer(piece.length + 1)));
}

function drop(random: Random, pieces: Buffer[]): void {
  pieces.splice(anyIndex(random, pieces), 1);
}

function duplicate(random: Random, pieces: Buffer[]): void {
  pieces.splice(anyIndex(random, pieces), 0, Buffer.from(pieces[anyIndex(random, pieces)] as Buffer));
}

function swap(random: Random, pieces: Buffer[]): void {
  const [one, two] = [anyIndex(random, pieces), anyIndex(random, pieces)];
  [pieces[one], pieces[two]] = [pieces[two] as Buffer, pieces[one] as Buffer];
}

function splice(random: Random, pieces: Buffer[], other: readonly Buffer[]): void {
  const from = random.integer(other.length + 1);
  const added = other.slice(from, from + 1 + random.integer(6)).map((piece) => Buffer.from(piece));
  pieces.splice(random.integer(pieces.length + 1), 0, ...added);
}
