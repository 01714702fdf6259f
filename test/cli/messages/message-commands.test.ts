// The commands for messages against an emulator on a real port: what they send, show, take and send again.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import rhea from 'rhea';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { countOf } from '../../../src/cli/output/output.js';
import { type Emulator, startEmulator } from '../../../src/emulator.js';
import { type CommandOptions, type CommandResult, jitney, objectsIn } from './message-command.js';

let emulator: Emulator;

beforeAll(async () => {
  const queues = ['orders', 'baskets?requiresSession=true', 'poison?maxDeliveryCount=1'];
  const topics = ['events/audit+mail?maxDeliveryCount=1'];
  emulator = await startEmulator({ queues, topics });
});
afterEach(() => emulator.reset({ all: true }));
afterAll(() => emulator.stop());

function run(...words: readonly (string | CommandOptions)[]): Promise<CommandResult> {
  const options = words.find((word) => typeof word !== 'string') ?? {};
  const texts = words.filter((word) => typeof word === 'string');
  return jitney([...texts, '--port', String(emulator.port)], options);
}

async function bodies(...words: readonly string[]): Promise<unknown[]> {
  return objectsIn(await run(...words, '--json', '--max', 'all')).map(({ body }) => textOf(body));
}

function textOf(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'text' in body ? body.text : body;
}

/** The endpoint by which each transport reaches the emulator. */
const WAYS = [
  ['TCP', ['--transport', 'amqp'], ';UseDevelopmentEmulator=true'],
  ['TLS', ['--transport', 'amqp'], ''],
  ['a WebSocket', ['--transport', 'websocket'], ';UseDevelopmentEmulator=true'],
  ['a WebSocket in TLS', ['--transport', 'websocket'], ''],
] as const;

test.each(WAYS)('over %s, a message is sent, peeked at and received', async (_, transport, mode) => {
  const key = 'SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE';
  const connectionString = `Endpoint=sb://localhost:${emulator.port};${key}${mode}`;
  const only = async (...words: string[]) => {
    const result = await jitney([...words, ...transport, '--connection-string', connectionString, '--json']);
    expect(result).toMatchObject({ exitCode: 0 });
    return objectsIn(result);
  };

  expect(await only('send', 'orders', '--body', 'one', '--message-id', 'a')).toEqual([
    { entity: 'orders', messageId: 'a' },
  ]);
  expect(await only('peek', 'orders')).toMatchObject([{ state: 'active', body: { text: 'one' } }]);
  expect(await only('receive', 'orders')).toMatchObject([{ messageId: 'a', body: { text: 'one' } }]);
});

test('--namespace chooses a namespace of a Jitney, for entities, too', async () => {
  const a = await emulator.namespace('a', { queues: ['only-a'] });
  expect((await run('create', 'queue', 'later', '--namespace', 'A')).stdout).toBe("Created queue 'later'\n");
  expect((await run('send', 'later', '--body', 'x', '--namespace', 'a')).exitCode).toBe(0);
  expect((await run('peek', 'later', '--json', '--namespace', 'a')).stdout).toContain('"x"');
  expect((await run('dead-letter', 'list', 'only-a', '--namespace', 'a')).exitCode).toBe(0);
  expect((await run('receive', 'later')).stderr).toContain("'later'");
  expect((await run('receive', 'later', '--json', '--namespace', 'a')).stdout).toContain('"x"');
  expect(await run('send', 'later', '--body', 'x', '--namespace', 'none')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("There is no namespace 'none'; there are 'default', 'a'."),
  });
  await a.stop();
});

