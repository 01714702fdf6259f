// The commands for messages as processes, beside the official SDK: what one sends the other receives, and how a process ends.

import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Jitney } from './support/jitney.js';
import { LAST_LIMIT_MS, RunningProcess } from './support/running-process.js';
import { connect, only, takeAll } from './support/service-bus.js';

const PROGRAM = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

let jitney: Jitney;

beforeAll(async () => {
  const extraArguments = ['--log-level', 'debug'];
  jitney = await Jitney.start({ queues: ['orders', 'dead', 'piped', 'full', 'waiting'], extraArguments });
});
afterAll(() => jitney[Symbol.asyncDispose]());

function command(...words: readonly string[]): RunningProcess {
  return new RunningProcess([PROGRAM, ...words], {
    env: { SERVICEBUS_CONNECTION_STRING: jitney.connectionString },
  });
}

async function printed(...words: readonly string[]): Promise<string> {
  const process = command(...words);
  expect(await process.endedWithin(LAST_LIMIT_MS), process.output).toEqual({ code: 0, signal: null });
  return process.stdout;
}

test('the SDK receives messages of the commands, and they receive its messages', async () => {
  await using client = connect(jitney.connectionString);
  const id = await printed(
    ...[
      'send',
      'orders',
      '--body',
      '{"id":7}',
      '--subject',
      'placed',
      '--ttl',
      'PT1H',
      '--property',
      'n:int=3',
    ],
    ...['--content-type', 'application/json', '--correlation-id', 'c'],
  );
  expect(only(await takeAll(client, 'orders'))).toMatchObject({
    messageId: id.trim(),
    subject: 'placed',
    correlationId: 'c',
    contentType: 'application/json',
    ...{ body: { id: 7 }, timeToLive: 3_600_000, applicationProperties: { n: 3 } },
  });

  await client
    .createSender('orders')
    .sendMessages({ body: { from: 'the SDK' }, messageId: 'm', sessionId: 's' });
  expect(JSON.parse(await printed('receive', 'orders', '--json'))).toMatchObject({
    messageId: 'm',
    sessionId: 's',
    body: { kind: 'json', value: { from: 'the SDK' } },
  });
  expect(await takeAll(client, 'orders')).toEqual([]);
});

test('a dead-lettered message of the SDK is the same when it is sent again', async () => {
  await using client = connect(jitney.connectionString);
  const sent = {
    body: [1],
    messageId: 'm',
    partitionKey: 'p',
    applicationProperties: { n: 1.5 },
    timeToLive: 60_000,
  };
  await client.createSender('dead').sendMessages(sent);
  const receiver = client.createReceiver('dead');
  await receiver.deadLetterMessage(only(await receiver.receiveMessages(1)), {
    deadLetterReason: 'because',
    deadLetterErrorDescription: 'of that',
  });
  expect(await printed('dead-letter', 'list', 'dead')).toContain('  dead: because: of that\n');
  await printed('dead-letter', 'resubmit', 'dead');
  const again = only(await takeAll(client, 'dead'));
  expect(again).toMatchObject({ ...sent, deliveryCount: 0 });
  expect(again.deadLetterReason).toBeUndefined();
});

// It needs bash.
test.skipIf(process.platform === 'win32')(
  'a reader that hangs up ends it quietly, and unread messages stay',
  async () => {
    await using client = connect(jitney.connectionString);
    // Together more than a pipe holds.
    await printed('send', 'piped', '--body', 'x'.repeat(50_000), '--count', '20');
    const shell = new RunningProcess(
      [
        '-c',
        `'${process.execPath}' '${PROGRAM}' receive piped --max all --json | head -c 10; echo "\${PIPESTATUS[0]}"`,
      ],
      { command: 'bash', env: { SERVICEBUS_CONNECTION_STRING: jitney.connectionString } },
    );
    expect(await shell.endedWithin(LAST_LIMIT_MS)).toEqual({ code: 0, signal: null });
    expect(shell.output).toBe('{"sequence0\n');
    expect((await takeAll(client, 'piped')).length).toBeGreaterThan(10);
  },
);

test.runIf(process.platform === 'linux')(
  'output to a full disk ends it with a reason, and frees the messages',
  async () => {
    await using client = connect(jitney.connectionString);
    await printed('send', 'full', '--body', 'x', '--count', '3');
    const shell = new RunningProcess(
      ['-c', `'${process.execPath}' '${PROGRAM}' receive full --max 3 > /dev/full`],
      { command: 'bash', env: { SERVICEBUS_CONNECTION_STRING: jitney.connectionString } },
    );
    expect(await shell.endedWithin(LAST_LIMIT_MS)).toEqual({ code: 1, signal: null });
    expect(shell.stderr).toMatch(/^✖ JIT3008 {2}The output cannot be written: ENOSPC.*\n +Make room.*\n$/);
    expect(await takeAll(client, 'full')).toHaveLength(3);
  },
);

// Windows has no SIGINT that a process can send to another.
test.skipIf(process.platform === 'win32')('SIGINT ends a wait with 130', async () => {
  const process = command('receive', 'waiting', '--wait', 'PT1H');
  await jitney.process.printed("'waiting'  Receiver attached", LAST_LIMIT_MS);
  process.signal('SIGINT');
  expect(await process.endedWithin(LAST_LIMIT_MS)).toEqual({ code: 130, signal: null });
});
