// `jitney create`, `update` and `delete`: against a Jitney, and against one that is reached as Azure is.

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../../src/emulator.js';
import { type CommandOptions, jitney, objectsIn } from '../messages/message-command.js';

const started: Emulator[] = [];
let shared: Emulator;

beforeAll(async () => {
  const audit = { name: 'audit', rules: [{ name: 'placed' }] };
  shared = await startEmulator({ queues: ['orders'], topics: [{ name: 'events', subscriptions: [audit] }] });
});
afterAll(() => shared.stop());
afterEach(async () => {
  await Promise.all(started.splice(0).map((emulator) => emulator.stop()));
});

async function start(options: EmulatorOptions): Promise<Emulator> {
  const emulator = await startEmulator(options);
  started.push(emulator);
  return emulator;
}

function on({ port }: Emulator, options?: CommandOptions) {
  return (...words: string[]) => jitney([...words, '--port', String(port)], options);
}

test('queues, topics with subscriptions and rules are created, changed and deleted', async () => {
  const run = on(await start({}));
  const done = async (...words: string[]) => {
    const { exitCode, stdout, stderr } = await run(...words);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    return stdout;
  };
  expect(await done('create', 'queue', 'orders?forwardTo=all&lockDuration=PT30S', 'all')).toBe(
    "Created queue 'all'\nCreated queue 'orders'\n",
  );
  expect(await done('create', 'topic', 'events/audit+mail?defaultMessageTimeToLive=PT1H')).toBe(
    "Created topic 'events'\nCreated subscription 'events/audit'\nCreated subscription 'events/mail'\n",
  );
  expect(await done('create', 'subscription', 'events/Subscriptions/third?lockDuration=5000')).toBe(
    "Created subscription 'events/third'\n",
  );
  expect(
    await done('create', 'rule', 'events/audit/red', '--sql', "color = 'red'", '--action', 'SET n = 1'),
  ).toBe("Created rule 'events/audit/red'\n");
  expect(await done('update', 'queue', 'orders?lockDuration=PT1M&forwardTo=&userMetadata=x')).toBe(
    "Updated queue 'orders': lockDuration PT30S -> PT1M, forwardTo all -> none, userMetadata none -> x\n",
  );
  expect(await done('update', 'queue', 'orders?lockDuration=60000')).toBe(
    "Nothing to change in queue 'orders'\n",
  );
  expect(await done('update', 'rule', 'events/audit/red', '--sql', "color = 'pink'")).toBe(
    "Updated rule 'events/audit/red': filter color = 'red' -> color = 'pink', action SET n = 1 -> none\n",
  );
  expect(await done('delete', 'rule', 'events/audit/red', 'events/Subscriptions/audit/Rules/$Default')).toBe(
    "Deleted rule 'events/audit/red'\nDeleted rule 'events/audit/$Default'\n",
  );
  expect(await done('delete', 'subscription', 'events/mail')).toBe("Deleted subscription 'events/mail'\n");
  expect(await done('delete', 'topic', 'events')).toBe("Deleted topic 'events'\n");
});

test('entities of one command that forward to one another are created in an order that works', async () => {
  const emulator = await start({});
  const queues = ['a?forwardTo=b', 'b?forwardDeadLetteredMessagesTo=D&forwardTo=c', 'c?forwardTo=d', 'd'];
  expect(await on(emulator)('create', 'queue', ...queues)).toEqual({
    exitCode: 0,
    stdout: "Created queue 'd'\nCreated queue 'c'\nCreated queue 'b'\nCreated queue 'a'\n",
    stderr: '',
  });
  expect(
    await on(emulator)('create', 'topic', 'news/all?forwardTo=events', 'events/audit?forwardTo=d'),
  ).toEqual({
    exitCode: 0,
    stdout: ["topic 'news'", "topic 'events'", "subscription 'news/all'", "subscription 'events/audit'"]
      .map((one) => `Created ${one}\n`)
      .join(''),
    stderr: '',
  });
});

test('in a circle of forwarding, the entity whose destination is missing is refused', async () => {
  const run = on(await start({}));
  const { exitCode, stdout, stderr } = await run('create', 'queue', 'a?forwardTo=b', 'b?forwardTo=a');
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toContain("'b'");
  expect(stderr).toContain("'a'");
});

