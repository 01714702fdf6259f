// The fuzzer: inputs from one seed, most to the endpoint alone, the rest to the whole server, and a look at the memory between.

import assert from 'node:assert';
import v8 from 'node:v8';
import vm from 'node:vm';
import { Tally } from '../simulation/tally.js';
import { turns } from '../support/rhea-client.js';
import { runOnEndpoint } from './endpoint-target.js';
import { FuzzFailure } from './fuzz-failure.js';
import { InputSource } from './input.js';
import { InputError, ServerTarget } from './server-target.js';

export type FuzzOptions = {
  readonly seed: number;
  /** For ever when left out. */
  readonly inputs?: number;
  /** Told after each round. */
  readonly onRound?: (done: number, bytes: number) => void;
};

const ENDPOINT_INPUTS_PER_ROUND = 1700;
const BATCHES_PER_ROUND = 18;
const BATCH_SIZE = 16;
const BATCHES_PER_CONTROL = 8;
const ROUND = ENDPOINT_INPUTS_PER_ROUND + BATCHES_PER_ROUND * BATCH_SIZE;
/** The first rounds load code and fill caches. */
const WARM_UP_ROUNDS = 2;
const GROWTH_LIMIT_BYTES = 10 * 1024 * 1024;

/** Answers what servers were seen to do; throws FuzzFailure at the first bug. */
export async function fuzz({
  seed,
  inputs = Number.POSITIVE_INFINITY,
  onRound,
}: FuzzOptions): Promise<Tally> {
  const source = new InputSource(seed);
  const tally = new Tally();
  let bytesAtStart: number | undefined;
  for (let round = 0; round * ROUND < inputs; round++) {
    fuzzEndpoint(source, seed, tally);
    await fuzzServer(source, seed, tally);
    const bytes = await usedBytes();
    if (round + 1 === WARM_UP_ROUNDS) bytesAtStart = bytes;
    const grownBytes = bytes - (bytesAtStart ?? bytes);
    assert(
      grownBytes < GROWTH_LIMIT_BYTES,
      `seed ${seed}: ${grownBytes} bytes more are used than at the start`,
    );
    onRound?.((round + 1) * ROUND, bytes);
  }
  return tally;
}

/** Sends one input again. */
export async function fuzzOnce(input: Buffer): Promise<Tally> {
  const tally = new Tally();
  runOnEndpoint(input, tally);
  await runOnServer([input], tally);
  return tally;
}

function fuzzEndpoint(source: InputSource, seed: number, tally: Tally): void {
  for (let count = 0; count < ENDPOINT_INPUTS_PER_ROUND; count++) {
    const input = source.next();
    try {
      runOnEndpoint(input, tally);
    } catch (cause) {
      throw new FuzzFailure({ target: 'endpoint', seed, inputs: [input] }, cause);
    }
  }
}

async function fuzzServer(source: InputSource, seed: number, tally: Tally): Promise<void> {
  const server = await ServerTarget.open();
  for (let batch = 0; batch < BATCHES_PER_ROUND; batch++) {
    const inputs = Array.from({ length: BATCH_SIZE }, () => source.next());
    try {
      await server.run(inputs, tally);
      if (batch % BATCHES_PER_CONTROL === 0) await server.checkControl();
    } catch (cause) {
      const culprits = cause instanceof InputError ? [cause.input] : await findCulprits(inputs);
      throw new FuzzFailure({ target: 'server', seed, inputs: culprits }, cause);
    }
  }
  await server.close();
}

/** Those of the inputs that fail by themselves, or all when none does. */
async function findCulprits(inputs: readonly Buffer[]): Promise<readonly Buffer[]> {
  const culprits: Buffer[] = [];
  for (const input of inputs) await runOnServer([input], new Tally()).catch(() => culprits.push(input));
  return culprits.length > 0 ? culprits : inputs;
}

async function runOnServer(inputs: readonly Buffer[], tally: Tally): Promise<void> {
  const server = await ServerTarget.open();
  try {
    await server.run(inputs, tally);
    await server.checkControl();
  } finally {
    await server.close();
  }
}

/** Of heap and buffers; what the collector has found is freed a little later. */
async function usedBytes(): Promise<number> {
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc') as () => void;
  for (let pass = 0; pass < 3; pass++) {
    collect();
    await turns(5);
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