test.each([
  ['a b', [], '--namespace must be the name of a namespace, not "a b"'],
  [
    'a',
    [
      '--connection-string',
      'Endpoint=sb://mine.servicebus.windows.net;SharedAccessKeyName=x;SharedAccessKey=y',
    ],
    "the namespace 'a' is one of a Jitney, but the connection string names 'mine.servicebus.windows.net' of Azure",
  ],
  [
    'a',
    ['--connection-string', 'Endpoint=sb://localhost;SharedAccessSignature=z;UseDevelopmentEmulator=true'],
    "the namespace 'a' is chosen by the name of a key, but the connection string has a SharedAccessSignature",
  ],
])('the namespace "%s" with %j is refused', async (namespace, words, text) => {
  const { exitCode, stderr } = await jitney(['peek', 'orders', '--namespace', namespace, ...words]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(text) });
});

test('send sets every property that it has an option for', async () => {
  const at = '2099-05-01T12:00:00.000Z';
  const result = await run(
    'send',
    'orders',
    '--body',
    '{"id":7}',
    '--session',
    's',
    '--message-id',
    'm',
    '--subject',
    'placed',
    ...['--correlation-id', 'c', '--content-type', 'application/json', '--ttl', 'PT1H', '--schedule', at],
    '--property',
    'region=EU',
    '--property',
    'weight:ulong=3',
    '--property',
    'ratio:double=1.5',
    '--property',
    'isNew:boolean=true',
    '--property',
    'a:b:string=c=d',
    ...['--property', 'link:uri=https://contoso.com/x', '--property', 'wait:timespan=PT1M0.5S'],
    ...['--property', 'at:datetime-offset=2026-05-01T12:00:00.1234567Z', '--property', 'none:double=NaN'],
    ...['--to', 't', '--reply-to', 'answers', '--reply-to-session', 'rs', '--partition-key', 's'],
  );
  expect(result).toEqual({ exitCode: 0, stdout: 'm\n', stderr: 'Sent 1 message to orders\n' });
  const [message] = objectsIn(await run('peek', 'orders', '--json'));
  expect(message).toMatchObject({
    state: 'scheduled',
    messageId: 'm',
    subject: 'placed',
    correlationId: 'c',
    contentType: 'application/json',
    sessionId: 's',
    timeToLiveMs: 3_600_000,
    scheduledEnqueueTime: at,
    applicationProperties: {
      region: { type: 'string', value: 'EU' },
      weight: { type: 'ulong', value: 3 },
      ratio: { type: 'double', value: 1.5 },
      isNew: { type: 'boolean', value: true },
      'a:b': { type: 'string', value: 'c=d' },
      link: { type: 'string', value: 'https://contoso.com/x', descriptor: 'com.microsoft:uri' },
      wait: { type: 'long', value: 605_000_000, descriptor: 'com.microsoft:timespan' },
      at: { type: 'long', value: '639132336001234567', descriptor: 'com.microsoft:datetime-offset' },
      none: { type: 'double', value: 'NaN' },
    },
    ...{ to: 't', replyTo: 'answers', replyToSessionId: 'rs', partitionKey: 's' },
    body: { kind: 'json', value: { id: 7 } },
  });
});

test('a schedule may be a time from now', async () => {
  const now = () => Date.UTC(2099, 0, 1);
  const result = await run('send', 'orders', '--body', 'x', '--schedule', 'PT10M', '--json', { now });
  expect(objectsIn(result)).toMatchObject([{ scheduledEnqueueTime: '2099-01-01T00:10:00.000Z' }]);
});

test('a duration may be a number of seconds', async () => {
  const now = () => Date.UTC(2099, 0, 1);
  const words = ['send', 'orders', '--body', 'x', '--ttl', '90', '--schedule', '0.5', '--json'];
  expect(objectsIn(await run(...words, { now }))).toMatchObject([
    { scheduledEnqueueTime: '2099-01-01T00:00:00.500Z' },
  ]);
  expect(objectsIn(await run('peek', 'orders', '--json'))).toMatchObject([{ timeToLiveMs: 90_000 }]);
  expect(await run('receive', 'baskets', '--next-session', '--wait', '0.05')).toMatchObject({ exitCode: 4 });
});