test('a correlation filter compares properties, of the system and of the application, with their types', async () => {
  const emulator = await start({ topics: ['events/audit'] });
  const run = on(emulator);
  const words = ['subject=placed', 'region=EU', 'n:int=7', 'urgent:boolean=true', 'w:double=0.5'];
  const flags = words.flatMap((word) => ['--correlation', word]);
  await run('create', 'rule', 'events/audit/placed', ...flags);
  // A rule that compares otherwise would differ.
  const { stderr } = await run('create', 'rule', 'events/audit/placed', '--correlation', 'n=7');
  expect(stderr).toContain(
    "filter is sys.Label = 'placed' AND region = 'EU' AND n = 7 AND urgent = TRUE AND w = 0.5, not n = '7'",
  );
});

test('what exists is left, and said in what it differs; with --if-missing nothing is said', async () => {
  const emulator = await start({ queues: ['orders?maxDeliveryCount=3', 'same'] });
  const run = on(emulator);
  const again = await run('create', 'queue', 'orders?lockDuration=PT5S', 'same', 'new');
  expect(again).toEqual({
    exitCode: 1,
    stdout: "Created queue 'new'\n",
    stderr: [
      "✖ JIT6013  The queue 'orders' exists already, and differs:",
      '           lockDuration is PT1M, not PT5S',
      '           maxDeliveryCount is 3, not 10',
      `           To change it:  jitney update queue <spec> --port ${emulator.port}   or to leave it:  --if-missing`,
      "✖ JIT6013  The queue 'same' exists already, as it is requested here",
      '',
    ].join('\n'),
  });
  expect(await run('create', 'queue', 'orders', 'other', '--if-missing')).toEqual({
    exitCode: 0,
    stdout: "Created queue 'other'\n",
    stderr: '',
  });
});

test('messages are deleted only after a question, or with --yes', async () => {
  const emulator = await start({ queues: ['orders'], topics: ['events/audit+mail'] });
  await jitney(['send', 'orders', '--body', 'x', '--count', '3', '--port', String(emulator.port)]);
  await jitney(['send', 'events', '--body', 'x', '--port', String(emulator.port)]);
  expect(await on(emulator)('delete', 'queue', 'orders')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("to delete the queue 'orders' with its 3 messages, give --yes"),
  });
  const questions: string[] = [];
  const answering = (answer: boolean) => ({
    confirm: async (question: string) => {
      questions.push(question);
      return answer;
    },
  });
  expect(await on(emulator, answering(false))('delete', 'queue', 'orders')).toMatchObject({
    exitCode: 0,
    stdout: '',
  });
  expect(await on(emulator, answering(true))('delete', 'topic', 'events')).toMatchObject({
    stdout: "Deleted topic 'events'\n",
  });
  expect(questions).toEqual([
    "Delete the queue 'orders' with its 3 messages?",
    "Delete the topic 'events' with its 2 messages?",
  ]);
  expect(await on(emulator)('delete', 'queue', 'orders', '--yes')).toMatchObject({ exitCode: 0 });
});

test.each([
  [
    ['delete', 'queue', 'ordres'],
    "There is no queue 'ordres' at http://localhost:PORT\n           Did you mean 'orders'?",
  ],
  [['update', 'subscription', 'events/audti?lockDuration=PT5S'], "Did you mean 'events/audit'?"],
  [['delete', 'rule', 'events/audit/plaecd'], "Did you mean 'events/audit/placed'?"],
  [['delete', 'rule', 'nope/audit/x'], "There is no rule 'nope/audit/x'"],
  [['delete', 'topic', 'orders'], "'orders' is a queue, not a topic"],
  [['create', 'queue', 'events'], "'events' is a topic, not a queue"],
  [
    ['update', 'queue', 'orders?requiresSession=true'],
    "requiresSession of the queue 'orders' is false and cannot change: delete the queue and create it anew\n",
  ],
  [['create', 'queue', 'x?forwardTo=nope'], "refuses the request for 'x'"],
])('%j exits with 1', async (words, text) => {
  const { exitCode, stdout, stderr } = await on(shared)(...words);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toContain(text.replace('PORT', String(shared.port)));
  expect(stderr).not.toContain('--reset');
});

