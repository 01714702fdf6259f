// The files of somebody who uses the package: a test for each test runner, and a program for each module mode of TypeScript.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { markdownBlocks } from '../support/markdown-blocks.js';

const TYPED = `
const options: EmulatorOptions = { queues: ['orders', { name: 'bills', lockDuration: 'PT5S' }] };

async function main(): Promise<number> {
  const emulator: Emulator = await startEmulator(options);
  // @ts-expect-error A port is a number: an import without types would let this pass.
  const port: string = emulator.port;
  await emulator.stop();
  return port.length + JitneyError.length;
}

main();
`;

const PROGRAM = `import { type Emulator, type EmulatorOptions, JitneyError, startEmulator } from 'jitney';\n${TYPED}`;

/** The classes of errors must be the same for `instanceof`, and `jitney` must not be there twice in one process. */
const BOTH = `
import { createRequire } from 'node:module';
import * as imported from 'jitney';
const required = createRequire(import.meta.url)('jitney');
for (const [name, value] of Object.entries(imported)) {
  if (name !== 'default' && required[name] !== value) throw new Error(name + ' is there twice');
}
if (typeof imported.startEmulator !== 'function') throw new Error('nothing was imported');
`;

/** The tests that `docs/testing.md` prints, by their path in `recipes` and in the consumer's folder. */
export const RECIPES: readonly string[] = [
  'jest/orders.test.js',
  'mocha/orders.cjs',
  'node-test/orders.test.mjs',
  'vitest/orders.test.mjs',
  'vitest/orders-processed.test.mjs',
];

/** By its path in the consumer's folder. */
export const FILES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(RECIPES.map((path) => [path, recipe(path)])),
  'vitest/readme.test.mjs': testOfReadme('npx vitest'),
  'types/program.ts': PROGRAM,
  'types/program.mts': PROGRAM,
  'types/program.cts': PROGRAM,
  'both.mjs': BOTH,
  'files.cjs': `require('jitney/package.json'); require('jitney/config/Config.json'); require('jitney/config/Config.schema.json');`,
};

export function recipe(path: string): string {
  return readFileSync(fileURLToPath(new URL(`recipes/${path}`, import.meta.url)), 'utf8');
}

/** The test that the README prints for a test runner. */
function testOfReadme(command: string): string {
  const readme = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8');
  const block = markdownBlocks(readme).find((one) => one.command === command);
  if (block === undefined) throw new Error(`the README has no test for ${command}`);
  return block.text;
}

export type TestRunner = { readonly name: string; readonly words: readonly string[] };

/** As arguments of Node, from the consumer's folder. */
export const TEST_RUNNERS: readonly TestRunner[] = [
  { name: 'jest', words: ['node_modules/jest/bin/jest.js', '--rootDir', 'jest'] },
  { name: 'mocha', words: ['node_modules/mocha/bin/mocha.js', 'mocha/orders.cjs'] },
  { name: 'node:test', words: ['--test', 'node-test/orders.test.mjs'] },
  { name: 'vitest', words: ['node_modules/vitest/vitest.mjs', 'run', '--dir', 'vitest'] },
  { name: 'import beside require', words: ['both.mjs'] },
  { name: 'its JSON files', words: ['files.cjs'] },
];

export type ModuleMode = {
  readonly module: string;
  readonly resolution: string;
  readonly programs: readonly string[];
};

/** `node10` is what `commonjs` means by itself up to TypeScript 5; later versions do not have it. */
export function moduleModes(major: 5 | 7): readonly ModuleMode[] {
  const both = ['types/program.ts', 'types/program.mts', 'types/program.cts'];
  return [
    { module: 'commonjs', resolution: major === 5 ? 'node10' : 'bundler', programs: ['types/program.ts'] },
    { module: 'node16', resolution: 'node16', programs: both },
    { module: 'nodenext', resolution: 'nodenext', programs: both },
    { module: 'esnext', resolution: 'bundler', programs: ['types/program.ts'] },
  ];
}
