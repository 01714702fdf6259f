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

/** The kit's types, beside programs that have neither vitest nor jest. */
const KIT = `
import { emulatorForEachTest, expectEntity, type EntityMatchers } from 'jitney/testing';
import { sharedEmulator } from 'jitney/global-setup';

const bus = emulatorForEachTest({ queues: ['orders'] });
export const shared = sharedEmulator({ queues: ['orders'] });

export async function check(matchers: EntityMatchers): Promise<void> {
  await expectEntity(bus.emulator.queue('orders')).not.toHaveMessages([{ body: { id: 7 }, subject: /a/ }]);
  await matchers.toHaveDeadLetter({ reason: 'x' }, { timeoutMs: 5 });
  // @ts-expect-error A message has no such field.
  await matchers.toHaveMessages([{ subjekt: 'x' }]);
}
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
  'vitest/orders-kit.test.mjs',
  'jest/orders-kit.test.js',
  'node-test/orders-kit.test.mjs',
  'mocha/orders-kit.cjs',
  'vitest/orders-processed.test.mjs',
  'vitest/prepared.test.mjs',
];

/** jest fakes also what vitest leaves as it is, such as `process.nextTick`. */
const FAKE_TIMERS = `const { emulatorForEachTest } = require('jitney/jest');
const bus = emulatorForEachTest({ queues: ['orders'] });
afterEach(() => jest.useRealTimers());
test('fake timers stop neither the emulator nor its matchers', async () => {
  jest.useFakeTimers();
  const orders = bus.emulator.queue('orders');
  await orders.send({ body: { id: 7 }, timeToLiveMs: 60000 });
  jest.advanceTimersByTime(3600000);
  await expect(orders).toHaveMessages(1);
  await expect(orders).not.toHaveDeadLetter();
  await bus.clock.advance('PT2M');
  await expect(orders).toBeEmpty();
});
`;

/** By its path in the consumer's folder. */
export const FILES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(RECIPES.map((path) => [path, recipe(path)])),
  'vitest/readme.test.mjs': testOfReadme('npx vitest'),
  'jest/fake-timers.test.js': FAKE_TIMERS,
  'types/program.ts': PROGRAM,
  'types/program.mts': PROGRAM,
  'types/program.cts': PROGRAM,
  'types/kit.ts': KIT,
  'types/kit.mts': KIT,
  'types/kit.cts': KIT,
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
  { name: 'mocha', words: ['node_modules/mocha/bin/mocha.js', 'mocha/orders-kit.cjs'] },
  { name: 'node:test', words: ['--test', 'node-test/orders-kit.test.mjs'] },
  { name: 'vitest', words: ['node_modules/vitest/vitest.mjs', 'run', '--dir', 'vitest'] },
  { name: 'import beside require', words: ['both.mjs'] },
  { name: 'its JSON files', words: ['files.cjs'] },
];

/** Tests that must fail: one that prints what happened, and one that awaits no matcher, after which mocha runs no other. */
function failing(
  start: string,
  { it, expectation }: { readonly it: string; readonly expectation: string },
): string {
  return `${start}
${it}('fails', async () => {
  await bus.emulator.queue('orders').send({ body: 1, messageId: 'a-1' });
  await ${expectation}(bus.emulator.queue('orders')).toBeEmpty({ timeoutMs: 1500 });
});
${it}('is not awaited', async () => {
  await bus.emulator.queue('orders').send({ body: 1 });
  ${expectation}(bus.emulator.queue('orders')).toHaveMessages(1);
  await bus.emulator.idle();
});
`;
}

const EACH = "const bus = emulatorForEachTest({ queues: ['orders'] });";
/** What must be in the output of the failing tests. */
export const FAILED: readonly string[] = [
  'Not awaited: toHaveMessages',
  'Waited 1,500 ms; idle. 1 active.',
  // After the number sign, which one reporter escapes.
  '1 accepted from test',
];
export const FAILING: Readonly<Record<string, { readonly file: string; readonly text: string }>> = {
  vitest: {
    file: 'failing.test.mjs',
    text: failing(
      `import { emulatorTest } from 'jitney/vitest';
import { expect } from 'vitest';
const base = emulatorTest({ queues: ['orders'] });
const bus = {};
const it = (name, run) => base(name, async ({ emulator }) => {
  bus.emulator = emulator;
  await run();
});`,
      { it: 'it', expectation: 'expect' },
    ),
  },
  jest: {
    file: 'failing.test.js',
    text: failing(`const { emulatorForEachTest } = require('jitney/jest');\n${EACH}`, {
      it: 'test',
      expectation: 'expect',
    }),
  },
  'node:test': {
    file: 'failing.test.mjs',
    text: failing(
      `import { test } from 'node:test';\nimport { emulatorForEachTest, expectEntity } from 'jitney/testing';\n${EACH}`,
      { it: 'test', expectation: 'expectEntity' },
    ),
  },
  mocha: {
    file: 'failing.cjs',
    text: failing(`const { emulatorForEachTest, expectEntity } = require('jitney/testing');\n${EACH}`, {
      it: 'it',
      expectation: 'expectEntity',
    }),
  },
};

/** Test runners with their versions, each installed alone; the words run all that is in a folder. */
export const RUNNERS: readonly {
  readonly name: string;
  readonly kind: string;
  readonly folder: string;
  readonly tool: string | undefined;
  readonly node: string;
  readonly words: readonly string[];
}[] = [
  ...[
    ['3', '22'],
    ['4', '22'],
    ['5', '24'],
  ].map(([version = '', node = '']) => ({
    name: `vitest ${version}`,
    kind: 'vitest',
    folder: 'vitest',
    tool: `vitest@${version}`,
    node,
    words: ['node_modules/vitest/vitest.mjs', 'run', '--dir'],
  })),
  ...['29', '30'].map((version) => ({
    name: `jest ${version}`,
    kind: 'jest',
    folder: 'jest',
    tool: `jest@${version}`,
    node: '22',
    words: ['node_modules/jest/bin/jest.js', '--rootDir'],
  })),
  ...['20.19.0', '24'].map((node) => ({
    name: `node:test of Node ${node}`,
    kind: 'node:test',
    folder: 'node-test',
    tool: undefined,
    node,
    words: ['--test'],
  })),
  {
    name: 'mocha',
    kind: 'mocha',
    folder: 'mocha',
    tool: 'mocha',
    node: '22',
    words: ['node_modules/mocha/bin/mocha.js'],
  },
];

export type ModuleMode = {
  readonly module: string;
  readonly resolution: string;
  readonly programs: readonly string[];
};

/** `node10` is what `commonjs` means by itself up to TypeScript 5; later versions do not have it. */
export function moduleModes(major: 5 | 7): readonly ModuleMode[] {
  const both = ['program', 'kit'].flatMap((name) =>
    ['ts', 'mts', 'cts'].map((end) => `types/${name}.${end}`),
  );
  const one = ['types/program.ts', 'types/kit.ts'];
  return [
    { module: 'commonjs', resolution: major === 5 ? 'node10' : 'bundler', programs: one },
    { module: 'node16', resolution: 'node16', programs: both },
    { module: 'nodenext', resolution: 'nodenext', programs: both },
    { module: 'esnext', resolution: 'bundler', programs: one },
  ];
}
