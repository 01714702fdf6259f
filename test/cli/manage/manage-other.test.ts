// The commands that change messages, or show one, with a service that is no Jitney for them, as Azure is none: an emulator without its
// control interface, in strict mode, over TLS.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../src/emulator.js';
import { runCommand } from '../control/control-program.js';
import { jitney } from '../messages/message-command.js';

const BOSS = { keyName: 'boss', rights: ['Manage', 'Send', 'Listen'], primaryKey: 'key of boss' } as const;
const LISTENER = { keyName: 'listener', rights: ['Listen'], primaryKey: 'key of listener' } as const;
const DEAD = 'orders/$DeadLetterQueue';
const SEED = [
  { entity: 'orders', subject: 'a', state: 'active', body: '1' },
  { entity: 'orders', subject: 'b', state: 'active', body: '2' },
  { entity: 'orders', subject: 'a', state: 'scheduled', scheduledEnqueueTime: '2099-01-01T00:00:00Z' },
  { entity: 'orders', subject: 'b', state: 'deferred', deliveryCount: 1 },
  { entity: DEAD, subject: 'a', state: 'active', deadLetterReason: 'NoAddress', deliveryCount: 3 },
  { entity: DEAD, subject: 'b', state: 'active', deadLetterReason: 'Late', deliveryCount: 3 },
  ...['red', 'blue', 'red'].map((sessionId) => ({ entity: 'baskets', sessionId, state: 'active' })),
  { entity: 'baskets', sessionId: 'blue', state: 'deferred', deliveryCount: 1 },
  { entity: 'events/Subscriptions/audit', subject: 'x', state: 'active' },
] as const;

let emulator: Emulator;
let prepared: Uint8Array;

beforeAll(async () => {
  emulator = await startEmulator({
    queues: ['orders', 'baskets?requiresSession=true', 'bin', 'bag?requiresSession=true'],
    topics: ['events/audit'],
    seed: SEED,
    auth: 'strict',
    control: false,
    policies: [BOSS, LISTENER],
  });
  prepared = await emulator.snapshot();
});
beforeEach(() => emulator.restore(prepared));
afterAll(() => emulator.stop());

function stringOf({ port }: Emulator, { keyName, primaryKey }: typeof BOSS | typeof LISTENER): string {
  return `Endpoint=sb://localhost:${port};SharedAccessKeyName=${keyName};SharedAccessKey=${primaryKey}`;
}

const run = (...words: string[]) => runCommand([...words, '--connection-string', stringOf(emulator, BOSS)]);

async function left(name = 'orders'): Promise<readonly string[]> {
  const messages = await emulator.queue(name).messages();
  return messages.map(({ subject, state }) => `${subject} ${state}`);
}
const deadLetters = async () =>
  (await emulator.queue('orders').deadLetters()).map(({ subject, deliveryCount }) => [
    subject,
    deliveryCount,
  ]);

test('only scheduled messages are cancelled, only deferred ones received, or all but the dead letters deleted', async () => {
  expect((await run('purge', 'orders', '--state', 'scheduled', '--yes')).stdout).toBe(
    "Removed 1 message from 'orders'.\n",
  );
  expect(await left()).toEqual(['a active', 'b active', 'b deferred']);
  expect(await run('purge', 'orders', '--state', 'deferred', '--number', '4', '--yes')).toMatchObject({
    exitCode: 0,
  });
  expect(await left()).toEqual(['a active', 'b active']);
  await emulator.restore(prepared);
  expect((await run('purge', 'orders', '--yes', '--json')).stdout).toBe('{"count":4,"skippedCount":0}\n');
  expect([await left(), await deadLetters()]).toMatchObject([[], [{}, {}]]);
  expect((await run('purge', 'orders', '--dead-letter', '--yes')).stdout).toContain('Removed 2 messages');
});

test('active messages are selected only if it is said that this counts deliveries', async () => {
  const refused = await run('purge', 'orders', '--filter', "sys.Label = 'a'", '--yes');
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
  expect(refused.stderr).toContain('1 of them is active, and is selected only with --raise-delivery-counts');
  expect(await left()).toHaveLength(4);
  await run('purge', 'orders', '--filter', "sys.Label = 'a'", '--raise-delivery-counts', '--yes');
  expect(await left()).toEqual(['b active', 'b deferred']);
});

