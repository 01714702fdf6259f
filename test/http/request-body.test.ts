// Bodies of requests: where they are read from, and when more of them is read.

import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { ByteBudget } from '../../src/budget/byte-budget.js';
import { readBody } from '../../src/http/request-body.js';
import { settled } from '../support/engine-journal.js';
import { unlimitedShare } from '../support/unlimited-share.js';

const MIB = 1024 * 1024;
const LIMIT = {
  maxBytes: 100 * MIB,
  tooLarge: (size: string, maxBytes: number) => new Error(`${size}, and ${maxBytes} are the limit`),
};

/** A request from a socket. The body of its `Request` would be another, and must stay unread. */
function fromSocket(pieces: readonly Buffer[], share = unlimitedShare()) {
  const request = new Request('http://localhost/orders', { method: 'POST', body: 'of the Request' });
  return { request, incoming: Readable.from(pieces, { objectMode: false }) as IncomingMessage, share };
}

test('a body is read from the socket, because a Request would copy each piece', async () => {
  const call = fromSocket([Buffer.from('from '), Buffer.from('the socket')]);
  expect((await readBody(call, LIMIT)).toString()).toBe('from the socket');
  expect(call.request.bodyUsed).toBe(false);
});

test('the rest of a body that is too large is left to the HTTP server', async () => {
  const call = fromSocket(Array.from({ length: 10 }, () => Buffer.alloc(1000)));
  const reading = readBody(call, { ...LIMIT, maxBytes: 2500 });
  await expect(reading).rejects.toThrow('more than 2500 bytes, and 2500 are the limit');
  expect(call.incoming.destroyed).toBe(false);
  expect(call.incoming.listenerCount('readable')).toBe(0);
});

test('what a client sent before it went is read from the Request, which has kept it', async () => {
  const call = fromSocket([Buffer.from('gone')]);
  call.incoming.destroy();
  expect((await readBody(call, LIMIT)).toString()).toBe('of the Request');
});

test('a body counts as held until its request is answered', async () => {
  const call = fromSocket([Buffer.alloc(1000), Buffer.alloc(500)]);
  await readBody(call, LIMIT);
  expect(call.share.bytes).toBe(1500);
});

test('more of a body is read when there is room; what has come in full needs none', async () => {
  const budget = new ByteBudget({ limitBytes: 1000 });
  const other = budget.open(() => {});
  const [half, whole] = [600, 700].map((bytes) =>
    fromSocket(
      [Buffer.alloc(bytes)],
      budget.open(() => {}),
    ),
  );
  if (half === undefined || whole === undefined) throw new Error('there are two calls');
  whole.incoming.complete = true;
  other.add(1000);
  const states = { isRead: false };
  // The turn is another's.
  other.wait({ goOn: () => other.add(1) });
  await settled();
  const reading = readBody(half, LIMIT).then(() => {
    states.isRead = true;
  });
  expect((await readBody(whole, LIMIT)).length).toBe(700);
  await settled();
  expect([states.isRead, half.share.bytes]).toEqual([false, 0]);
  other.close();
  whole.share.close();
  await reading;
  expect(half.share.bytes).toBe(600);
});

test('a client whose body waits is written to each second, by which its end is noticed', async () => {
  const budget = new ByteBudget({ limitBytes: 1000 });
  const other = budget.open(() => {});
  other.add(1000);
  other.wait({ goOn: () => other.add(1) });
  await settled();
  const call = fromSocket(
    [Buffer.alloc(10)],
    budget.open(() => {}),
  );
  const written: string[] = [];
  Object.assign(call.incoming, {
    socket: { write: (text: string) => written.push(text) },
    httpVersion: '1.1',
  });
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const reading = readBody(call, LIMIT);
  vi.advanceTimersByTime(2500);
  expect(written).toEqual(['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 100 Continue\r\n\r\n']);
  other.close();
  await reading;
  vi.advanceTimersByTime(2500);
  vi.useRealTimers();
  expect(written).toHaveLength(2);
});

test('a body whose client goes while it waits is incomplete', async () => {
  const budget = new ByteBudget({ limitBytes: 1000 });
  const other = budget.open(() => {});
  other.add(1000);
  other.wait({ goOn: () => other.add(1) });
  await settled();
  const call = fromSocket(
    [Buffer.alloc(10)],
    budget.open(() => {}),
  );
  const reading = readBody(call, LIMIT);
  call.share.close();
  await expect(reading).rejects.toThrow('ended before it was complete');
});
