// What `jitney exec` prints of the log when its command has failed.

import { expect, test } from 'vitest';
import { KeptLog } from '../../../src/cli/exec/kept-log.js';

function printed(log: KeptLog, exitCode: number | undefined = 3): string {
  let text = '';
  log.printTo((part) => {
    text += part;
  }, exitCode);
  return text;
}

const notTaken = (number: number, value: string) =>
  `'events' #${number} was not taken by 'mail' (rule 'paid' wants sys.Label = 'paid', and sys.Label is '${value}').`;

test('nothing is printed of an emulator that has nothing to say', () => {
  expect(printed(new KeptLog())).toBe('');
});

test('the log comes first, and then the messages that a subscription did not take', () => {
  const log = new KeptLog();
  log.noteNotTaken(notTaken(1, 'a'));
  log.write('a line\n');
  expect(printed(log)).toBe(
    `The command ended with 3. The log of its emulator:\na line\nThe last messages that a subscription did not take, each reason once:\n${notTaken(1, 'a')}\n`,
  );
});

test('control characters that a client has sent are shown, and do not reach the terminal', () => {
  const log = new KeptLog();
  log.noteNotTaken(notTaken(1, '\u001b[2Ja\rb'));
  expect(printed(log)).toContain("sys.Label is '\\u001b[2Ja\\rb'");
});

test('each reason is printed once, for its last message, and at most ten', () => {
  const log = new KeptLog();
  for (const [at, value] of [...'abcdefghijklm'].entries()) log.noteNotTaken(notTaken(at + 1, value));
  log.end(); // a line about the last message of the command may come after its end
  log.noteNotTaken(`[tests-1] ${notTaken(99, 'd')}`);
  const [title, ...lines] = printed(log).trimEnd().split('\n');
  expect(title).toBe(
    'The command ended with 3. The last messages that a subscription did not take, each reason once:',
  );
  expect(lines).toHaveLength(10);
  expect(lines[0]).toBe(notTaken(5, 'e'));
  expect(lines.at(-1)).toBe(`[tests-1] ${notTaken(99, 'd')}`);
});