test('the active messages alone, and old messages, are deleted without a look at each', async () => {
  expect((await run('purge', 'orders', '--older-than', 'PT1H', '--yes', '--json')).stdout).toContain(':0,');
  expect(await run('purge', 'orders', '--state', 'active', '--yes')).toMatchObject({ exitCode: 0 });
  expect(await left()).toEqual(['a scheduled', 'b deferred']);
});

test('selected dead letters go, and the others stay as they are', async () => {
  await run('purge', 'orders', '--state', 'dead', '--filter', "DeadLetterReason = 'NoAddress'", '--yes');
  expect(await deadLetters()).toEqual([['b', 3]]);
  expect((await run('resubmit', 'orders', '--yes')).stdout).toBe(`Resubmitted 1 message from '${DEAD}'.\n`);
  expect(await deadLetters()).toEqual([]);
  expect(await left()).toEqual(['a active', 'b active', 'a scheduled', 'b deferred', 'b active']);
});

test('messages move in their order, scheduled ones stay so, and dead letters lose their reason', async () => {
  expect(await run('move', 'orders', '--to', 'bin', '--yes')).toMatchObject({ exitCode: 0 });
  expect(await left()).toEqual([]);
  expect((await left('bin')).toSorted()).toEqual(['a active', 'a scheduled', 'b active', 'b active']);
  await run('move', 'orders', '--state', 'dead', '--number', '6', '--to', 'bin', '--yes');
  const moved = (await emulator.queue('bin').messages()).at(-1);
  expect(moved?.applicationProperties).toEqual({});
});

test('messages of sessions are taken session by session, and those of a subscription as those of a queue', async () => {
  await run('move', 'baskets', '--to', 'bag', '--yes');
  expect(await left('baskets')).toEqual([]);
  expect((await emulator.queue('bag').messages()).map(({ sessionId }) => sessionId).toSorted()).toEqual([
    'blue',
    'blue',
    'red',
    'red',
  ]);
  await run('purge', 'bag', '--state', 'active', '--yes');
  expect(await left('bag')).toEqual([]);
  await run('purge', 'events/Subscriptions/audit', '--yes');
  expect(await emulator.topic('events').subscription('audit').messages()).toEqual([]);
});

test('a dry run only peeks, and a question names the number', async () => {
  expect((await run('move', 'orders', '--to', 'bin', '--dry-run', '--json')).stdout).toBe('{"count":4}\n');
  expect(await run('purge', 'orders')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("Remove 4 messages of 'orders'? Give --yes"),
  });
  expect(await left()).toHaveLength(4);
});

test('Ctrl-C ends it after the messages under way and says so, and the same command goes on', async () => {
  const address = ['--connection-string', stringOf(emulator, BOSS)];
  await jitney(['send', 'bin', '--body', 'x', '--count', '250', '--schedule', 'PT1H', ...address]);
  const interruption = new AbortController();
  const unsubscribe = emulator.events.subscribe(({ kind }) => {
    if (kind === 'cancelled') interruption.abort();
  });
  const words = ['purge', 'bin', '--yes', ...address];
  const first = await runCommand(words, {}, { interrupted: interruption.signal });
  unsubscribe();
  expect(first).toMatchObject({ exitCode: 130, stdout: "Removed 100 messages from 'bin'.\n" });
  expect(first.stderr).toContain('the same command goes on from here');
  expect((await runCommand(words)).stdout).toBe("Removed 150 messages from 'bin'.\n");
});

