// Commands for messages whose output cannot be written, as on a full disk: they say so, and no message is lost or stays locked.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { outputFailure } from '../../../src/cli/output/error-report.js';
import { type Emulator, startEmulator } from '../../../src/emulator.js';
import { type CommandResult, jitney, objectsIn } from './message-command.js';

const REPORT =
  '✖ JIT3008  The output cannot be written: disk full\n           Make room, or send the output elsewhere\n';

let emulator: Emulator;

beforeEach(async () => {
  emulator = await startEmulator({ queues: ['orders', 'poison?maxDeliveryCount=1'] });
});
afterEach(() => emulator.stop());

function run(...words: readonly string[]): Promise<CommandResult> {
  return jitney([...words, '--port', String(emulator.port)]);
}

/** Runs a command that can print so many lines. */
function runWithRoom(lines: number, ...words: readonly string[]): Promise<CommandResult> {
  let left = lines;
  const print = async () => {
    left -= 1;
    if (left < 0) throw outputFailure(new Error('disk full'));
    return true;
  };
  return jitney([...words, '--port', String(emulator.port)], { print });
}

async function received(): Promise<Record<string, unknown>[]> {
  return objectsIn(await run('receive', 'orders', '--max', 'all', '--json'));
}

test('receive completes what was printed, and gives back the rest at once', async () => {
  await run('send', 'orders', '--body', 'x', '--count', '5');
  const result = await runWithRoom(1, 'receive', 'orders', '--max', '5');
  expect(result).toEqual({ exitCode: 1, stdout: '', stderr: REPORT });
  expect(await received()).toMatchObject(Array(4).fill({ deliveryCount: 0 }));
});

test('receive --receive-and-delete writes what it has taken to standard error', async () => {
  await run('send', 'orders', '--body', 'rescued');
  const { exitCode, stderr } = await runWithRoom(0, 'receive', 'orders', '--receive-and-delete');
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    /^⚠ The output cannot be written\. These messages were already taken:\n.*\n {2}rescued\n/,
  );
  expect(stderr.endsWith(REPORT)).toBe(true);
});

test('send sends all the same', async () => {
  const result = await runWithRoom(0, 'send', 'orders', '--body', 'x', '--count', '2');
  expect(result).toEqual({ exitCode: 1, stdout: '', stderr: `Sent 2 messages to orders\n${REPORT}` });
  expect(await received()).toHaveLength(2);
});

test('dead-letter resubmit counts what was sent', async () => {
  await run('send', 'poison', '--body', 'x', '--count', '2');
  await run('receive', 'poison', '--keep', '--max', '2');
  const result = await runWithRoom(0, 'dead-letter', 'resubmit', 'poison');
  expect(result).toEqual({ exitCode: 1, stdout: '', stderr: `Sent 2 dead letters to poison\n${REPORT}` });
});
