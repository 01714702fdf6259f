// Bodies of requests: where they are read from, and when more of them is read.

import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { ByteBudget } from '../../src/budget/byte-budget.js';
import { readBody } from '../../src/http/request-body.js';
import { settled } from '../support/engine-journal.js';
import { unlimitedShare } from '../support/unlimited-share.js';

const MIB = 1024 * 1024;
const LIMIT = {
  maxBytes: 100 * MIB,
  tooLarge: (size: string, maxBytes: number) => new Error(`${size}, and ${maxBytes} is the limit`),
};

function sending(pieces: readonly Buffer[], share = unlimitedShare()) {
  const body = Readable.from(pieces, { objectMode: false });
  const states = { isComplete: false };
  const request = Object.defineProperties(new Request('http://localhost/orders', { method: 'POST' }), {
    body: { value: body },
    isComplete: { get: () => states.isComplete },
  });
  return { request, body, states, share };
}

test('a body that is larger than allowed is refused with the limit', async () => {
  const call = sending(Array.from({ length: 10 }, () => Buffer.alloc(1000)));
  const reading = readBody(call, { ...LIMIT, maxBytes: 2500 });
  await expect(reading).rejects.toThrow('more than 2500 bytes, and 2500 is the limit');
});

test('a body that breaks off is incomplete', async () => {
  const call = sending([Buffer.alloc(1000)]);
  call.body.once('data', () => call.body.destroy(new Error('aborted')));
  await expect(readBody(call, LIMIT)).rejects.toThrow('ended before it was complete');
});

test('a body counts as held until its request is answered', async () => {
  const call = sending([Buffer.alloc(1000), Buffer.alloc(500)]);
  await readBody(call, LIMIT);
  expect(call.share.bytes).toBe(1500);
});

test('more of a body is read when there is room; what has come in full needs none', async () => {
  const budget = new ByteBudget({ limitBytes: 1000 });
  const other = budget.open(() => {});
  const [half, whole] = [600, 700].map((bytes) =>
    sending(
      [Buffer.alloc(bytes)],
      budget.open(() => {}),
    ),
  );
  if (half === undefined || whole === undefined) throw new Error('there are two calls');
  whole.states.isComplete = true;
  other.add(2001);
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

test('a body whose client goes while it waits is incomplete', async () => {
  const budget = new ByteBudget({ limitBytes: 1000 });
  const other = budget.open(() => {});
  other.add(2001);
  other.wait({ goOn: () => other.add(1) });
  await settled();
  const call = sending(
    [Buffer.alloc(10)],
    budget.open(() => {}),
  );
  const reading = readBody(call, LIMIT);
  call.share.close();
  await expect(reading).rejects.toThrow('ended before it was complete');
});