test('nothing goes where it may be dropped as a duplicate, unless it gets a new id or that is accepted', async () => {
  await using strict = await startEmulator({
    queues: ['dd?requiresDuplicateDetection=true', 'to-dd?forwardTo=dd', 'plain'],
    seed: [
      { entity: 'dd/$DeadLetterQueue', messageId: 'known', deadLetterReason: 'Late' },
      { entity: 'plain', messageId: 'known', state: 'active' },
      { entity: 'plain', messageId: 'other', state: 'active' },
    ],
    auth: 'strict',
    control: false,
    policies: [BOSS, { ...LISTENER, rights: ['Listen', 'Send'] }],
  });
  const by = (policy: typeof BOSS | typeof LISTENER) => ['--connection-string', stringOf(strict, policy)];
  const dead = () => strict.queue('dd').deadLetters();
  await jitney(['send', 'dd', '--message-id', 'known', '--body', 'x', ...by(BOSS)]);
  const refused = await runCommand(['resubmit', 'dd', '--yes', ...by(BOSS)]);
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
  expect(refused.stderr).toMatch(/'dd' detects duplicates: .*\n.*--new-message-id\n.*--may-drop-duplicates/);
  expect((await runCommand(['move', 'plain', '--to', 'to-dd', '--yes', ...by(BOSS)])).stderr).toContain(
    "'to-dd' forwards to 'dd', which detects duplicates",
  );
  const unread = await jitney(['dead-letter', 'resubmit', 'dd', ...by(LISTENER)]);
  expect(unread).toMatchObject({ exitCode: 1, stdout: '' });
  expect(unread.stderr).toMatch(/cannot be read whether 'dd' detects duplicates.*lacks the right Manage/);
  expect(await dead()).toHaveLength(1);
  const sent = await runCommand(['resubmit', 'dd', '--new-message-id', '--yes', ...by(LISTENER)]);
  expect(sent).toMatchObject({ exitCode: 0, stderr: '' });
  const [first, second] = await strict.queue('dd').messages();
  expect([first?.messageId, await dead()]).toEqual(['known', []]);
  expect(second?.messageId).toMatch(/^[0-9a-f-]{36}$/);
  const words = ['move', 'plain', '--to', 'dd', '--may-drop-duplicates', '--yes', ...by(LISTENER)];
  expect((await runCommand(words)).stdout).toBe("Moved 2 messages from 'plain'.\n");
  expect((await strict.queue('dd').messages()).map(({ messageId }) => messageId)).toEqual([
    'known',
    second?.messageId,
    'other',
  ]);
});

test('what cannot be is refused in words', async () => {
  expect((await run('purge', 'orders', '--state', 'locked', '--yes')).stderr).toContain(
    'works with Jitney only',
  );
  expect((await run('purge', 'orders', '--filter', 'a = = 1', '--yes')).stderr).toContain('--filter');
  expect((await run('move', 'orders', '--to', 'Orders', '--yes')).stderr).toContain('already');
  expect((await run('purge', 'events', '--yes')).stderr).toContain('name its subscriptions');
});

test('a subscription may be named by its topic and name', async () => {
  expect((await run('show', 'events/audit', '1')).stdout).toContain('subject: x\n');
  const words = ['peek', 'events/audit', '--json', '--connection-string', stringOf(emulator, LISTENER)];
  expect((await jitney(words)).stdout).toContain('"subject":"x"');
  expect((await run('purge', 'events/audit', '--yes')).stdout).toContain('Removed 1 message');
});

test('show peeks one message, and says which is the next; there is no history', async () => {
  expect((await run('show', DEAD, '5')).stdout).toContain('deadLetterReason: NoAddress\n');
  expect(await run('show', DEAD, '1')).toMatchObject({
    exitCode: 1,
    stderr: `'${DEAD}' has no message 1; the next one is 5\n`,
  });
  const { exitCode, stderr } = await run('history', 'orders', '1');
  expect(exitCode).toBe(1);
  expect(stderr).toContain('keeps no history of its messages');
  expect(stderr).toContain(`jitney show 'orders' 1 --connection-string "<the connection string>"\n`);
  expect(stderr).toContain(`jitney copy "<the connection string>" 5672 --only 'orders'\n`);
  expect(stderr).not.toContain(BOSS.primaryKey);
});

test('a Jitney that refuses a key without Manage is not taken for another service', async () => {
  await using strict = await startEmulator({
    queues: ['orders'],
    auth: 'strict',
    policies: [BOSS, LISTENER],
    seed: [{ entity: 'orders', body: 'x' }],
  });
  const words = ['purge', 'orders', '--yes', '--connection-string', stringOf(strict, LISTENER)];
  expect((await runCommand(words)).stderr).toContain("The key 'listener' lacks the right Manage");
  expect(await strict.queue('orders').messages()).toHaveLength(1);
});