test('many of a message have ids of their own, in the order in which they are sent', async () => {
  const { stdout } = await run('send', 'orders', '--body', 'x', '--count', '600');
  const ids = stdout.trimEnd().split('\n');
  expect(new Set(ids).size).toBe(600);
  const received = objectsIn(await run('receive', 'orders', '--max', 'all', '--json'));
  expect(received.map(({ messageId }) => messageId)).toEqual(ids);
});

test('a body comes from standard input byte for byte, by - or by --file -', async () => {
  expect(await run('send', 'orders', '-', { input: ' a\n' })).toMatchObject({ exitCode: 0 });
  expect(await run('send', 'orders', '--file', '-', { input: 'b' })).toMatchObject({ exitCode: 0 });
  expect(await bodies('receive', 'orders')).toEqual([' a\n', 'b']);
});

test('a body is what a file holds', async () => {
  const file = fileURLToPath(new URL('../../../LICENSE', import.meta.url));
  await run('send', 'orders', '--file', file);
  expect(await bodies('receive', 'orders')).toEqual([readFileSync(file, 'utf8')]);
});

test('with --lines, each line of standard input or a file is a message', async () => {
  const result = await run('send', 'orders', '-', '--lines', '--subject', 's', '--json', {
    input: 'a\n\r\n b\r\nc',
  });
  expect(result).toMatchObject({ exitCode: 0, stderr: 'Sent 3 messages to orders\n' });
  expect(objectsIn(result).map(({ line }) => line)).toEqual([1, 3, 4]);
  const received = objectsIn(await run('receive', 'orders', '--max', 'all', '--json'));
  expect(received.map(({ body }) => textOf(body))).toEqual(['a', ' b', 'c']);
  for (const message of received) expect(message).toMatchObject({ subject: 's' });
  const file = fileURLToPath(new URL('../../../LICENSE', import.meta.url));
  await run('send', 'orders', '--file', file, '--lines');
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  expect(await bodies('receive', 'orders')).toEqual(lines);
});

test('a line that is refused is named, and what was sent is counted', async () => {
  const input = `a\n${'x'.repeat(300_000)}\nc\n`;
  const { exitCode, stdout, stderr } = await run('send', 'orders', '-', '--lines', { input });
  expect(exitCode).toBe(1);
  const sent = await bodies('receive', 'orders');
  expect(sent[0]).toBe('a');
  expect(stdout.trimEnd().split('\n')).toHaveLength(sent.length);
  expect(stderr).toContain(`Sent ${countOf(sent.length, 'message')} to orders\n`);
  expect(stderr).toContain('✖ JIT6008  Line 2: A message of 300');
});

test('a refused last line is not followed by lines that the input does not have', async () => {
  async function* openInput() {
    yield Buffer.from(`a\n${'x'.repeat(300_000)}\n`);
    await new Promise<never>(() => {}); // the end of a file is not known at once either
  }
  const { stderr } = await run('send', 'orders', '-', '--lines', { openInput });
  expect(stderr).not.toContain('line 3');
  expect(stderr).toContain('Sent 1 message to orders\nNothing after line 2 was sent\n✖ JIT6008  Line 2: ');
  expect(await bodies('receive', 'orders')).toEqual(['a']);
});

test('Ctrl-C ends a wait for a line, and says after which line nothing was sent', async () => {
  const interruption = new AbortController();
  async function* openInput() {
    yield Buffer.from('a\nb\n');
    await new Promise<never>(() => {});
  }
  const print = async (text: string) => {
    if (text.endsWith('\n')) interruption.abort();
    return true;
  };
  const options = { openInput, print, interrupted: interruption.signal };
  expect(await run('send', 'orders', '-', '--lines', options)).toMatchObject({
    exitCode: 130,
    stderr: 'Sent 2 messages to orders\nNothing after line 2 was sent\n',
  });
});

