// Who is read on while the bodies of requests are too large together.

import { expect, test } from 'vitest';
import { BodyBudget, type BodyShare } from '../../src/http/body-budget.js';

const MIB = 1024 * 1024;

/** Adds bytes to a body. The result says whether more of it may be read. */
function grow(share: BodyShare, bytes: number): { mayGoOn: boolean } {
  const state = { mayGoOn: false };
  void share.grown(bytes).then(() => {
    state.mayGoOn = true;
  });
  return state;
}

async function settled(): Promise<void> {
  for (let round = 0; round < 5; round++) await Promise.resolve();
}

test('a body of 90 MB is read to its end, and small ones beside it', async () => {
  const budget = new BodyBudget();
  const states = [grow(budget.open(), 90 * MIB), grow(budget.open(), MIB)];
  await settled();
  expect(states).toEqual([{ mayGoOn: true }, { mayGoOn: true }]);
});

test('of several large ones one is read beyond its share at a time, and the next when it has ended', async () => {
  const budget = new BodyBudget();
  const bodies = [budget.open(), budget.open(), budget.open()];
  for (const body of bodies) grow(body, 20 * MIB);
  const states = bodies.map((body) => grow(body, 10 * MIB));
  await settled();
  expect(states.map(({ mayGoOn }) => mayGoOn)).toEqual([true, false, false]);
  expect(bodies[0]?.isWaitedFor).toBe(true);
  bodies[0]?.end();
  await settled();
  expect(states.map(({ mayGoOn }) => mayGoOn)).toEqual([true, true, false]);
  bodies[1]?.end();
  await settled();
  expect(states.map(({ mayGoOn }) => mayGoOn)).toEqual([true, true, true]);
  expect(bodies[2]?.isWaitedFor).toBe(false);
});

test('the largest message of the standard tier waits for nobody', async () => {
  const budget = new BodyBudget();
  for (let count = 0; count < 100; count++) grow(budget.open(), 90 * MIB);
  const small = grow(budget.open(), MIB / 4);
  await settled();
  expect(small).toEqual({ mayGoOn: true });
});

test('25 bodies of 90 MB that come piece by piece have 135 MB together at most', async () => {
  const budget = new BodyBudget();
  let held = 0;
  let highest = 0;
  await Promise.all(
    Array.from({ length: 25 }, async () => {
      const body = budget.open();
      for (let read = 0; read < 90; read++) {
        held += MIB;
        highest = Math.max(highest, held);
        await body.grown(MIB);
      }
      held -= body.bytes;
      body.end();
      body.end(); // a second time is of no effect
    }),
  );
  expect(highest).toBeLessThanOrEqual(135 * MIB);
  expect(held).toBe(0);
});
