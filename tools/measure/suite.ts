// `npm run measure -- suite`: 200 tests in ten files, each with an emulator and a client of its own, in random order. It should take less than
// 10 s on two quiet cores, and leave nothing running.

import { readdirSync, readFileSync } from 'node:fs';
import { ReaderFolder } from '../../compat-tests/support/reader-folder.js';
import { RunningProcess } from '../../compat-tests/support/running-process.js';

const FILES = 10;
const TESTS = 20;
const LIMIT_MS = 120_000;
const WANTED_S = 10;

const TEXT = `import { emulatorTest } from 'jitney/vitest';
import { expect } from 'vitest';

const test = emulatorTest({ queues: ['orders'] });

test.for(Array.from({ length: ${TESTS} }, (_, index) => index))('order %i is alone', async (id, { emulator, client }) => {
  await client.createSender('orders').sendMessages({ body: { id } });
  const [message] = await client.createReceiver('orders', { receiveMode: 'receiveAndDelete' }).receiveMessages(1);
  expect(message.body).toEqual({ id });
  await expect(emulator.queue('orders')).toBeEmpty();
});
`;

await using folder = await ReaderFolder.create();
for (let file = 0; file < FILES; file++) await folder.write(`orders-${file}.test.mjs`, TEXT);
const started = performance.now();
const words = ['node_modules/vitest/vitest.mjs', 'run', '--maxWorkers', '2', '--sequence.shuffle'];
const vitest = new RunningProcess(words, {
  env: { ...folder.environment(), NO_COLOR: '1' },
  workingDirectory: folder.path,
});
const exit = await vitest.endedWithin(LIMIT_MS);
const seconds = (performance.now() - started) / 1000;
const isGood = exit?.code === 0 && vitest.output.includes(`Tests  ${FILES * TESTS} passed`);
if (!isGood) console.log(vitest.output);
const left = processesIn(folder.path);
console.log(
  `${FILES * TESTS} tests in ${FILES} files: ${seconds.toFixed(1)} s, ${WANTED_S} s wanted; ${left.length} processes left running`,
);
for (const each of left) console.log(`  ${each}`);
process.exitCode = isGood && left.length === 0 ? 0 : 1;

/** The processes whose command line or working directory is in the folder (Linux). */
function processesIn(path: string): readonly string[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return ids.flatMap((id) => {
    try {
      const command = readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return command.includes(path) ? [`${id} ${command}`] : [];
    } catch {
      return []; // it has ended
    }
  });
}
