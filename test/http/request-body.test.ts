// Bodies of requests: where they are read from, and how long they count as in memory.

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

function sending(pieces: readonly Buffer[]) {
  const body = Readable.from(pieces, { objectMode: false });
  const request = new Request('http://localhost/orders', { method: 'POST' });
  return { request: Object.defineProperty(request, 'body', { value: body }), body };
}

test.each([
  ['is too large', 2500, () => ''],
  ['is refused', 1e6, () => Promise.reject(new Error('no such queue'))],
])('a body that %s does not count any longer', async (_, maxBytes, use) => {
  const ended = vi.spyOn(BodyShare.prototype, 'end');
  const call = sending(Array.from({ length: 10 }, () => Buffer.alloc(1000)));
  await expect(useBody(call, { ...LIMIT, maxBytes }, use)).rejects.toThrow();
  expect(ended).toHaveBeenCalledTimes(1);
});

test('a body that breaks off does not count any longer', async () => {
  const ended = vi.spyOn(BodyShare.prototype, 'end');
  const call = sending([Buffer.alloc(1000)]);
  call.body.once('data', () => call.body.destroy(new Error('aborted')));
  await expect(readBody(call, LIMIT)).rejects.toThrow('ended before it was complete');
  expect(ended).toHaveBeenCalledTimes(1);
});

/** Bodies of these sizes in MiB, one after another while `isWaitedFor` says that another waits. */
async function memoryReturns(isWaitedFor: boolean, ...sizes: readonly number[]) {
  vi.spyOn(BodyShare.prototype, 'isWaitedFor', 'get').mockReturnValue(isWaitedFor);
  const ended = vi.spyOn(BodyShare.prototype, 'end');
  let isBack = () => {};
  const waiting = new Promise<void>((resolve) => {
    isBack = resolve;
  });
  const hastened = vi.spyOn(MemoryReturn.prototype, 'hasten').mockReturnValue(waiting);
  for (const size of sizes) {
    const call = sending([Buffer.alloc(size * MIB), Buffer.alloc(1)]);
    expect(await useBody(call, LIMIT, (body) => body.take().length)).toBe(size * MIB + 1);
  }
  return { ended, hastened, isBack };
}

test('a large body counts until its memory is back, if another waits', async () => {
  const { ended, hastened, isBack } = await memoryReturns(true, 32);
  expect(hastened).toHaveBeenCalledTimes(1);
  expect(ended).not.toHaveBeenCalled();
  isBack();
  await vi.waitFor(() => expect(ended).toHaveBeenCalledTimes(1));
});

test('a smaller body, and a large one that no other waits for, ends at once, and V8 does not collect', async () => {
  const smaller = await memoryReturns(true, 3, 31);
  expect([smaller.ended.mock.calls.length, smaller.hastened.mock.calls.length]).toEqual([2, 0]);
  vi.restoreAllMocks();
  const alone = await memoryReturns(false, 32);
  expect([alone.ended.mock.calls.length, alone.hastened.mock.calls.length]).toEqual([1, 0]);
});
