// The commands that change selected messages of a running emulator, or show one: what they do, what they ask, and what they print.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../compat-tests/support/temporary-directory.js';
import { type Emulator, startEmulator } from '../../../src/emulator.js';
import { runCommand } from './control-program.js';

let emulator: Emulator;
let port: string;

beforeEach(async () => {
  emulator = await startEmulator({
    queues: ['orders', 'bin'],
    topics: ['news', { name: 'events', subscriptions: ['audit'] }],
    tls: 'off',
  });
  port = String(emulator.port);
  const scheduledEnqueueTime = '2099-01-01T00:00:00Z';
  await call('messages?entity=orders', [
    { subject: 'a' },
    { subject: 'b' },
    { subject: 'a', scheduledEnqueueTime },
    { subject: 'c' },
  ]);
  await call('messages:dead-letter?entity=orders', { sequenceNumbers: [4], reason: 'NoAddress' });
});
afterEach(() => emulator.stop());

async function call(path: string, body: unknown): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const given = { method: 'POST', headers, body: JSON.stringify(body) };
  expect((await fetch(`http://localhost:${port}/$jitney/v1/${path}`, given)).status).toBe(200);
}

const run = (...words: string[]) => runCommand([...words, '--port', port]);

async function left(entity = 'orders'): Promise<readonly unknown[]> {
  const response = await fetch(`http://localhost:${port}/$jitney/v1/messages?entity=${entity}`);
  const { messages } = (await response.json()) as { messages: { subject: string; state: string }[] };
  return messages.map(({ subject, state }) => `${subject} ${state}`);
}

test('a purge removes only scheduled messages, only those of a filter, or all', async () => {
  expect(await run('purge', 'orders', '--state', 'scheduled', '--yes')).toMatchObject({ exitCode: 0 });
  expect(await left()).toEqual(['a active', 'b active']);
  await run('purge', 'orders', '--filter', "sys.Label = 'a'", '--yes');
  expect(await left()).toEqual(['b active']);
  expect((await run('purge', 'orders', '--yes')).stdout).toBe("Removed 1 message from 'orders'.\n");
  expect((await run('purge', 'orders', '--state', 'dead', '--yes', '--json')).stdout).toBe(
    '{"count":1,"skippedCount":0}\n',
  );
});

test('a dry run says how many it would be, by any selection, and changes nothing', async () => {
  const dry = async (...words: string[]) => (await run(...words, '--dry-run', '--json')).stdout;
  expect(await dry('purge', 'orders')).toBe('{"count":3}\n');
  expect(await dry('purge', 'orders', '--number', '1,2,9')).toBe('{"count":2}\n');
  expect(await dry('purge', 'orders', '--older-than', 'PT1H')).toBe('{"count":0}\n');
  expect(await dry('move', 'orders', '--to', 'bin', '--state', 'active,dead')).toBe('{"count":3}\n');
  expect(await dry('resubmit', 'orders')).toBe('{"count":1}\n');
  expect(await left()).toHaveLength(3);
});

test('without --yes it asks with the number, and without a terminal it is refused', async () => {
  expect(await run('purge', 'orders')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--yes'),
  });
  const words = ['purge', 'orders', '--port', port];
  const no = await runCommand(words, {}, { answer: 'n' });
  expect(no).toMatchObject({ exitCode: 1, stdout: '' });
  expect(no.stderr).toBe("Remove 3 messages of 'orders'? [y/N] Nothing is changed\n");
  expect(await left()).toHaveLength(3);
  expect(await runCommand(words, {}, { answer: 'y' })).toMatchObject({ exitCode: 0 });
  expect(await left()).toEqual([]);
});

test('dead letters come home, and messages move to another queue', async () => {
  expect((await run('resubmit', 'orders', '--yes')).stdout).toBe(
    "Resubmitted 1 message from 'orders/$DeadLetterQueue'.\n",
  );
  await run('move', 'orders', '--to', 'bin', '--state', 'active', '--yes');
  expect(await left()).toEqual(['a scheduled']);
  expect(await left('bin')).toEqual(['a active', 'b active', 'c active']);
});

test('what stays as it is is told, and the exit code is 1', async () => {
  const { exitCode, stdout, stderr } = await run('purge', 'orders', '--number', '2,9', '--yes');
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "Removed 1 message from 'orders'.\n" });
  expect(stderr).toBe("Unchanged: 1 message\n  'orders' has no message 9.\n");
});

