// The samples runner itself, with stand-ins of our own for the official programs.

import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RunningProcess } from '../support/running-process.js';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.js';

const RUNNER = fileURLToPath(new URL('./run.ts', import.meta.url));
const LIMIT_MS = 60_000;
const SEND_TEN = `
  const { ServiceBusClient } = require('@azure/service-bus');
  require('dotenv').config();
  (async () => {
    const client = new ServiceBusClient(process.env.SERVICEBUS_CONNECTION_STRING);
    const messages = Array.from({ length: 10 }, (_, index) => ({ body: index }));
    await client.createSender(process.env.QUEUE_NAME).sendMessages(messages);
    console.log('Done sending');
    await client.close();
  })();`;
/** Takes what it finds in the sessions, says what the official sample says, and does not end. */
const ROUND_ROBIN = `
  const { ServiceBusClient } = require('@azure/service-bus');
  (async () => {
    const client = new ServiceBusClient(process.env.SERVICEBUS_CONNECTION_STRING);
    for (;;) {
      const receiver = await client.acceptNextSession(process.env.QUEUE_NAME_WITH_SESSIONS);
      console.log('[' + receiver.sessionId + '] will start processing...');
      for (const message of await receiver.receiveMessages(3)) {
        console.log('[' + receiver.sessionId + '] received message with body ' + message.body);
        await receiver.completeMessage(message);
      }
      await receiver.close();
      console.log('[' + receiver.sessionId + '] was closed because of idle_timeout');
    }
  })();`;
const COMPLAIN = `console.log('nothing works'); process.exit(3);`;

let directory: TemporaryDirectory;

beforeAll(async () => {
  directory = await temporaryDirectory();
});

afterAll(() => directory[Symbol.asyncDispose]());

async function runOn(programs: Record<string, string>): Promise<RunningProcess> {
  const folder = `${directory.path}/${randomUUID()}`;
  for (const [file, text] of Object.entries(programs)) {
    await mkdir(dirname(`${folder}/javascript/${file}`), { recursive: true });
    await writeFile(`${folder}/javascript/${file}`, text);
  }
  return await runWith(['--from', folder]);
}

async function runWith(commandLine: readonly string[]): Promise<RunningProcess> {
  const runner = new RunningProcess(['--import', 'tsx', RUNNER, ...commandLine]);
  await runner.endedWithin(LIMIT_MS);
  return runner;
}

describe.concurrent('npm run samples', () => {
  test('runs what it knows, names what waits for a feature and what it does not know', async () => {
    const runner = await runOn({
      'sendMessages.js': SEND_TEN,
      'batchDeleteMessages.js': COMPLAIN,
      'novel.js': COMPLAIN,
    });

    expect(runner.output).toMatch(/^sendMessages\.js +0 +[\d.]+ s +passed$/m);
    expect(runner.output).toMatch(/^batchDeleteMessages\.js +- +- +waits for a published SDK that has it$/m);
    expect(runner.output).toMatch(/^novel\.js +- +- +not known$/m);
    expect((await runner.exited).code).toBe(0);
  });

  test('fails, and shows what was printed, when a sample that should pass does not', async () => {
    const runner = await runOn({ 'sendMessages.js': COMPLAIN });

    expect(runner.output).toMatch(/^sendMessages\.js +3 .* FAILED: ended with exit code 3$/m);
    expect(runner.output).toContain('  | nothing works');
    expect((await runner.exited).code).toBe(1);
  });

  test('stops a sample that goes on for ever when it has done its work, and fails one that ends before', async () => {
    const runner = await runOn({ 'advanced/sessionRoundRobin.js': ROUND_ROBIN });
    expect(runner.output).toMatch(/^advanced\/sessionRoundRobin\.js +none +[\d.]+ s +passed$/m);
    expect((await runner.exited).code).toBe(0);

    const early = await runOn({ 'advanced/sessionRoundRobin.js': SEND_TEN });
    expect(early.output).toMatch(/^advanced\/sessionRoundRobin\.js +0 .* FAILED: ended with exit code 0$/m);
    expect((await early.exited).code).toBe(1);
  });

  test('explains itself when --from is missing or is no folder of samples', async () => {
    const runs = await Promise.all([
      runWith([]),
      runWith(['--from', `${directory.path}/nowhere`]),
      runWith(['--from', directory.path]),
    ]);

    for (const runner of runs) {
      expect(runner.stderr).toContain('Usage: npm run samples -- --from <folder>');
      expect((await runner.exited).code).toBe(2);
    }
    expect(runs[0]?.stderr).toContain('--from is missing');
    expect(runs[1]?.stderr).toContain('there is no such folder');
    expect(runs[2]?.stderr).toContain("none of the SDK's samples is in it");
  });
});
