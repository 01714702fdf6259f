// The files of somebody who uses the package: a test for each test runner, and a program for each module mode of TypeScript.

const STEPS = `
  const emulator = await startEmulator({ queues: ['orders'] });
  const client = new ServiceBusClient(emulator.connectionString);
  await client.createSender('orders').sendMessages({ body: 'hello' });
  const [message] = await client.createReceiver('orders', { receiveMode: 'receiveAndDelete' }).receiveMessages(1);
  await client.close();
  await emulator.stop();
  assert.equal(message.body, 'hello');
`;

const REQUIRES = `
const assert = require('node:assert/strict');
const { ServiceBusClient } = require('@azure/service-bus');
const { startEmulator } = require('jitney');
`;

const IMPORTS = `
import assert from 'node:assert/strict';
import { ServiceBusClient } from '@azure/service-bus';
import { startEmulator } from 'jitney';
`;

const TEST = `test('a message is delivered', async () => {${STEPS}});\n`;

const TYPED = `
const options: EmulatorOptions = { queues: ['orders', { name: 'bills', lockDurationMs: 5000 }] };

async function main(): Promise<number> {
  const emulator: Emulator = await startEmulator(options);
  // @ts-expect-error A port is a number: an import without types would let this pass.
  const port: string = emulator.port;
  await emulator.stop();
  return port.length + PortError.length;
}

main();
`;

const PROGRAM = `import { type Emulator, type EmulatorOptions, PortError, startEmulator } from 'jitney';\n${TYPED}`;

/** By its path in the consumer's folder. */
export const FILES: Readonly<Record<string, string>> = {
  'jest/orders.test.js': `${REQUIRES}${TEST}`,
  'mocha/orders.js': `${REQUIRES}${TEST.replace('test(', 'it(')}`,
  'node-test/required.cjs': `const { test } = require('node:test');${REQUIRES}${TEST}`,
  'node-test/imported.mjs': `import { test } from 'node:test';${IMPORTS}${TEST}`,
  'vitest/orders.test.mjs': `import { test } from 'vitest';${IMPORTS}${TEST}`,
  'types/program.ts': PROGRAM,
  'types/program.mts': PROGRAM,
  'types/program.cts': PROGRAM,
  'files.cjs': `require('jitney/package.json'); require('jitney/config/Config.json'); require('jitney/config/Config.schema.json');`,
};

export type TestRunner = { readonly name: string; readonly words: readonly string[] };

/** As arguments of Node, from the consumer's folder. */
export const TEST_RUNNERS: readonly TestRunner[] = [
  { name: 'jest', words: ['node_modules/jest/bin/jest.js', '--rootDir', 'jest'] },
  { name: 'mocha', words: ['node_modules/mocha/bin/mocha.js', 'mocha/orders.js'] },
  { name: 'node:test', words: ['--test', 'node-test/required.cjs', 'node-test/imported.mjs'] },
  { name: 'vitest', words: ['node_modules/vitest/vitest.mjs', 'run', '--dir', 'vitest'] },
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
