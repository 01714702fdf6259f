// What one fuzzed connection sends: noise, spoiled conversations, random performatives, and values that lie.

import { Random } from '../simulation/random.js';
import { frameOf } from '../support/frame-client.js';
import { conversation, handshake } from './conversation.js';
import { mutated } from './mutation.js';
import { randomPerformative } from './random-performative.js';
import { hostileValue, randomBytes, randomNumber } from './random-value.js';

/** What inputs are made of: honest conversations, and frames that are not. */
type Corpus = { readonly conversations: readonly Buffer[][]; readonly frames: readonly Buffer[] };
type Kind = (random: Random, corpus: Corpus) => Buffer[];

const KINDS: readonly (readonly [Kind, number])[] = [
  [noise, 3],
  [noisyFrames, 6],
  [honest, 5],
  [spoiled, 50],
  [performatives, 32],
  [hostileFrames, 4],
];

const CONVERSATION_COUNT = 100;
const FRAME_COUNT = 1000;
/** Inputs after which another corpus is made. */
const CORPUS_LIFE = 5000;

/** Makes up inputs, one like no other, from one seed. */
export class InputSource {
  readonly #random: Random;
  #corpus: Corpus = { conversations: [], frames: [] };
  #count = 0;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  /** The bytes of one connection, from its first to its last. */
  next(): Buffer {
    if (this.#count++ % CORPUS_LIFE === 0) this.#corpus = makeCorpus(this.#random);
    return Buffer.concat(this.#random.pickWeighted(KINDS)(this.#random, this.#corpus));
  }
}

/** The same bytes are always cut in the same way, so that they alone repeat a failure. */
export function chunksOf(input: Buffer, random: Random): Buffer[] {
  if (random.chance(0.6)) return [input];
  const chunks: Buffer[] = [];
  const most = random.pick([1, 9, 100, 100, 500, 500]);
  // Byte by byte is tried on what begins an input; all of a long one would take too long.
  for (let start = 0; start < input.length; ) {
    const length = start > 600 ? input.length - start : 1 + random.integer(most);
    chunks.push(input.subarray(start, start + length));
    start += length;
  }
  return chunks;
}

/** Seeds whatever else goes with an input. */
export function seedOf(input: Buffer): number {
  let hash = input.length;
  for (const byte of input.subarray(0, 4000)) hash = (Math.imul(hash, 31) + byte) >>> 0;
  return hash;
}

function noise(random: Random): Buffer[] {
  return [randomBytes(random, random.integer(120))];
}

function noisyFrames(random: Random): Buffer[] {
  const pieces = random.chance(0.8) ? handshake(random) : [Buffer.from('AMQP\x03\x01\x00\x00', 'latin1')];
  for (let count = 1 + random.integer(4); count > 0; count--) {
    const frame = frameOf(randomBytes(random, random.integer(60)), {
      type: random.chance(0.9) ? 0 : random.integer(3),
    });
    if (random.chance(0.1)) frame[4] = random.integer(256);
    if (random.chance(0.05)) frame.writeUInt32BE(randomNumber(random), 0);
    pieces.push(frame);
  }
  return pieces;
}

function honest(random: Random): Buffer[] {
  return conversation(random);
}

function spoiled(random: Random, { conversations }: Corpus): Buffer[] {
  return mutated(random, random.pick(conversations), random.pick(conversations));
}

function performatives(random: Random, { conversations, frames }: Corpus): Buffer[] {
  const pieces = random.chance(0.5) ? [...random.pick(conversations)] : handshake(random);
  for (let count = 1 + random.integer(7); count > 0; count--) pieces.push(random.pick(frames));
  return pieces;
}

function hostileFrames(random: Random, { conversations }: Corpus): Buffer[] {
  const pieces = random.chance(0.5) ? [...random.pick(conversations)] : handshake(random);
  const code = random.pick([0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18]);
  pieces.push(frameOf(Buffer.concat([Buffer.of(0x00, 0x53, code), hostileValue(random)])));
  if (random.chance(0.02)) pieces.push(frameOf(Buffer.alloc(66_000, code)));
  return pieces;
}

function makeCorpus(random: Random): Corpus {
  return {
    conversations: Array.from({ length: CONVERSATION_COUNT }, () => conversation(random)),
    frames: Array.from({ length: FRAME_COUNT }, () =>
      frameOf(randomPerformative(random), { channel: random.pick([0, 0, 0, 0, 1, 2]) }),
    ),
  };
}
