// `jitney tail` against an emulator in this process: what it prints, how it goes on after a restart, and how it ends.

import { afterEach, beforeEach, expect, test } from 'vitest';
import type { GivenAuthorizationRule } from '../../../src/config/given-properties.js';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../../src/emulator.js';
import { writeSasToken } from '../../../src/security/sas-token.js';
import { openFakeEmulator, type RunningCommand, runCommand, startCommand } from './control-program.js';

let emulator: Emulator;
let port: string;
const running: RunningCommand[] = [];

/** Records events from its start, as on the command line. */
async function start(givenPort = 0, options: EmulatorOptions = {}): Promise<void> {
  emulator = await startEmulator({
    queues: ['orders', 'others'],
    port: givenPort,
    log: () => {},
    ...options,
  });
  port = String(emulator.port);
}

beforeEach(() => start());
afterEach(async () => {
  for (const { end } of running.splice(0)) end(0);
  await emulator.stop();
});

function tail(...words: string[]): RunningCommand {
  const command = startCommand(['tail', ...words, '--port', port]);
  running.push(command);
  return command;
}

async function send(entity: string, authorization?: string): Promise<void> {
  const response = await fetch(`http://localhost:${port}/$jitney/v1/messages?entity=${entity}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
    body: JSON.stringify({ body: 'x', messageId: 'one' }),
  });
  expect(response.status).toBe(200);
}

const linesOf = (text: string) => text.trimEnd().split('\n');

test('what happened is printed as the log prints it, behind the time, until the user ends it', async () => {
  await send('orders');
  const { printed, end, result } = tail('--since', '0', '--kind', 'enqueued, locked');
  await printed("'orders' #1");
  const headers = { authorization: 'SharedAccessSignature any' };
  await fetch(`http://localhost:${port}/orders/messages/head`, { method: 'POST', headers });
  await send('others');
  await printed("'others' #1");
  end(130);
  const { exitCode, stdout, stderr } = await result;
  expect({ exitCode, stderr }).toEqual({ exitCode: 130, stderr: '' });
  expect(linesOf(stdout)).toEqual([
    expect.stringMatching(
      /^\d\d:\d\d:\d\d\.\d{3} {2}'orders' #1 {2}Enqueued with id "one", \d+ bytes {2}\[by hand, node\]$/,
    ),
    expect.stringMatching(/^\S+ {2}'orders' #1 {2}Locked until (\S+ )?\d\d:\d\d:\d\d, delivery 1$/),
    expect.stringMatching(/^\S+ {2}'others' #1 {2}Enqueued /),
  ]);
});

test('a lock without an end of its own, a kind of a newer emulator and lost events are worded too', async () => {
  const event = {
    id: 1,
    time: '2026-05-01T12:00:00.000Z',
    kind: 'locked',
    path: 'q',
    sequenceNumber: 1,
    deliveryCount: 0,
  };
  const fake = await openFakeEmulator({
    'GET /$jitney/v1/events': [event, { ...event, kind: 'teleported', text: 'a\nb' }]
      .map((one) => `id: 1\ndata: ${JSON.stringify(one)}\n\n`)
      .join('event: lost\ndata: {"count":2}\n\nevent: restarted\ndata: {"newestId":7}\n\n'),
  });
  const command = startCommand(['tail', '--port', fake.port]);
  await command.printed('has gone');
  command.end(0);
  const { stdout, stderr } = await command.result;
  await fake.close();
  const [locked, other] = linesOf(stdout);
  expect(locked).toMatch(/ {2}'q' #1 {2}Locked until its receiver detaches, delivery 1$/);
  // A kind that only a newer emulator knows.
  expect(other).toMatch(/ {2}\{"id":1,.*"kind":"teleported",.*"text":"a\\nb"\}$/);
  expect(stderr).toContain(
    '⚠ 2 events before this are missing: they were no longer kept, or came faster than they were read.\n',
  );
  expect(stderr).toContain('⚠ The newest event is 7: each start counts its events from 1,');
});

test('--json prints the events of the control interface, one a line', async () => {
  const { printed, end, result } = tail('orders', '--json', '--since', '0');
  await send('others');
  await send('orders');
  await printed('"kind":"enqueued"');
  end(0);
  const events = linesOf((await result).stdout).map((line) => JSON.parse(line));
  expect(events).toHaveLength(1);
  expect(events[0]).toMatchObject({
    kind: 'enqueued',
    path: 'orders',
    messageId: 'one',
    time: expect.stringMatching(/Z$/),
  });
});

test('it waits for an emulator that is restarted, and prints all that happened since its start', async () => {
  const { printed, end, result } = tail('--since', '0', '--kind', 'enqueued');
  await send('orders');
  await send('orders');
  await printed("'orders' #2");
  await emulator.stop();
  await printed('has gone');
  await start(Number(port));
  await send('others');
  await printed("'others' #1");
  end(0);
  const { exitCode, stdout, stderr } = await result;
  expect(exitCode).toBe(0);
  expect(stdout.match(/'\w+' #\d/g)).toEqual(["'orders' #1", "'orders' #2", "'others' #1"]);
  expect(linesOf(stderr)).toEqual([
    `⚠ The emulator at http://localhost:${port} has gone; waiting until it is back.`,
    '⚠ It was restarted.',
  ]);
});

test('a key with Manage of one queue opens the events of this queue, also after a restart, and no others', async () => {
  await emulator.stop();
  const boss: GivenAuthorizationRule = {
    keyName: 'boss',
    primaryKey: 'its-key',
    secondaryKey: '',
    accessRights: ['Manage', 'Send', 'Listen'],
  };
  const options: EmulatorOptions = {
    auth: 'strict',
    queues: [{ name: 'orders', authorizationRules: [boss] }, 'others'],
  };
  await start(Number(port), options);
  const text = `Endpoint=sb://localhost:${port};SharedAccessKeyName=boss;SharedAccessKey=its-key;EntityPath=orders;UseDevelopmentEmulator=true`;
  const withKey = ['--connection-string', text];
  const command = startCommand(['tail', 'orders', '--since', '0', ...withKey]);
  running.push(command);
  const audience = `sb://localhost:${port}/orders`;
  await send(
    'orders',
    writeSasToken({ keyName: 'boss', key: 'its-key', audience, expiresAtMs: Date.now() + 60_000 }),
  );
  await command.printed("'orders' #1");
  await emulator.stop();
  await command.printed('has gone');
  await start(Number(port), options);
  await command.printed('was restarted');
  command.end(0);
  const { stdout, stderr } = await command.result;
  expect(stderr).not.toContain('✖');
  expect(stdout).not.toContain("'others'");
  const refused = await runCommand(['tail', 'others', ...withKey]);
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
  expect(refused.stderr).toMatch(
    /^✖ JIT3007 {2}The key 'boss' is only for 'orders' \(EntityPath\), not for 'others': .*\n +Name the entity 'orders', or/,
  );
  const unnamed = await runCommand(['tail', ...withKey]);
  expect(unnamed.stderr).toMatch(
    /^✖ JIT3007 {2}The key 'boss' is only for 'orders' \(EntityPath\), not for the namespace: .*\n +Name the entity 'orders', or/,
  );
  const wrong = await runCommand([
    'tail',
    'orders',
    '--connection-string',
    text.replace('its-key', 'another'),
  ]);
  expect(wrong.stderr).toContain("✖ JIT3007  The key 'boss' is wrong: ");
});

test('after a broken connection it goes on behind the last event', async () => {
  const answers = { 'GET /$jitney/v1/events?since=3': 'id: 7\ndata: {"id":7}\n\nid: 8\ndata: {"cut' };
  const fake = await openFakeEmulator(answers);
  const command = startCommand(['tail', '--since', '3', '--json', '--port', fake.port]);
  await command.printed('It is back');
  command.end(0);
  const { stdout } = await command.result;
  await fake.close();
  expect(linesOf(stdout)[0]).toBe('{"id":7}');
  const streams = fake.seen.filter(({ call }) => call.includes('/events'));
  expect(streams.slice(0, 2).map(({ lastEventId }) => lastEventId)).toEqual([undefined, '7']);
});

test.each([
  ['token-expired', ''],
  ['entity-deleted', "⚠ 'orders' has been deleted, and its keys with it.\n"],
])(
  'after events that ended with %s it goes on behind the last one that was looked at',
  async (cause, warning) => {
    const text = `id: 7\ndata: {"id":7}\n\nid: 9\nevent: ended\ndata: {"cause":"${cause}"}\n\n`;
    const fake = await openFakeEmulator({ 'GET /$jitney/v1/events?entity=orders': text });
    const command = startCommand(['tail', 'orders', '--json', '--port', fake.port]);
    await command.printed('{"id":7}\n{"id":7}');
    command.end(0);
    const { stderr } = await command.result;
    await fake.close();
    expect(stderr.replaceAll(warning, '')).toBe('');
    expect(stderr.startsWith(warning)).toBe(true);
    const streams = fake.seen.filter(({ call }) => call.includes('/events'));
    expect(streams.slice(0, 2).map(({ lastEventId }) => lastEventId)).toEqual([undefined, '9']);
  },
);

test('the ids of an emulator that was restarted begin at 1', async () => {
  const answers = {
    'GET /$jitney/v1/events?since=300': 'id: 301\ndata: {}\n\n',
    'GET /$jitney/v1/events?since=0': '',
  };
  const headers = { 'jitney-started-time': 'then' };
  const fake = await openFakeEmulator(answers, headers);
  const command = startCommand(['tail', '--since', '300', '--json', '--port', fake.port]);
  await command.printed('It is back');
  headers['jitney-started-time'] = 'now';
  await command.printed('was restarted');
  // The connection breaks again before anything has happened.
  await command.printed(
    `was restarted.\n⚠ The emulator at http://localhost:${fake.port} has gone; waiting until it is back.\n⚠ It is back`,
  );
  command.end(0);
  await command.result;
  await fake.close();
  const streams = fake.seen.filter(({ call }) => call.includes('/events'));
  const anew = streams.slice(streams.findIndex(({ call }) => call.endsWith('since=0')));
  expect(anew.length).toBeGreaterThan(1);
  for (const one of anew) {
    expect(one).toMatchObject({ call: 'GET /$jitney/v1/events?since=0', lastEventId: undefined });
  }
});

test('a subscription that does not exist yet is waited for by its path in full', async () => {
  const { printed, end, result } = tail('nothing/zebra/$DeadLetterQueue');
  await printed("/zebra/$DeadLetterQueue'.\n");
  end(0);
  expect((await result).stderr).toBe(
    "⚠ There is no entity 'nothing/zebra/$DeadLetterQueue' yet; waiting for its events. If it is to be a subscription, give 'nothing/Subscriptions/zebra/$DeadLetterQueue'.\n",
  );
});

test('an entity that does not exist yet is warned of, and waited for', async () => {
  const { printed, end, result } = tail('ordres', '--since', '0');
  await printed("Did you mean 'orders'?\n");
  const headers = { authorization: 'SharedAccessSignature any', 'content-type': 'application/atom+xml' };
  const description =
    '<QueueDescription xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"/>';
  const body = `<entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml">${description}</content></entry>`;
  await fetch(`http://localhost:${port}/ordres?api-version=2021-05`, { method: 'PUT', headers, body });
  await send('ordres');
  await printed("'ordres' #1");
  end(0);
  const { stdout, stderr } = await result;
  expect(stderr).toBe("⚠ There is no entity 'ordres' yet; waiting for its events. Did you mean 'orders'?\n");
  expect(linesOf(stdout)).toEqual([
    expect.stringContaining('created'),
    expect.stringMatching(/^\S+ {2}'ordres' #1 {2}Enqueued/),
  ]);
});

test.each([
  [
    ['--kind', 'locked,enqueud'],
    "✖ JIT1001  --kind has 'enqueud', which is not a kind of event. Did you mean 'enqueued'?\n           The kinds are accepted, ",
  ],
  [['--since', 'soon'], "✖ JIT1001  --since is 'soon'; it must be the id of an event, a whole number\n"],
])('%j is refused with 2', async (words, text) => {
  const { exitCode, stdout, stderr } = await runCommand(['tail', ...words, '--port', port]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(text);
});

test('it does not wait for an emulator that never answered', async () => {
  await emulator.stop();
  const { exitCode, stderr } = await runCommand(['tail', '--port', port]);
  expect(exitCode).toBe(3);
  expect(stderr).toContain('✖ JIT3006');
});

test('--max ends it after so many events with 0, and --for after a time: with 4 if not all of them have come', async () => {
  await send('orders');
  await send('others');
  const all = ['--since', '0', '--kind', 'enqueued'];
  const one = await tail(...all, '--max', '1').result;
  expect(one).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^\S+ {2}'orders' #1 .*\n$/) });
  expect(await tail('--for', '10s').result).toMatchObject({ exitCode: 0, stdout: '' });
  expect(await tail('--kind', 'expired', '--max', '1', '--for', '10s').result).toMatchObject({ exitCode: 4 });
  expect(await tail('--max', '0').result).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--max must be how many events to print, such as 1, not "0"'),
  });
});
