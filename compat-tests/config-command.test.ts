// Config.json as a user meets it: checked, shown, given in a variable, as other tools write it, and applied again.

import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importBuiltPackage } from './support/built-package.js';
import { LAST_LIMIT_MS, RunningProcess } from './support/running-process.js';
import { connect, only, sendBodies, takeAll } from './support/service-bus.js';
import { type TemporaryDirectory, temporaryDirectory } from './support/temporary-directory.js';

const { startEmulator } = await importBuiltPackage();

const PROGRAM = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const ASPIRE = fileURLToPath(new URL('../test/config/aspire.Config.json', import.meta.url));
const SAMPLE = fileURLToPath(new URL('../config/Config.json', import.meta.url));

let directory: TemporaryDirectory;

beforeAll(async () => {
  directory = await temporaryDirectory();
});

afterAll(() => directory[Symbol.asyncDispose]());

/** Runs a command that ends by itself, in the temporary directory. */
async function run(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const program = new RunningProcess([PROGRAM, ...words], { env, workingDirectory: directory.path });
  const exit = await program.endedWithin(LAST_LIMIT_MS);
  return { code: exit?.code, stdout: program.stdout, stderr: program.stderr };
}

function config(namespace: object): string {
  return JSON.stringify({ UserConfig: { Namespaces: [namespace] } });
}

test('config shows what a start would have, and starts and makes nothing', async () => {
  const words = ['config', '--json', '--port', '0', '--data', 'never', '--queue', 'orders?lockDuration=PT5S'];
  const { code, stdout, stderr } = await run(words, { JITNEY_TIER: 'premium' });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({
    settings: { port: { value: 0, from: '--port' }, tier: { value: 'premium', from: 'JITNEY_TIER' } },
    queues: [{ name: 'orders', properties: { lockDuration: { value: 'PT5S', from: '--queue' } } }],
  });
  expect(existsSync(join(directory.path, 'never'))).toBe(false);
});

test('validate says of each file whether an emulator could start with it', async () => {
  const bad = join(directory.path, 'Bad.json');
  await writeFile(bad, config({ Queues: [{ Name: 'a', Properties: { LockDuration: 'PT10M' } }] }));
  const { code, stdout, stderr } = await run(['validate', SAMPLE, bad, ASPIRE]);
  expect(code).toBe(1);
  expect(stdout).toContain(`${SAMPLE} is good: 1 queue, 1 topic, 4 subscriptions, 3 rules\n`);
  expect(stdout).toContain(`${ASPIRE} is good: 2 queues, 2 topics, 2 subscriptions, 3 rules\n`);
  expect(stderr).toContain('Properties.LockDuration must be at most PT5M, not "PT10M"\n');
});

test('a test may give a whole config as text: what .NET Aspire writes is taken unchanged, and a rule whose SQL it leaves out matches every message', async () => {
  await using emulator = await startEmulator({ configJson: await readFile(ASPIRE, 'utf8') });
  await using client = connect(emulator.connectionString);
  await sendBodies(client, 'events', ['news']);
  const receiver = client.createReceiver('events', 'mail', { receiveMode: 'receiveAndDelete' });
  expect(only(await receiver.receiveMessages(1)).body).toBe('news');
  expect(only(await takeAll(client, 'orders')).body).toBe('news');
});

test('a config that is applied again to a data directory adds and updates, and drops no messages', async () => {
  const file = join(directory.path, 'Applied.json');
  const dataDirectory = join(directory.path, 'applied');
  const start = () => startEmulator({ dataDirectory, configFile: file });
  await writeFile(file, config({ Queues: [{ Name: 'orders' }, { Name: 'left.out' }] }));
  {
    await using emulator = await start();
    await using client = connect(emulator.connectionString);
    await sendBodies(client, 'orders', ['kept']);
    await sendBodies(client, 'left.out', ['kept too']);
  }
  await writeFile(
    file,
    config({ Queues: [{ Name: 'orders', Properties: { MaxDeliveryCount: 1 } }, { Name: 'new' }] }),
  );
  await using emulator = await start();
  await using client = connect(emulator.connectionString);
  const receiver = client.createReceiver('orders');
  const message = only(await receiver.receiveMessages(1));
  expect(message.body).toBe('kept');
  await receiver.abandonMessage(message);
  expect(only(await takeAll(client, 'orders', 'deadLetter')).body).toBe('kept');
  expect(only(await takeAll(client, 'left.out')).body).toBe('kept too');
  await sendBodies(client, 'new', ['more']);
});
