// The faults that the samples runner finds, without running anything.

import type { ServiceBusReceivedMessage } from '@azure/service-bus';
import { expect, test } from 'vitest';
import { findContentsFault, findEndFault, findPrintFault } from './faults.js';

const LINES = /^got (\w+) (\w+)$/gm;

test.each([
  [['1 a', '2 b'], undefined],
  [['2 b', '1 a'], /^said '1 a' instead of '2 b', as line 1 of /],
  [['1 a', '2 c'], /^said '2 b' instead of '2 c', as line 2 of /],
  [['1 a'], /^said 2 lines of .* instead of 1: \[ '1 a', '2 b' \]$/],
])('ordered lines are compared one by one, in their order', (lines, fault) => {
  const found = findPrintFault('got 1 a\nnoise\ngot 2 b\n', { says: [{ pattern: LINES, lines }] });
  expect(found).toEqual(fault && expect.stringMatching(fault));
});

test('lines in any order must all be there, and none twice', () => {
  const faultOf = (lines: readonly string[]) =>
    findPrintFault('got 2 b\ngot 1 a\n', { says: [{ pattern: LINES, lines, inAnyOrder: true }] });
  expect(faultOf(['1 a', '2 b'])).toBeUndefined();
  expect(faultOf(['1 a', '1 a'])).toMatch(/^said '2 b' instead of '1 a'/);
});

test('a line that is printed too often or never is a fault', () => {
  const prints = [{ pattern: /^Error/gm, times: { from: 0, to: 0 } }];
  expect(findPrintFault('all is well\n', { prints })).toBeUndefined();
  expect(findPrintFault('Error: ...\n', { prints })).toBe('printed /^Error/gm 1 times instead of 0');
});

const LETTER = { body: { to: 'Bob' }, subject: 'Letter' };

test.each<[string, object, object, RegExp]>([
  ['another body', LETTER, { body: { to: 'Eve' } }, /: 'Eve' .* instead of .*: 'Bob' /],
  ['another subject', LETTER, { subject: 'Bill' }, /: 'Bill'.* instead of .*: 'Letter'/],
  ['a property more', LETTER, { correlationId: '7' }, /correlationId: '7'/],
  ['a reason that none should have', LETTER, { deadLetterReason: 'x' }, /deadLetterReason: 'x'/],
  [
    'another reason',
    { ...LETTER, deadLetterReason: 'x' },
    { deadLetterReason: 'y' },
    /: 'y'.* instead of .*: 'x'/,
  ],
  ['no reason', { ...LETTER, deadLetterReason: 'x' }, {}, /instead of .*: 'x'/],
  [
    'another delivery count',
    { ...LETTER, deliveryCount: 10 },
    { deliveryCount: 9 },
    /: 9,.* instead of .*: 10/,
  ],
  ['a state that is not active', LETTER, { state: 'deferred' }, /'deferred'.* instead of .*'active'/],
])('a message with %s is a fault', (_, expected, different, fault) => {
  const contents = [{ body: null, ...expected }];
  const found = findContentsFault('orders', [received({ ...LETTER, ...different })], contents);
  expect(found).toMatch(/^orders holds, as message 1, /);
  expect(found).toMatch(fault);
});

test('the messages must have the expected number and order', () => {
  const one = { body: 1 };
  const two = { body: 2 };
  expect(
    findContentsFault('orders', [received(one), received({ ...two, deliveryCount: 3 })], [one, two]),
  ).toBeUndefined();
  expect(findContentsFault('orders', [received(two), received(one)], [one, two])).toMatch(/as message 1, /);
  expect(findContentsFault('orders', [received(one)], [one, two])).toBe(
    'orders holds 1 messages instead of 2',
  );
  expect(findContentsFault('orders', [received(one)], [])).toBe('orders holds 1 messages instead of 0');
});

test('a sample that should go on for ever must not end, and any other must end well', () => {
  const run = { exitCode: 0, wasStopped: false, output: '', elapsedMs: 1000 };
  const forEver = { runsUntil: { pattern: LINES, times: 1 } };
  expect(findEndFault(run, {})).toBeUndefined();
  expect(findEndFault({ ...run, exitCode: undefined }, {})).toBe('was still running after 1 s');
  expect(findEndFault({ ...run, exitCode: null, wasStopped: true }, forEver)).toBeUndefined();
  expect(findEndFault(run, forEver)).toBe('ended with exit code 0');
});

function received(message: object): ServiceBusReceivedMessage {
  return { state: 'active', deliveryCount: 0, ...message } as ServiceBusReceivedMessage;
}
