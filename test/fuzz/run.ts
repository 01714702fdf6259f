// `npm run measure -- fuzz --seed N --inputs M`: so many inputs of a seed, or inputs for ever; `--input HEX` sends one again.

import { parseArgs } from 'node:util';
import { fuzz, fuzzOnce } from './fuzz.js';
import { FuzzFailure } from './fuzz-failure.js';

function wholeNumber(text: string, option: string): number {
  const value = Number(text);
  if (text !== '' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new Error(`--${option} must be a whole number, not '${text}'`);
}

function onRound(done: number, bytes: number): void {
  console.log(`${done} inputs are fine, ${(bytes / 2 ** 20).toFixed(1)} MiB of memory are used`);
}

async function main(): Promise<void> {
  const options = {
    seed: { type: 'string' },
    inputs: { type: 'string' },
    input: { type: 'string' },
  } as const;
  const { values } = parseArgs({ options });
  if (values.input !== undefined) {
    console.log(`The input is fine.\n${await fuzzOnce(Buffer.from(values.input, 'hex'))}`);
    return;
  }
  const seed =
    values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : wholeNumber(values.seed, 'seed');
  console.log(`seed ${seed}`);
  const count = values.inputs === undefined ? {} : { inputs: wholeNumber(values.inputs, 'inputs') };
  console.log(String(await fuzz({ seed, onRound, ...count })));
}

main().catch((error: unknown) => {
  console.error(error instanceof FuzzFailure ? error.message : error);
  process.exitCode = 1;
});
