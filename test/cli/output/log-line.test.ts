// The lines of the log in their forms: for a terminal, for a file, for programs.

import { expect, test } from 'vitest';
import { jsonLines, prettyLine, timedLines } from '../../../src/cli/output/log-line.js';
import { createLog } from '../../../src/cli/output/output.js';
import type { ActivityRecord, RecordOf } from '../../../src/watch/activity-record.js';

const TIME = Date.UTC(2026, 4, 1, 12);
const LOCKED: ActivityRecord = {
  id: 12,
  time: TIME,
  kind: 'locked',
  path: 'orders',
  sequenceNumber: 7,
  linkId: undefined,
  lockToken: '4f2a81c3',
  lockedUntil: Number.POSITIVE_INFINITY,
  deliveryCount: 0,
  client: { connectionId: 1, name: 'a7f0', product: undefined, label: 'a7f0' },
};
const FRAME = {
  kind: 'frame',
  connectionId: 1,
  direction: 'sent',
  channel: undefined,
  performative: 'sasl-outcome',
  payloadBytes: 0,
} as const;

test('for a terminal, warnings and errors have a mark, and control characters of clients do nothing', () => {
  expect(prettyLine('info', 'a text')).toBe('a text\n');
  expect(prettyLine('warn', 'a text')).toBe('⚠ a text\n');
  expect(prettyLine('error', 'first\n  second')).toBe('✖ first\n  second\n');
  expect(prettyLine('info', '\u001b[2J \u0085 \u2028 \u202e \t')).toBe(
    '\\u001b[2J \\u0085 \\u2028 \\u202e \\u0009\n',
  );
});

test('in a file they have the time of their record, or else of now, and their level', () => {
  const timed = timedLines();
  expect(timed('debug', 'locked', LOCKED)).toBe('2026-05-01T12:00:00.000Z debug locked\n');
  expect(timed('info', 'later', { ...LOCKED, time: TIME + 1 })).toBe(
    '2026-05-01T12:00:00.001Z info  later\n',
  );
  const before = Date.now();
  const written = Date.parse(timed('trace', 'sent', FRAME).split(' ')[0] ?? '');
  expect(written).toBeGreaterThanOrEqual(before);
  expect(written).toBeLessThanOrEqual(Date.now());
});

test('for programs each is an object with the fields of its record, as the control interface has them', () => {
  const line = jsonLines()('debug', 'a "text"\n', LOCKED);
  expect(line.indexOf('\n')).toBe(line.length - 1);
  expect(line).toMatch(/^{"time":"2026-05-01T12:00:00.000Z","level":"debug","message":"a \\"text\\"\\n","/);
  expect(JSON.parse(line)).toEqual({
    time: '2026-05-01T12:00:00.000Z',
    level: 'debug',
    message: 'a "text"\n',
    id: 12,
    kind: 'locked',
    path: 'orders',
    sequenceNumber: 7,
    lockToken: '4f2a81c3',
    deliveryCount: 0,
    client: { connectionId: 1, name: 'a7f0', label: 'a7f0' },
  });
  const moment = { ...LOCKED, lockedUntil: TIME + 5000 };
  expect(JSON.parse(jsonLines()('debug', '', moment)).lockedUntil).toBe('2026-05-01T12:00:05.000Z');
});

test('for programs a message that is scheduled for a time without a date has no such time', () => {
  const { lockToken: _, lockedUntil: __, deliveryCount: ___, ...common } = LOCKED as RecordOf<'locked'>;
  const sent = { messageId: 'm', sessionId: undefined, correlationId: undefined, sizeBytes: 1 };
  const json = jsonLines();
  const linesFor = (...times: number[]) =>
    times.map((enqueueAt) => {
      const line = json('debug', '', { ...common, ...sent, kind: 'scheduled', enqueueAt });
      return JSON.parse(line).enqueueAt;
    });
  expect(linesFor(9e15, TIME, 9e15, 8.64e15)).toEqual([
    ...[undefined, '2026-05-01T12:00:00.000Z', undefined, '+275760-09-13T00:00:00.000Z'],
  ]);
});

test('for programs a line keeps nothing of the line before', () => {
  const json = jsonLines();
  const other = {
    ...LOCKED,
    lockedUntil: TIME,
    client: { connectionId: 2, name: 'b8', product: undefined, label: 'b8' },
  };
  const lines = [LOCKED, LOCKED, other, { ...other, client: undefined }, LOCKED].map((record) => {
    const { client, lockedUntil } = JSON.parse(json('debug', '', record));
    return [client?.connectionId, lockedUntil];
  });
  const lockedUntil = '2026-05-01T12:00:00.000Z';
  expect(lines).toEqual([
    [1, undefined],
    [1, undefined],
    [2, lockedUntil],
    [undefined, lockedUntil],
    [1, undefined],
  ]);
});

test('for programs a frame has its fields, and a line about the process its own', () => {
  const json = jsonLines();
  const { time, ...frame } = JSON.parse(json('trace', 'sent 1', FRAME));
  expect(Date.parse(time)).not.toBeNaN();
  const { channel: _, ...fields } = FRAME;
  expect(frame).toEqual({ level: 'trace', message: 'sent 1', ...fields });
  expect(JSON.parse(json('info', 'Stopping', { kind: 'stopping', help: ['a'] }))).toMatchObject({
    message: 'Stopping',
    kind: 'stopping',
    help: ['a'],
  });
  expect(Object.keys(JSON.parse(json('warn', 'a remark')))).toEqual(['time', 'level', 'message']);
});

test.each([
  ['trace', 'TDIWE'],
  ['debug', 'DIWE'],
  ['info', 'IWE'],
  ['warn', 'WE'],
  ['error', 'E'],
  ['silent', ''],
] as const)('at level %s these are written: %s', (level, expected) => {
  let written = '';
  const log = createLog(
    level,
    (text) => {
      written += text;
    },
    (_level, text) => text,
  );
  for (const one of ['trace', 'debug', 'info', 'warn', 'error'] as const)
    log[one](one.charAt(0).toUpperCase());
  expect(written).toBe(expected);
});
