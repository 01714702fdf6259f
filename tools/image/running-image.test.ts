// The end of a program that the checks of the image wait for.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { exitOf } from './running-image.js';

test('a program that does not exit within the limit is killed, and one that was killed is not waited for', async () => {
  const endless = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 60_000)']);
  const closed = once(endless, 'close');
  expect(await exitOf(endless, 1)).toBe('SIGKILL');
  await closed;
  expect(await exitOf(endless)).toBe('SIGKILL');
});
