// The options of a reset, given to a running emulator: a misspelt one must not reset less than was asked for.

import { expect, it } from 'vitest';
import { startEmulator } from '../../src/emulator.js';

it('a reset with a wrong option is refused and removes nothing', async () => {
  await using emulator = await startEmulator({ port: 0, queues: ['orders'] });
  const wrong: [unknown, string][] = [
    [{ al: true }, "reset has no option 'al'; it has all. Did you mean 'all'?"],
    [{ all: 'yes' }, `The option 'all' of reset is "yes"; give true or false.`],
    [true, 'reset takes an object with any of all, not true.'],
    [[], 'reset takes an object with any of all, not an array.'],
  ];
  emulator.events; // records what happens
  for (const [options, text] of wrong) {
    await expect(emulator.reset(options as object)).rejects.toThrow(new TypeError(text));
  }
  expect(emulator.events.since()).toEqual([]);
  expect(await emulator.reset({ all: true })).toBe(0);
});
