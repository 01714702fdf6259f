// When the descriptors of the process run short: which clients have room, and what a person is told.

import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { type DescriptorOptions, Descriptors } from '../../src/gateway/descriptors.js';

/** A socket with this number. */
function socketWith(fd: number): Socket {
  return { _handle: { fd } } as unknown as Socket;
}

function descriptorsOf(limit: number, options: Partial<DescriptorOptions> = {}) {
  const lines: string[] = [];
  const descriptors = new Descriptors({
    onFull: (text) => lines.push(text),
    readLimit: () => limit,
    now: () => 0,
    ...options,
  });
  return { lines, roomFor: (fd: number) => descriptors.roomFor(socketWith(fd), 90) };
}

test.each([
  [1000, 839, 840, 880],
  [256, 127, 128, 160],
  [100, 49, 50, 63],
])(
  'of %i descriptors clients have those up to number %i, and are told up to %i that there is no room',
  (limit, last, full, exhausted) => {
    const { roomFor } = descriptorsOf(limit);
    expect([last, full, exhausted].map(roomFor)).toEqual(['free', 'full', 'exhausted']);
  },
);

test.each([
  ['without a limit', Number.POSITIVE_INFINITY, 1_000_000],
  ['where sockets have no number', 256, -1],
])('%s every client has room', (_, limit, fd) => {
  expect(descriptorsOf(limit).roomFor(fd)).toBe('free');
});

test('the first refusal is told with the connections, the limit and the remedy, then those of a minute at once', () => {
  let now = 0;
  const { roomFor, lines } = descriptorsOf(256, { now: () => now });
  for (const fd of [128, 129, 200]) roomFor(fd);
  expect(lines).toEqual([
    expect.stringMatching(/^Refused a connection: 89 are open, .* 256 descriptors.*ulimit -n 65536$/),
  ]);
  now = 60_000;
  roomFor(128);
  expect(lines[1]).toMatch(/^Refused 3 connections: 89 are open/);
});

test('the limit is not asked for while few descriptors are in use, and only once', () => {
  let askedCount = 0;
  const readLimit = () => {
    askedCount++;
    return 256;
  };
  const { roomFor } = descriptorsOf(0, { readLimit });
  roomFor(31);
  expect(askedCount).toBe(0);
  for (const fd of [32, 33, 200]) roomFor(fd);
  expect(askedCount).toBe(1);
});
