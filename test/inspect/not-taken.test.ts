// Why the rules of a topic do not take a message, as a line of the log and as words for matchers.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { noneTook, notTakenBy, writeNotTaken } from '../../src/inspect/not-taken.js';
import { LookUnderTest } from './look-under-test.js';

let look: LookUnderTest;
beforeEach(async () => {
  look = await LookUnderTest.open({
    queues: [],
    topics: [
      {
        name: 'events',
        subscriptions: [
          'all',
          {
            name: 'mail',
            rules: [
              { name: 'placed', filter: { kind: 'correlation', subject: 'placed' }, action: undefined },
            ],
          },
          {
            name: 'sql',
            rules: [
              {
                name: 'big',
                filter: { kind: 'sql', expression: "total > 10 AND (region = 'EU' OR region = 'US')" },
                action: undefined,
              },
              { name: 'late', filter: { kind: 'sql', expression: 'NOT (total = 5)' }, action: undefined },
              { name: 'never', filter: { kind: 'false' }, action: undefined },
            ],
          },
        ],
      },
    ],
    isRecording: true,
  });
});
afterEach(() => look.emulator.stop());

test('the log says for each message which subscriptions did not take it, and why; of one that all take, nothing', async () => {
  const lines: string[] = [];
  const { engine, activity } = look.emulator;
  activity.turnOn();
  const end = writeNotTaken(activity, engine, (text) => lines.push(text));
  await look.send('events', { subject: 'Placed', applicationProperties: { total: 5, region: 'DE' } });
  await look.settled();
  expect(lines).toEqual([
    "'events' #1 was not taken by 'mail' (rule 'placed' wants sys.Label = 'placed', and sys.Label is 'Placed'), 'sql' (rule 'big' wants total > 10 AND (region = 'EU' OR region = 'US'), and total is 5; rule 'late' wants NOT total = 5, and total is 5; rule 'never' wants 1=0).",
  ]);
  await look.send('events', { subject: 'placed', applicationProperties: { total: 11, region: 'US' } });
  await look.settled();
  expect(lines).toHaveLength(1);
  end();
  await look.send('events', { subject: 'other' });
  await look.settled();
  expect(lines).toHaveLength(1);
});

test('of a message that no subscription took, the log names the rules of each', async () => {
  const { engine } = look.emulator;
  const empty = new Uint8Array([0, 0x53, 0x75, 0xa0, 0]);
  expect(await noneTook(engine, 'events', empty)).toMatch(
    /^ Not taken by 'mail' \(rule 'placed' wants .+\), 'sql' \(rule 'big' wants .+\)\.$/,
  );
  expect(await noneTook(engine, 'gone', empty)).toBe('');
});

test('of a topic that is gone, nothing is said', async () => {
  const empty = new Uint8Array([0, 0x53, 0x75, 0xa0, 0]);
  expect(await notTakenBy(look.emulator.engine, 'events', empty)).toHaveLength(2);
  expect(await notTakenBy(look.emulator.engine, 'gone', empty)).toEqual([]);
});