test('Ctrl-C ends a wait for standard input', async () => {
  const openInput = () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) });
  const interrupted = AbortSignal.timeout(0);
  expect(await run('send', 'orders', '-', { openInput, interrupted })).toMatchObject({ exitCode: 130 });
});

test('peek begins at --from, ends after --max and looks into one session with --session', async () => {
  for (const session of ['red', 'blue', 'red']) {
    await run('send', 'baskets', '--body', session, '--session', session);
  }
  const numbers = objectsIn(await run('peek', 'baskets', '--json')).map(
    ({ sequenceNumber }) => sequenceNumber,
  );
  expect(await bodies('peek', 'baskets', '--from', String(numbers[1]))).toEqual(['blue', 'red']);
  expect(objectsIn(await run('peek', 'baskets', '--max', '1', '--json'))).toHaveLength(1);
  expect(await bodies('peek', 'baskets', '--session', 'red')).toEqual(['red', 'red']);
  expect(await bodies('receive', 'baskets', '--session', 'red')).toEqual(['red', 'red']);
  expect(await bodies('receive', 'baskets', '--next-session')).toEqual(['blue']);
});

test('a received message says how long it was locked, and one of a session, which has no lock of its own, does not', async () => {
  await run('send', 'orders', '--body', 'x');
  await run('send', 'baskets', '--body', 'x', '--session', 'red');
  const [alone] = objectsIn(await run('receive', 'orders', '--json'));
  const [ofSession] = objectsIn(await run('receive', 'baskets', '--next-session', '--json'));
  expect([alone?.lockedUntil, ofSession?.lockedUntil]).toEqual([expect.stringMatching(/^\d{4}-/), undefined]);
});

test('peek shows more messages than fit into a page', async () => {
  await run('send', 'orders', '--body', 'x', '--count', '300');
  expect(await bodies('peek', 'orders')).toHaveLength(300);
});

test('receive takes one message unless --max says more, and --keep gives back what was shown', async () => {
  await run('send', 'orders', '--body', 'x', '--count', '3');
  expect(objectsIn(await run('receive', 'orders', '--keep', '--max', '2', '--json'))).toHaveLength(2);
  expect(objectsIn(await run('receive', 'orders', '--json'))).toMatchObject([{ deliveryCount: 1 }]);
  expect(await bodies('receive', 'orders')).toEqual(['x', 'x']);
});

test('an entity without a message is no error unless --wait expects one', async () => {
  const stderr = 'No message came from orders in 0.05 s\n';
  expect(await run('receive', 'orders', '--wait', 'PT0.05S')).toEqual({ exitCode: 4, stdout: '', stderr });
  expect(await run('receive', 'baskets', '--next-session', '--wait', 'PT0.05S')).toMatchObject({
    exitCode: 4,
  });
  expect(await run('peek', 'orders')).toMatchObject({ exitCode: 0, stdout: '' });
});

test('a message that a reader did not get stays, and no delivery is counted for those behind it', async () => {
  await run('send', 'orders', '--body', 'x', '--count', '3');
  const printed: string[] = [];
  const print = async (text: string) => printed.push(text) === 1;
  expect(await run('receive', 'orders', '--max', 'all', { print })).toMatchObject({
    exitCode: 0,
    stderr: '',
  });
  expect(printed).toHaveLength(2);
  const left = objectsIn(await run('receive', 'orders', '--max', 'all', '--json'));
  expect(left.map(({ deliveryCount }) => deliveryCount)).toEqual([0, 0]);
});

test('Ctrl-C ends with 130 and gives back what was not printed', async () => {
  const interruption = new AbortController();
  await run('send', 'orders', '--body', 'x', '--count', '3');
  let printedCount = 0;
  const print = async () => {
    printedCount += 1;
    interruption.abort();
    return true;
  };
  const interrupted = interruption.signal;
  const ended = { exitCode: 130, stdout: '', stderr: '' };
  expect(await run('receive', 'orders', '--max', 'all', { print, interrupted })).toEqual(ended);
  expect(printedCount).toBe(1);
  expect(await bodies('receive', 'orders')).toHaveLength(2);
});

