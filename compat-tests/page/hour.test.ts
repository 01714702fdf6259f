// A short run of `npm run measure -- hour`: what the control interface says of dead letters, rates and histories is true, also after a restart.

import { expect, test } from 'vitest';
import { countFor } from '../../test/support/thorough.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { runHour } from './the-hour.js';

test('what happened is there after thousands of messages, and after a restart', async () => {
  await using folder = await temporaryDirectory();
  const checks = await runHour({ messageCount: countFor(2000, 5000), dataDirectory: folder.path });
  expect(checks.filter(({ isRight }) => !isRight)).toEqual([]);
  expect(checks.length).toBe(9);
});
