// prepared.test.mjs; run with: npx vitest run
import { startEmulator } from 'jitney';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

let emulator;
let prepared;
beforeAll(async () => {
  emulator = await startEmulator({ queues: ['orders'], seed: [{ entity: 'orders', body: { id: 7 } }] });
  prepared = await emulator.snapshot();
});
beforeEach(() => emulator.restore(prepared));
afterAll(() => emulator.stop());

test.each([1, 2])('case %i finds the order', async () => {
  expect(await emulator.queue('orders').messages()).toMatchObject([{ body: { id: 7 } }]);
  await emulator.queue('orders').purge();
});
