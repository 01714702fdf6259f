// `npm run measure -- suite`: 200 tests in ten files, in random order: first each with an emulator of its own, then each with a namespace of
// its own in one emulator for all. Each should take less than 10 s on two quiet cores, and leave nothing running.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../../compat-tests/support/documentation.js';
import { markdownBlocks } from '../../compat-tests/support/markdown-blocks.js';
import { ReaderFolder } from '../../compat-tests/support/reader-folder.js';
import { RunningProcess } from '../../compat-tests/support/running-process.js';

const FILES = 10;
const TESTS = 20;
const LIMIT_MS = 120_000;
const WANTED_S = 10;
const PAGE = join(PROJECT, 'docs/namespaces.md');
const EACH = `test.for(Array.from({ length: ${TESTS} }, (_, index) => index))('order %i is alone', async`;
const SEND_AND_RECEIVE = `  await client.createSender('orders').sendMessages({ body: { id } });
  const receiver = client.createReceiver('orders', { receiveMode: 'receiveAndDelete' });
  const [message] = await receiver.receiveMessages(1);
  expect(message.body).toEqual({ id });`;

const OWN_EMULATOR = `import { emulatorTest } from 'jitney/vitest';
import { expect } from 'vitest';

const test = emulatorTest({ queues: ['orders'] });

${EACH} (id, { emulator, client }) => {
${SEND_AND_RECEIVE}
  await expect(emulator.queue('orders')).toBeEmpty();
});
`;

const OWN_NAMESPACE = `import { expect } from 'vitest';
import { test } from './servicebus.mjs';

${EACH} (id, { client }) => {
${SEND_AND_RECEIVE}
  expect(await receiver.peekMessages(1)).toEqual([]);
});
`;

const page = markdownBlocks(readFileSync(PAGE, 'utf8'));
const isGood = [
  await measure('an emulator', OWN_EMULATOR, []),
  await measure('a namespace', OWN_NAMESPACE, ['vitest.config.mjs', 'shared.mjs', 'servicebus.mjs']),
].every(Boolean);
process.exitCode = isGood ? 0 : 1;

/** Runs the tests, with these files of the page on namespaces beside them, and prints how long it took. */
async function measure(own: string, text: string, ofPage: readonly string[]): Promise<boolean> {
  await using folder = await ReaderFolder.create();
  for (const name of ofPage) await folder.write(name, textOf(name));
  for (let file = 0; file < FILES; file++) await folder.write(`orders-${file}.test.mjs`, text);
  const started = performance.now();
  const words = ['node_modules/vitest/vitest.mjs', 'run', '--maxWorkers', '2', '--sequence.shuffle'];
  const vitest = new RunningProcess(words, {
    env: { ...folder.environment(), NO_COLOR: '1' },
    workingDirectory: folder.path,
  });
  const exit = await vitest.endedWithin(LIMIT_MS);
  const seconds = (performance.now() - started) / 1000;
  const havePassed = exit?.code === 0 && vitest.output.includes(`Tests  ${FILES * TESTS} passed`);
  if (!havePassed) console.log(vitest.output);
  const left = processesIn(folder.path);
  console.log(
    `${FILES * TESTS} tests in ${FILES} files, each with ${own} of its own: ${seconds.toFixed(1)} s, ${WANTED_S} s wanted; ${left.length} processes left running`,
  );
  for (const each of left) console.log(`  ${each}`);
  return havePassed && left.length === 0;
}

function textOf(name: string): string {
  const text = page.find(({ fileName }) => fileName === name)?.text;
  if (text === undefined) throw new Error(`${PAGE} prints no ${name}`);
  return text;
}

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