test.each([
  [['create', 'queue', 'a b'], 'its name must hold only'],
  [
    ['create', 'queue', 'x', 'y?lockDuraton=PT5S'],
    'there is no property "lockDuraton". Did you mean \'lockDuration\'?',
  ],
  [
    ['create', 'topic', 'x?lockDuration=PT5S'],
    'lockDuration is a property of subscriptions, but none is named',
  ],
  [['create', 'subscription', 'events'], 'must be topic/subscription, such as events/audit, not "events"'],
  [
    ['create', 'rule', 'events/red', '--sql', 'x'],
    'must be topic/subscription/rule, such as events/audit/red',
  ],
  [['create', 'rule', 'events/audit/red', '--sql', 'x ='], 'the filter is invalid at line 1'],
  [['create', 'rule', 'e/a/r', '--sql', 'x=1', '--correlation', 'a=b'], 'give either --sql or --correlation'],
  [['create', 'rule', 'e/a/r', '--correlation', 'n:int=x'], '--correlation n must be of type int, not "x"'],
  [['delete', 'queue', 'orders?lockDuration=PT5S'], 'has a name without properties'],
])('%j is bad usage, and nothing is done', async (words, text) => {
  const { exitCode, stdout, stderr } = await on(shared)(...words);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(text);
  expect(stderr).toContain(`jitney ${words[0]} ${words[1]} --help`);
});

test('for programs, each line is an object', async () => {
  const run = on(await start({ queues: ['orders'] }));
  const created = await run('create', 'topic', 'events/audit', '--json');
  expect(objectsIn(created)).toEqual([
    { done: 'created', type: 'topic', path: 'events' },
    { done: 'created', type: 'subscription', path: 'events/Subscriptions/audit' },
  ]);
  const updated = await run('update', 'queue', 'orders?forwardTo=events', '--json');
  expect(objectsIn(updated)).toEqual([
    {
      done: 'updated',
      type: 'queue',
      path: 'orders',
      differences: [{ name: 'forwardTo', before: null, after: 'events' }],
    },
  ]);
});

test('a namespace that checks keys is reached over TLS by its connection string, as Azure is', async () => {
  const policies = [
    { keyName: 'boss', rights: ['Manage', 'Send', 'Listen'], primaryKey: 'secret-1' },
    { keyName: 'app', rights: ['Send'], primaryKey: 'secret-2' },
  ] as const;
  const { port } = await start({ auth: 'strict', policies, queues: ['orders'] });
  const run = (key: string, secret: string, ...words: string[]) =>
    jitney([
      ...words,
      '--connection-string',
      `Endpoint=sb://localhost:${port}/;SharedAccessKeyName=${key};SharedAccessKey=${secret}`,
    ]);
  expect(await run('boss', 'secret-1', 'create', 'queue', 'bills?forwardTo=orders')).toEqual({
    exitCode: 0,
    stdout: "Created queue 'bills'\n",
    stderr: '',
  });
  const refused = await run('app', 'secret-2', 'delete', 'queue', 'orders');
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain("refuses the key 'app' for 'orders': it lacks the right Manage");
  expect(refused.stderr).not.toContain('secret');
});

test('a connection string for one entity is for no other', async () => {
  const own = `Endpoint=sb://localhost:${shared.port};SharedAccessKeyName=a;SharedAccessKey=b;EntityPath=events;UseDevelopmentEmulator=true`;
  expect(await jitney(['create', 'queue', 'x', '--connection-string', own])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("is only for 'events' (EntityPath), not for 'x'"),
  });
});

test('where nothing answers, the exit code is 3, and Ctrl-C ends with 130', async () => {
  expect(await jitney(['create', 'queue', 'x', '--port', '1'])).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining('Nothing can be reached at http://localhost:1'),
  });
  const interrupted = AbortSignal.abort();
  expect(await on(shared, { interrupted })('create', 'queue', 'x')).toMatchObject({
    exitCode: 130,
    stdout: '',
  });
});
