// The usual mistakes, and what a person is told of them.

import { expect, test } from 'vitest';
import { Hints } from '../../src/amqp/hints.js';
import { openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { turns } from '../support/rhea-client.js';

test.each([
  ['a TLS handshake', Buffer.from('1603010200010001', 'hex'), /TLS.*UseDevelopmentEmulator=true/],
  ['AMQP 0-9-1', Buffer.from('414d515000000901', 'hex'), /AMQP 0\.0\.9\.1, not with 1\.0/],
  [
    'something else',
    Buffer.from('*1\r\n$4\r\n'),
    /a protocol that is not known here: it began with "\*1\\r\\n\$4\\r\\n"/,
  ],
])('%s is named, once', (_, firstBytes, expected) => {
  const told: string[] = [];
  const hints = new Hints((hint) => told.push(hint));
  hints.misaddressed(firstBytes);
  hints.misaddressed(firstBytes);
  expect(told).toEqual([expect.stringMatching(expected)]);
});

test('garbage is named once, whatever it is', () => {
  const told: string[] = [];
  const hints = new Hints((hint) => told.push(hint));
  for (let at = 0; at < 1000; at++) hints.misaddressed(Buffer.from(`garbage ${at}`));
  expect(told).toHaveLength(1);
});

test('a client that stops in the middle of messages is named, once', () => {
  const told: string[] = [];
  const hints = new Hints((hint) => told.push(hint));
  for (const count of [3, 1]) hints.tooSlow('A client at ::1', count);
  expect(told).toEqual([
    expect.stringMatching(/^A client at ::1 was detached from 3 of its links: .*--limits none/),
  ]);
});

test('a client with TLS is noticed', async () => {
  const hints: string[] = [];
  const emulator = await openEmulatorUnderTest({ queues: [], onHint: (hint) => hints.push(hint) });
  emulator.connect().write(Buffer.from('160301020001000100', 'hex'));
  await turns();
  expect(hints.length).toBe(1);
  await emulator.stop();
});