test('with --receive-and-delete, Ctrl-C prints all that was taken', async () => {
  const interruption = new AbortController();
  await run('send', 'orders', '--body', 'x', '--count', '30');
  let printedCount = 0;
  const print = async () => {
    printedCount += 1;
    interruption.abort();
    return true;
  };
  const options = { print, interrupted: interruption.signal };
  const { exitCode } = await run('receive', 'orders', '--receive-and-delete', '--max', 'all', options);
  expect(exitCode).toBe(130);
  expect(printedCount).toBeGreaterThan(1);
  expect(await bodies('receive', 'orders')).toHaveLength(30 - printedCount);
});

test('with --receive-and-delete, a message that a reader did not get is on standard error', async () => {
  await run('send', 'orders', '--body', 'x', '--count', '30');
  const printed: string[] = [];
  const print = async (text: string) => printed.push(text) === 1;
  const words = ['receive', 'orders', '--receive-and-delete', '--max', 'all', '--json'];
  const { exitCode, stderr } = await run(...words, { print });
  const [warning, ...rescued] = stderr.trimEnd().split('\n');
  expect(exitCode).toBe(0);
  expect(warning).toBe('⚠ The reader of the output has gone. These messages were already taken:');
  expect(rescued[0]).toBe(printed[1]?.trimEnd());
  expect(await bodies('receive', 'orders')).toHaveLength(30 - 1 - rescued.length);
  expect(rescued.length).toBeGreaterThan(1);
});

test('Ctrl-C ends a wait for a message', async () => {
  const interruption = new AbortController();
  const unsubscribe = emulator.events.subscribe((event) => {
    if (event.kind === 'link-attached' && event.path === 'orders') interruption.abort();
  });
  const { signal: interrupted } = interruption;
  const result = await run('receive', 'orders', '--wait', 'P1000D', { interrupted });
  unsubscribe();
  expect(result).toEqual({ exitCode: 130, stdout: '', stderr: '' });
});

test.each<[string, unknown, unknown]>([
  [
    'JSON',
    rhea.message.data_section(Buffer.from('{"a":[1]}')),
    { kind: 'json', section: 'data', value: { a: [1] } },
  ],
  ['text', rhea.message.data_section(Buffer.from('zwölf')), { kind: 'text', section: 'data', text: 'zwölf' }],
  [
    'binary',
    rhea.message.data_section(Buffer.from([0, 255])),
    { kind: 'base64', section: 'data', base64: 'AP8=' },
  ],
  ['an AMQP text', 'hi', { kind: 'text', section: 'value', text: 'hi' }],
  ['an AMQP number', 7, { kind: 'value', section: 'value', value: { type: 'uint', value: 7 } }],
  [
    'an AMQP sequence',
    rhea.message.sequence_section([true]),
    { kind: 'sequence', value: [{ type: 'list', value: [{ type: 'boolean', value: true }] }] },
  ],
])('a body that is %s is shown as what it is, by peek and by receive', async (_, body, shown) => {
  await sendByRhea('orders', body);
  expect(objectsIn(await run('peek', 'orders', '--json'))).toMatchObject([{ body: shown }]);
  expect(objectsIn(await run('receive', 'orders', '--json'))).toMatchObject([{ body: shown }]);
});

/** Another client, which sends more than data. */
async function sendByRhea(queue: string, body: unknown): Promise<void> {
  const connection = rhea
    .create_container()
    .connect({ host: 'localhost', port: emulator.port, username: 'other', reconnect: false });
  const sender = connection.open_sender(queue);
  await new Promise((resolve) => sender.once('sendable', resolve));
  sender.send({ body });
  await new Promise((resolve) => sender.once('accepted', resolve));
  connection.close();
}