test('show prints all that is known of a message, and history what has happened to it', async () => {
  const { stdout } = await run('show', 'orders/$DeadLetterQueue', '4');
  expect(stdout).toContain('sequenceNumber: 4\n');
  expect(stdout).toContain('deadLetterReason: NoAddress\n');
  expect(JSON.parse((await run('show', 'orders', '1', '--json')).stdout)).toMatchObject({ subject: 'a' });
  expect((await run('history', 'orders', '1', '--json')).stdout).toContain('"events":[');
  expect(await run('show', 'orders', '99')).toMatchObject({
    exitCode: 1,
    stderr: "✖ JIT3007  'orders' has no message 99.\n",
  });
  expect((await run('show', 'orders', '4')).stderr).toBe(
    `✖ JIT3007  'orders' has no message 4.\n           It is a dead letter:  jitney show 'orders/$DeadLetterQueue' 4 --port ${port}\n`,
  );
  await run('purge', 'orders', '--number', '1', '--yes');
  expect((await run('show', 'orders', '1')).stderr).toContain(
    `What happened to it:  jitney history 'orders' 1 --port ${port}\n`,
  );
});

test('history of an entity that is not there is refused with what was probably meant', async () => {
  expect(await run('history', 'order', '1')).toEqual({
    exitCode: 1,
    stdout: '',
    stderr:
      "✖ JIT3007  The messaging entity 'order' could not be found.\n           Did you mean 'orders'?\n",
  });
  expect(await run('history', 'orders', '99')).toMatchObject({ exitCode: 0, stdout: '' });
});

test('a subscription may be named by topic and name, and a queue of that name goes before it', async () => {
  await call('messages?entity=events', [{ subject: 'x' }, { subject: 'y' }]);
  const removed = "Removed 1 message from 'events/audit'.\n";
  expect((await run('show', 'Events/audit', '1')).stdout).toContain('subject: x\n');
  expect(await run('history', 'events/audit', '1')).toMatchObject({ exitCode: 0 });
  expect((await run('purge', 'events/audit', '--number', '1', '--yes')).stdout).toBe(removed);
  expect(await left('events/Subscriptions/audit')).toEqual(['y active']);
  const fault = ['fault', 'add', '--on', 'receive', '--error', 'server-busy', '--entity', 'events/audit'];
  expect(await run(...fault)).toMatchObject({
    stdout: expect.stringContaining('entity events/Subscriptions/audit'),
    stderr: '',
  });
  await emulator.createQueue('events/audit');
  await call('messages?entity=events/audit', [{ subject: 'of the queue' }]);
  expect((await run('show', 'events/audit', '1')).stdout).toContain('subject: of the queue\n');
});

test('load takes back what GET messages gives, and says which lines are refused', async () => {
  await using directory = await temporaryDirectory();
  const file = join(directory.path, 'orders.ndjson');
  const response = await fetch(`http://localhost:${port}/$jitney/v1/messages?entity=orders&raw=true`);
  const { messages } = (await response.json()) as { messages: object[] };
  await writeFile(file, messages.map((message) => `${JSON.stringify(message)}\n`).join('\n'));
  expect((await run('load', 'bin', file)).stdout).toBe("Loaded 3 messages into 'bin'.\n");
  expect(await left('bin')).toEqual(await left());
  const dead = await fetch(
    `http://localhost:${port}/$jitney/v1/messages?entity=orders/$DeadLetterQueue&raw=true`,
  );
  const [letter] = ((await dead.json()) as { messages: Record<string, unknown>[] }).messages;
  const edited = { ...letter, body: { section: 'data', sizeBytes: 1, kind: 'text', text: 'mended' } };
  await writeFile(file, JSON.stringify(edited));
  expect((await run('load', 'bin', file)).stderr).toContain(
    'its body differs from the bytes in "raw": remove "raw" to send the body',
  );
  await writeFile(file, JSON.stringify({ ...edited, raw: undefined }));
  await run('load', 'bin', file);
  expect((await emulator.queue('bin').messages()).at(-1)).toMatchObject({
    body: 'mended',
    applicationProperties: {},
  });
  await writeFile(file, '{}\n{"applicationProperties":{"n":{"type":"int","value":"x"}}}\n');
  const refused = await run('load', 'bin', file);
  expect(refused).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('In lines 1 to 2: Message 1'),
  });
  await writeFile(file, '{}\nno message\n');
  expect((await run('load', 'bin', file)).stderr).toContain('line 2 must be a message as a JSON object');
  await writeFile(file, '{"UserConfig":{}}\n');
  expect((await run('load', 'bin', file)).stderr).toContain(
    "In line 1: The body is not valid: 'messages.0' must be a message, with a field such as body or raw; it has only UserConfig",
  );
  expect((await run('load', 'bin', `${file}x`)).stderr).toContain(
    `${file}x cannot be read: there is no such file\n`,
  );
});
