// `jitney fault`: what it asks the emulator, what it prints, and what it refuses before it asks.

import { expect, test } from 'vitest';
import { startEmulator } from '../../../src/emulator.js';
import { openFakeEmulator, runCommand } from './control-program.js';

const FAULTS = '/$jitney/v1/faults';
const BUSY = { on: 'send', entity: 'orders', error: 'com.microsoft:server-busy', times: 2 };
const ADDED = { id: 3, fault: BUSY, matchedCount: 0, firedCount: 0, isActive: true };
const LOST = { on: ['send', 'complete'], loseAnswer: true };
const OVER = { id: 14, fault: LOST, matchedCount: 12, firedCount: 1, isActive: false };

/** Runs the command against an emulator that answers this one call. */
async function fault(words: readonly string[], call: string, answer: unknown) {
  const fake = await openFakeEmulator({ [call]: JSON.stringify(answer) });
  const { exitCode, stdout, stderr } = await runCommand(['fault', ...words, '--port', fake.port]);
  await fake.close();
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(fake.seen.map((seen) => seen.call)).toEqual([call]);
  const body = fake.seen[0]?.body || undefined;
  return { stdout, body: body === undefined ? undefined : (JSON.parse(body) as unknown) };
}

test.each<[string, object]>([
  ['--on send --entity orders --error com.microsoft:server-busy --times 2', BUSY],
  ['--on send,complete --lose-answer', LOST],
  ['--on receive --deliver-twice --nth 3', { on: 'receive', deliverTwice: true, nth: 3 }],
  ['--on receive --end-lock --delay PT1M', { on: 'receive', endLock: true, delay: 60_000 }],
  [
    '--on send --silence --probability 0.1 --seed 7',
    { on: 'send', silence: true, probability: 0.1, seed: 7 },
  ],
  ['--on send --detach', { on: 'send', detach: true }],
  ['--on send --detach stolen', { on: 'send', detach: 'stolen' }],
  ['--on send --close --above 5', { on: 'send', close: true, above: 5 }],
  ['--on send --close internal-error --text Sorry.', { on: 'send', close: 'internal-error', text: 'Sorry.' }],
  ['--on send --status 429 --for 30', { on: 'send', status: 429, for: 30_000 }],
  ['--on send --delay 0.5 --jitter 0.1', { on: 'send', delay: 500, jitter: 100 }],
  [
    '--match sys.DeliveryCount=0 --on complete --error timeout',
    { match: 'sys.DeliveryCount=0', on: 'complete', error: 'timeout' },
  ],
  ['', {}],
])('fault add %s sends %j', async (words, body) => {
  const asked = await fault(['add', ...words.split(' ').filter(Boolean)], `POST ${FAULTS}`, ADDED);
  expect(asked.body).toEqual(body);
  expect(asked.stdout).toBe(
    'Fault 3 is there: on send, entity orders, error com.microsoft:server-busy, times 2.\n',
  );
});

test('fault add --reset sends that the connection is reset', async () => {
  const asked = await fault(['add', '--on', 'any', '--reset'], `POST ${FAULTS}`, ADDED);
  expect(asked.body).toEqual({ on: 'any', reset: true });
});

test.each([[[]], [['list']]])('fault %j lists the faults, and how often each has happened', async (words) => {
  const { stdout, body } = await fault(words, `GET ${FAULTS}`, { faults: [ADDED, OVER] });
  expect(body).toBeUndefined();
  expect(stdout).toBe(
    [
      'ID  STATE   HAPPENED  FAULT',
      ' 3  active    0 of 0  on send, entity orders, error com.microsoft:server-busy, times 2',
      '14  over     1 of 12  on send,complete, loseAnswer',
      '',
    ].join('\n'),
  );
});

test('a list without faults says so', async () => {
  expect((await fault([], `GET ${FAULTS}`, { faults: [] })).stdout).toBe('There are no faults.\n');
});

test('a value from elsewhere stays on its line', async () => {
  const faults = [{ ...ADDED, fault: { on: 'send', text: 'one\n2  over\x1b[31m' } }];
  const { stdout } = await fault([], `GET ${FAULTS}`, { faults });
  expect(stdout.split('\n')).toHaveLength(3);
  expect(stdout).not.toContain('\x1b');
});

test.each([
  [
    ['throttled', '--per-second', '5', '--entity', 'orders'],
    { name: 'throttled', entity: 'orders', perSecond: 5 },
  ],
  [['flaky', '--seed', '4'], { name: 'flaky', seed: 4 }],
  [[], {}],
])('fault preset %j sends %j, and prints its faults', async (words, sent) => {
  const { stdout, body } = await fault(['preset', ...words], `POST ${FAULTS}:preset`, { faults: [ADDED] });
  expect(body).toEqual(sent);
  expect(stdout).toMatch(/^ID .*\n 3 +active +0 of 0 +on send, entity orders, /);
});