test('for people, a message is a few lines without control characters', async () => {
  await run(
    'send',
    'orders',
    '--body',
    'two\nlines',
    '--message-id',
    'm',
    '--subject',
    '\u001b[31m',
    '--property',
    'n:int=3',
  );
  const { stdout } = await run('receive', 'orders');
  expect(stdout).toMatch(
    /^#\d+ 20\d\d-\S+Z messageId=m subject="\\u001b\[31m"\n {2}n: 3 \(int\)\n {2}two\n {2}lines\n$/,
  );
});

test('a body cannot turn the line of the terminal around', async () => {
  await run('send', 'orders', '--body', 'to \u202egnp.exe\u2066');
  expect((await run('peek', 'orders')).stdout).toContain('\n  to \\u202egnp.exe\\u2066\n');
  expect(await bodies('peek', 'orders')).toEqual(['to \u202egnp.exe\u2066']);
});

async function killAll(path: string, count: number): Promise<void> {
  await run('receive', path, '--keep', '--max', String(count));
}

test('dead letters are listed with their reason', async () => {
  await run('send', 'poison', '--body', 'x', '--message-id', 'm');
  await killAll('poison', 1);
  const { stdout } = await run('dead-letter', 'list', 'poison');
  expect(stdout).toContain('\n  dead: MaxDeliveryCountExceeded: ');
  expect(await bodies('receive', 'poison', '--dead-letter')).toEqual(['x']);
});

test('a resubmitted message is as it was sent, without the reason of its death', async () => {
  await run('send', 'poison', '--body', 'x', '--message-id', 'm', '--property', 'n:int=3', '--ttl', 'PT1H');
  const [before] = objectsIn(await run('peek', 'poison', '--json'));
  await killAll('poison', 1);
  expect(await run('dead-letter', 'resubmit', 'poison')).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(/^#\d+ m\n$/),
    stderr: 'Sent 1 dead letter to poison\n',
  });
  const [after] = objectsIn(await run('peek', 'poison', '--json'));
  const fresh = { sequenceNumber: expect.anything(), enqueuedTime: expect.anything() };
  expect(after).toEqual({ ...before, ...fresh });
});

test('resubmit takes at most --max, in their order, and may give new ids', async () => {
  for (const body of ['1', '2', '3']) await run('send', 'poison', '--body', body, '--message-id', body);
  await killAll('poison', 3);
  await run('dead-letter', 'resubmit', 'poison/$DeadLetterQueue', '--max', '2', '--new-message-id');
  expect(await bodies('dead-letter', 'list', 'poison')).toEqual(['3']);
  const copies = objectsIn(await run('receive', 'poison', '--max', 'all', '--json'));
  expect(copies.map(({ body }) => textOf(body))).toEqual(['1', '2']);
  for (const { messageId } of copies) expect(messageId).toHaveLength(36);
});

test("a subscription's dead letter goes to its topic, and so to all subscriptions", async () => {
  const audit = 'events/Subscriptions/audit';
  await run('send', 'events', '--body', 'x');
  await killAll(audit, 1);
  await run('receive', 'events/Subscriptions/mail');
  expect(await run('dead-letter', 'resubmit', audit, '--json')).toMatchObject({
    stdout: expect.stringContaining('"entity":"events"'),
  });
  expect(await bodies('receive', audit)).toEqual(['x']);
  expect(await bodies('receive', 'events/Subscriptions/mail')).toEqual(['x']);
});

test('a subscription may be named by its topic and name, and its dead letters go to the topic', async () => {
  await run('send', 'events', '--body', 'x');
  expect(await bodies('peek', 'events/audit')).toEqual(['x']);
  await killAll('events/audit', 1);
  expect(await bodies('dead-letter', 'list', 'Events/audit')).toEqual(['x']);
  expect(await run('dead-letter', 'resubmit', 'events/audit')).toMatchObject({
    stderr: 'Sent 1 dead letter to events\n',
  });
  expect(await bodies('receive', 'events/audit')).toEqual(['x']);
  expect((await run('peek', 'events/audti')).stderr).toContain("Did you mean 'events/Subscriptions/audit'?");
});

