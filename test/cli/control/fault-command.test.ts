// `jitney fault` against an emulator in this process: which faults it adds and removes, what it prints, and what it refuses.

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../src/emulator.js';
import { runCommand } from './control-program.js';

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator({ queues: ['orders', 'parcels'], topics: ['events'], tls: 'off' });
});
afterEach(() => emulator.faults.clear());
afterAll(() => emulator.stop());

const run = (words: readonly string[]) => runCommand(['fault', ...words, '--port', String(emulator.port)]);

async function fault(words: string): Promise<string> {
  const { exitCode, stdout, stderr } = await run(words.split(' ').filter(Boolean));
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout;
}

const faults = () => emulator.faults.list().map((each) => each.fault);

test.each<[string, object]>([
  [
    '--on send --entity orders --error com.microsoft:server-busy --times 2',
    { on: 'send', entity: 'orders', error: 'com.microsoft:server-busy', times: 2 },
  ],
  ['--on send,complete --lose-answer', { on: ['send', 'complete'], loseAnswer: true }],
  ['--on any --reset', { on: 'any', reset: true }],
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
])('fault add %s adds %j', async (words, added) => {
  expect(await fault(`add ${words}`)).toMatch(/^Added fault \d+: .*\.\n$/);
  expect(faults()).toEqual([added]);
});

test.each(['', 'list'])('fault %s lists the faults, and how often each has happened', async (word) => {
  expect(await fault(word)).toBe('There are no faults.\n');
  await fault('add --on send --entity orders --error com.microsoft:server-busy --times 2');
  await fault('add --on send --status 503 --times 1');
  const headers = { authorization: 'SharedAccessSignature any' };
  await fetch(`http://localhost:${emulator.port}/parcels/messages`, { method: 'POST', headers, body: 'x' });
  expect(await fault(word)).toMatch(
    new RegExp(
      '^ *ID  STATE   HAPPENED  FAULT\n' +
        ' *\\d+  active    0 of 0  on send, entity orders, error com.microsoft:server-busy, times 2\n' +
        ' *\\d+  over      1 of 1  on send, status 503, times 1\n$',
    ),
  );
});

test('a text with line ends and control characters stays on its line', async () => {
  emulator.faults.add({ on: 'send', error: 'timeout', text: 'one\n2  over\x1b[31m' });
  const stdout = await fault('');
  expect(stdout.split('\n')).toHaveLength(3);
  expect(stdout).not.toContain('\x1b');
});

test('a preset adds its faults, and prints them; one that is done at once leaves none', async () => {
  expect(await fault('preset throttled --per-second 5 --entity orders')).toMatch(
    /^ *ID .*\n *\d+ +active +0 of 0 +.*entity orders, .*above 5/,
  );
  expect(faults()).toMatchObject([{ entity: 'orders', above: 5 }]);
  await fault('clear');
  expect(await fault('preset blip')).toBe('The preset blip took effect at once.\n');
});

test('faults are removed by their numbers, or all', async () => {
  const first = emulator.faults.add({ on: 'send', error: 'timeout' });
  emulator.faults.add({ on: 'complete', error: 'timeout' });
  expect(await fault(`remove ${first.id}`)).toBe('Removed.\n');
  expect(faults()).toEqual([{ on: 'complete', error: 'timeout' }]);
  expect(await fault('clear')).toBe('1 fault removed.\n');
  expect(await fault('clear')).toBe('0 faults removed.\n');
});

test.each([
  [[], ''],
  [['--json'], '{"ended":false}\n'],
])('the removal of a fault that is not there fails, with %j too', async (flags, stdout) => {
  const removed = await run(['remove', '999', ...flags]);
  expect(removed).toMatchObject({ exitCode: 1, stdout });
  expect(removed.stderr).toMatch(/JIT3007.*There is no fault 999\./);
  expect(removed.stderr).toContain(`List the faults:  jitney fault --port ${emulator.port}`);
});

test('with --json it prints the answer', async () => {
  const added = JSON.parse(await fault('add --on send --error timeout --json'));
  expect(added).toMatchObject({ fault: { on: 'send', error: 'timeout' }, firedCount: 0, isActive: true });
});

test.each([
  ['drop', /'fault drop' is not known: give one of list, add, preset, remove, clear\./],
  ['list 3', /'fault list' takes no value: leave out '3'\./],
  ['add send', /'fault add' takes no value: leave out 'send'\./],
  ['clear all', /'fault clear' takes no value: leave out 'all'\./],
  ['remove', /'the number of a fault' must be a number, not nothing\./],
  ['remove first', /'the number of a fault' must be a number, not 'first'\./],
  ['add --on send --times two', /'--times' must be a number, not 'two'\./],
  [
    'add --on send --delay soon',
    /'--delay' must be a duration such as PT20S, or a number of seconds, not "?'?soon/,
  ],
  ['add --on send --delay P99999999D', /'--delay' must not be longer than P1D, but "P99999999D" is\./],
  ['add --on send --for P10675199DT2H48M5.4775807S', /'--for' must not be longer than P1D, but "P10675/],
  ['add --on send --per-second 3', /'--per-second' is for a preset; for a fault, use '--above'\./],
  ['preset flaky --times 3', /A preset takes --entity, --per-second and --seed, not '--times'\./],
  ['preset flaky --lose-answer', /A preset takes --entity, --per-second and --seed, not '--lose-answer'\./],
  ['add --hits send', /--hits/],
])('fault %s is refused before an emulator is asked', async (words, reason) => {
  const { exitCode, stdout, stderr } = await runCommand(['fault', ...words.split(' '), '--port', '1']);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toMatch(reason);
});

test('a fault for an entity that is not there is added, and a word about it goes to stderr', async () => {
  const added = await run(['add', '--on', 'send', '--entity', 'ordres', '--error', 'timeout']);
  expect(added).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^Added fault \d+: on send, entity ordres, error timeout\.\n$/),
    stderr: "There is no entity 'ordres' yet; the fault waits for it. Did you mean 'orders'?\n",
  });
  expect((await run([])).stderr).toBe('');
});

test.each([
  ['events/audit', 'events/Subscriptions/audit', ''],
  ['events/audit/$DeadLetterQueue', 'events/Subscriptions/audit/$DeadLetterQueue', ''],
  ['news/audit', 'news/audit', " If it is to be a subscription, give 'news/Subscriptions/audit'."],
  ['events/*', 'events/*', undefined],
])(
  'a fault for %s, which is not there, waits for the subscription if its topic is there',
  async (typed, path, hint) => {
    const { exitCode, stderr } = await run([
      'add',
      '--on',
      'receive',
      '--entity',
      typed,
      '--error',
      'timeout',
    ]);
    const note = `There is no entity '${path}' yet; the fault waits for it.`;
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: hint === undefined ? '' : `${note}${hint}\n`,
    });
    expect(faults()).toMatchObject([{ entity: path }]);
  },
);

test('what the emulator refuses is said in its words', async () => {
  const refused = await run(['add', '--on', 'sent', '--error', 'timeout']);
  expect(refused).toMatchObject({ stdout: '', exitCode: 1 });
  expect(refused.stderr).toContain(`'on' is "sent", which is not an operation. Did you mean 'send'?`);
  expect(faults()).toEqual([]);
});