test('a preset without faults was done at once', async () => {
  const { stdout } = await fault(['preset', 'blip'], `POST ${FAULTS}:preset`, { faults: [] });
  expect(stdout).toBe('The preset blip was done at once.\n');
});

test.each([
  [['remove', '3'], { id: 3 }, 'remove', { ended: true }, 'Removed.\n'],
  [['clear'], {}, 'clear', { count: 0 }, '0 faults removed.\n'],
  [['clear'], {}, 'clear', { count: 1 }, '1 fault removed.\n'],
])('fault %j sends %j', async (words, sent, name, answer, printed) => {
  const { stdout, body } = await fault(words, `POST ${FAULTS}:${name}`, answer);
  expect(body).toEqual(sent);
  expect(stdout).toBe(printed);
});

test.each([
  [[], ''],
  [['--json'], '{"ended":false}\n'],
])('the removal of a fault that is not there fails, with %j too', async (flags, stdout) => {
  const fake = await openFakeEmulator({ [`POST ${FAULTS}:remove`]: '{"ended":false}' });
  const removed = await runCommand(['fault', 'remove', '999', ...flags, '--port', fake.port]);
  await fake.close();
  expect(removed).toMatchObject({ exitCode: 1, stdout });
  expect(removed.stderr).toMatch(
    /JIT3007 {2}There is no fault 999\.\n.*See which there are: {2}jitney fault\n/,
  );
});

test('with --json it prints the answer', async () => {
  const { stdout } = await fault(['add', '--on', 'send', '--json'], `POST ${FAULTS}`, ADDED);
  expect(stdout).toBe(`${JSON.stringify(ADDED)}\n`);
});

test.each([
  ['drop', /'fault drop' is not known: it takes list, add, preset, remove, clear\./],
  ['list 3', /'fault list' takes no value, and '3' is one\./],
  ['add send', /'fault add' takes no value, and 'send' is one\./],
  ['clear all', /'fault clear' takes no value, and 'all' is one\./],
  ['remove', /'the number of a fault' is a number, not nothing\./],
  ['remove first', /'the number of a fault' is a number, not 'first'\./],
  ['add --on send --times two', /'--times' is a number, not 'two'\./],
  [
    'add --on send --delay soon',
    /'--delay' must be a duration such as PT20S, or a number of seconds, not "?'?soon/,
  ],
  ['add --on send --delay P99999999D', /'--delay' must not be longer than P1D, and "P99999999D" is\./],
  ['add --on send --for P10675199DT2H48M5.4775807S', /'--for' must not be longer than P1D, and "P10675/],
  ['add --on send --per-second 3', /'--per-second' is for a preset; a fault has '--above'\./],
  ['preset flaky --times 3', /A preset takes --entity, --per-second and --seed, not '--times'\./],
  ['preset flaky --lose-answer', /A preset takes --entity, --per-second and --seed, not '--lose-answer'\./],
  ['add --befalls send', /--befalls/],
])('fault %s is refused before anybody is asked', async (words, reason) => {
  const fake = await openFakeEmulator({});
  const { exitCode, stdout, stderr } = await runCommand(['fault', ...words.split(' '), '--port', fake.port]);
  await fake.close();
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toMatch(reason);
  expect(fake.seen).toEqual([]);
});

test('a fault for an entity that is not there is added, and a word about it goes to stderr', async () => {
  await using emulator = await startEmulator({ queues: ['orders'], tls: 'off' });
  const port = String(emulator.port);
  const words = ['fault', 'add', '--on', 'send', '--entity', 'ordres', '--error', 'timeout', '--port', port];
  const added = await runCommand(words);
  expect(added).toMatchObject({
    ...{ exitCode: 0, stdout: 'Fault 1 is there: on send, entity ordres, error timeout.\n' },
    stderr: "There is no entity 'ordres' yet; the fault waits for it. Did you mean 'orders'?\n",
  });
  expect((await runCommand(['fault', '--port', port])).stderr).toBe('');
});

test('what the emulator refuses is said in its words', async () => {
  await using emulator = await startEmulator({ queues: ['orders'], tls: 'off' });
  const port = String(emulator.port);
  const refused = await runCommand(['fault', 'add', '--on', 'sent', '--error', 'timeout', '--port', port]);
  expect(refused).toMatchObject({ stdout: '', exitCode: expect.any(Number) });
  expect(refused.exitCode).not.toBe(0);
  expect(refused.stderr).toContain(`'on' is "sent", which is no operation. Did you mean 'send'?`);
  await runCommand(['fault', 'add', '--on', 'send', '--error', 'timeout', '--port', port]);
  expect(emulator.faults.list().map((each) => each.fault)).toEqual([{ on: 'send', error: 'timeout' }]);
});
