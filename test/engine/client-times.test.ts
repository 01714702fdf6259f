// Times between broker and clients while the machine's clock has jumped: every time is converted, and nothing else.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ServiceBusError } from '../../src/broker/contract/service-bus-error.js';
import { aheadBy, toBroker, toClient } from '../../src/engine/client-times.js';

const TYPES_WITH_TIMES = [
  'command',
  'result',
  'effect',
  'inspection',
  'activity',
  'queue/message-properties',
];

function timeFieldsIn(file: string): string[] {
  const text = readFileSync(new URL(`../../src/broker/${file}.ts`, import.meta.url), 'utf8');
  return [...text.matchAll(/readonly (\w+)\??: (?:readonly )?Instant\b/g)].map(([, name]) => name ?? '');
}

test('every field of commands and outcomes that is an instant is converted', () => {
  const fields = new Set(TYPES_WITH_TIMES.flatMap(timeFieldsIn));
  expect(fields.size).toBeGreaterThan(10);
  for (const name of fields) expect(toClient({ [name]: 1000 }, aheadBy(50))).toEqual({ [name]: 1050 });
});

test('times are converted at any depth, and so are those of a list', () => {
  const result = { kind: 'messages', messages: [{ properties: { enqueuedTime: 1, deliveryCount: 1 } }] };
  expect(toClient(result, aheadBy(50))).toEqual({
    kind: 'messages',
    messages: [{ properties: { enqueuedTime: 51, deliveryCount: 1 } }],
  });
  expect(toBroker({ lockedUntil: [1, 2] }, aheadBy(1))).toEqual({ lockedUntil: [0, 1] });
});

test('absent times, bytes and errors stay what they are', () => {
  const error = new ServiceBusError('internal', 'broken');
  const content = new Uint8Array([1, 2]);
  const shifted = toClient({ lockedUntil: undefined, expiresAt: null, content, error }, aheadBy(50));
  expect(shifted).toEqual({ lockedUntil: undefined, expiresAt: null, content, error });
  expect(shifted.content).toBe(content);
  expect(shifted.error).toBe(error);
});

test('while the clock has not jumped nothing is copied', () => {
  const command = { kind: 'tick' };
  expect(toClient(command, aheadBy(0))).toBe(command);
});
