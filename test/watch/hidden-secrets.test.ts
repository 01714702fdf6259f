// What records keep of texts that clients wrote: no secrets, a limited length, and nothing of the rest of a long text.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { ActivityRing } from '../../src/watch/activity-ring.js';
import { hideSecrets } from '../../src/watch/hidden-secrets.js';

const MIB = 1024 * 1024;

it.each([
  ['/orders/messages', '/orders/messages'],
  ['/orders?sig=a%2Fb%3D&se=1', '/orders?sig=(hidden)&se=1'],
  ['/orders%26sig%3Dabc', '/orders%26sig%3D(hidden)'],
  ['/orders%252526sig%25253Dabc', '/orders%252526sig%25253D(hidden)'],
  ['design=1 signal=2', 'design=1 signal=2'],
  ['SharedAccessKey=abc=;EntityPath=q', 'SharedAccessKey=(hidden);EntityPath=q'],
  ['{"AccessKey" : "abc"}', '{"AccessKey" : "(hidden)"}'],
  ['Primary Key: abc', 'Primary Key: (hidden)'],
  ['amqps://name:pass:w/ord@host:5671/q', 'amqps://name:(hidden)@host:5671/q'],
  ['amqps%3A%2F%2Fname%3Aword%40host', 'amqps%3A%2F%2Fname%3A(hidden)%40host'],
  ['a b%20eyJhbGciOiJI.eyJ0.c-d', 'a b%20(hidden)'],
  ['eyJhbGciOiJI.e sig=x', '(hidden) sig=(hidden)'],
])('of %s a record keeps %s', (text, kept) => {
  expect(hideSecrets(text)).toBe(kept);
});

it('the first 2,000 characters of a text are kept', () => {
  expect(hideSecrets('x'.repeat(2000))).toBe('x'.repeat(2000));
  expect(hideSecrets('x'.repeat(2001))).toBe(`${'x'.repeat(2000)}…`);
});

it('a secret that begins within them is hidden, wherever it ends', () => {
  for (const before of [1000, 1970, 1990, 1999]) {
    const kept = hideSecrets(
      `${'x'.repeat(before)} amqps://n:${'p'.repeat(999)}@host sig=${'s'.repeat(5000)}`,
    );
    expect(kept).not.toMatch(/pp|ss/);
  }
});

it('no secret behind them is kept in the room of one that is hidden', () => {
  const end = `${' '.repeat(300)}amqps://n:${'p'.repeat(1000)}@host`;
  expect(hideSecrets(`sig=${'s'.repeat(2000)}${end}`)).toBe('sig=(hidden)…');
});

it.each(['25', '%25', '://:', '%3A%2F%2F', 'sig ', 'eyJ.', ' '])(
  'a text of 10 million characters that repeats %j is not gone through',
  (unit) => {
    const text = unit.repeat(10_000_000 / unit.length);
    for (let count = 0; count < 100; count++) expect(hideSecrets(text).length).toBeLessThan(6000);
  },
);

it('a record keeps nothing of the text that its own was cut from', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const ring = new ActivityRing(1000);
  const big = (index: number) => String(index).padEnd(100_000, 'x');
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < 1000; index++) {
    const [path = ''] = `/orders/${index}/messages?${big(index)}`.split('?', 1);
    ring.add({ kind: 'http-request', method: 'GET', path, status: 404, durationMs: 1 }, 0, 1, undefined);
    const stored = { messageId: big(index), correlationId: big(index), sessionId: undefined, sizeBytes: 1 };
    const content = new Uint8Array();
    ring.add({ kind: 'accepted', path: 'orders', sequenceNumber: 1, ...stored, content }, 0, 1, undefined);
    ring.add({ kind: 'connection-closed', cause: big(index) }, 0, 1, undefined);
  }
  collectGarbage();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20 * MIB);
});