test("dead letters of a queue that is named like a subscription's path go back to it", async () => {
  const queue = 'odd/subscriptions/one';
  await emulator.createQueue(queue, { maxDeliveryCount: 1 });
  await run('send', queue, '--body', 'x');
  await killAll(queue, 1);
  expect(await run('dead-letter', 'resubmit', queue)).toMatchObject({
    stderr: `Sent 1 dead letter to ${queue}\n`,
  });
  expect(await bodies('receive', queue)).toEqual(['x']);
});

test('Ctrl-C lets a resubmission finish what is under way, and leaves the rest where it is', async () => {
  await run('send', 'poison', '--body', 'x', '--count', '250');
  await killAll('poison', 250);
  const interruption = new AbortController();
  // Comes when the copy is stored, before its sender knows.
  const unsubscribe = emulator.events.subscribe(({ kind }) => {
    if (kind === 'enqueued') interruption.abort();
  });
  const result = await run('dead-letter', 'resubmit', 'poison', { interrupted: interruption.signal });
  unsubscribe();
  const sent = (await bodies('peek', 'poison')).length;
  expect(sent).toBeGreaterThan(0);
  expect(sent).toBeLessThanOrEqual(100);
  expect(result).toMatchObject({
    exitCode: 130,
    stderr: expect.stringMatching(/^Sent \d+ dead letters? to poison\n$/),
  });
  expect(result.stderr).toContain(`Sent ${sent} `);
  expect(result.stdout.trimEnd().split('\n')).toHaveLength(sent);
  expect(await bodies('dead-letter', 'list', 'poison')).toHaveLength(250 - sent);
});

test('a dead letter that its source does not take stays where it is', async () => {
  await run('send', 'poison', '--body', 'x');
  await killAll('poison', 1);
  await disable('poison');
  const { exitCode, stdout, stderr } = await run('dead-letter', 'resubmit', 'poison');
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toContain('JIT6008  amqp://localhost');
  expect(await bodies('dead-letter', 'list', 'poison')).toEqual(['x']);
});

/** Lets nothing be sent to a queue. */
async function disable(queue: string): Promise<void> {
  const namespace = 'http://schemas.microsoft.com/netservices/2010/10/servicebus/connect';
  const description = `<QueueDescription xmlns="${namespace}"><MaxDeliveryCount>1</MaxDeliveryCount><Status>SendDisabled</Status></QueueDescription>`;
  const { status } = await fetch(`http://localhost:${emulator.port}/${queue}?api-version=2021-05`, {
    method: 'PUT',
    headers: {
      authorization: 'SharedAccessSignature any',
      'if-match': '*',
      'content-type': 'application/atom+xml',
    },
    body: `<entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml">${description}</content></entry>`,
  });
  expect(status).toBe(200);
}

test('dead letters that another receiver holds end it with 4', async () => {
  await run('send', 'poison', '--body', 'x');
  await killAll('poison', 1);
  const held = rhea
    .create_container()
    .connect({ host: 'localhost', port: emulator.port, username: 'other', reconnect: false });
  const receiver = held.open_receiver({ source: 'poison/$DeadLetterQueue', autoaccept: false });
  await new Promise((resolve) => receiver.once('message', resolve));
  const result = await run('dead-letter', 'resubmit', 'poison', '--wait', 'PT0.05S');
  held.close();
  expect(result).toEqual({
    exitCode: 4,
    stdout: '',
    stderr:
      'Sent 0 dead letters to poison\n1 more dead letter did not come, because another receiver holds them\n',
  });
});
