// How the body of a request is read, and how long it counts as in memory.

import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { MemoryReturn } from '../../src/codec/memory-return.js';
import { BodyShare } from '../../src/http/body-budget.js';
import { readBody, useBody } from '../../src/http/request-body.js';

const MIB = 1024 * 1024;
const LIMIT = {
  maxBytes: 100 * MIB,
  tooLarge: (size: string, maxBytes: number) => new Error(`${size}, and ${maxBytes} are the limit`),
};

afterEach(() => vi.restoreAllMocks());

/** A request from a socket. The body of its `Request` would be another, and must stay unread. */
function fromSocket(pieces: readonly Buffer[]) {
  const request = new Request('http://localhost/orders', { method: 'POST', body: 'of the Request' });
  return { request, incoming: Readable.from(pieces, { objectMode: false }) as IncomingMessage };
}

test('a body is read from the socket, because a Request would copy each piece', async () => {
  const call = fromSocket([Buffer.from('from '), Buffer.from('the socket')]);
  expect((await readBody(call, LIMIT)).toString()).toBe('from the socket');
  expect(call.request.bodyUsed).toBe(false);
});

test('of a body that is too large the rest is left to whoever answers', async () => {
  const call = fromSocket(Array.from({ length: 10 }, () => Buffer.alloc(1000)));
  const reading = readBody(call, { ...LIMIT, maxBytes: 2500 });
  await expect(reading).rejects.toThrow('more than 2500 bytes, and 2500 are the limit');
  expect(call.incoming.destroyed).toBe(false);
  expect(call.incoming.listenerCount('readable')).toBe(0);
});

test('a large body counts until its memory is back', async () => {
  const ended = vi.spyOn(BodyShare.prototype, 'end');
  let isBack = () => {};
  const hastened = vi.spyOn(MemoryReturn.prototype, 'hasten').mockReturnValue(
    new Promise((resolve) => {
      isBack = resolve;
    }),
  );
  const call = fromSocket([Buffer.alloc(2 * MIB), Buffer.alloc(MIB)]);
  expect(await useBody(call, LIMIT, (body) => body.take().length)).toBe(3 * MIB);
  expect(hastened).toHaveBeenCalledTimes(1);
  expect(ended).not.toHaveBeenCalled();
  isBack();
  await vi.waitFor(() => expect(ended).toHaveBeenCalledTimes(1));
});
