// A clock that nobody has set, for tests of what surrounds it.

import type { EmulatorClock } from '../../src/emulator.js';

const unused = () => {
  throw new Error('the clock is not used here');
};

export const REAL_CLOCK: EmulatorClock = {
  state: {
    mode: 'real',
    rate: 1,
    offsetMs: 0,
    nextDue: undefined,
    time: new Date(0),
    realTime: new Date(0),
  },
  now: () => new Date(0),
  advance: unused,
  advanceToNext: unused,
  freeze: unused,
  resume: unused,
  scale: unused,
  reset: unused,
};
