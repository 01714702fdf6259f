// Which idle timeouts follow from which options.

import { expect, test } from 'vitest';
import { AZURE_IDLE_TIMEOUTS, NO_IDLE_TIMEOUTS } from '../../src/amqp/idle-watch.js';
import type { EmulatorOptions } from '../../src/config/options/emulator-options.js';
import { chooseIdleTimeouts } from '../../src/config/part-options.js';

const SETS = { azure: AZURE_IDLE_TIMEOUTS, off: NO_IDLE_TIMEOUTS };
const NEVER = Number.POSITIVE_INFINITY;

test.each<[EmulatorOptions, typeof AZURE_IDLE_TIMEOUTS]>([
  [{}, NO_IDLE_TIMEOUTS],
  [{ idleTimeouts: 'off' }, NO_IDLE_TIMEOUTS],
  [{ idleTimeouts: 'azure' }, AZURE_IDLE_TIMEOUTS],
  [{ authorizationTimeoutMs: 5000 }, { ...NO_IDLE_TIMEOUTS, authorizationMs: 5000 }],
  [{ authorizationTimeoutMs: 'off' }, NO_IDLE_TIMEOUTS],
  [
    { idleTimeouts: 'azure', authorizationTimeoutMs: 5000 },
    { ...AZURE_IDLE_TIMEOUTS, authorizationMs: 5000 },
  ],
  [
    { idleTimeouts: 'azure', authorizationTimeoutMs: 'off' },
    { ...AZURE_IDLE_TIMEOUTS, authorizationMs: NEVER },
  ],
])('%j choose %j', (options, expected) => {
  expect(chooseIdleTimeouts(options, SETS)).toEqual(expected);
});
