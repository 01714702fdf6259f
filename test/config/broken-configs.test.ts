// Config.json files that are wrong: each is refused with messages that say where, what was seen, and what to do.

import { expect, test } from 'vitest';
import { readConfigText } from '../../src/config/config-text.js';
import { BROKEN_CONFIGS } from './broken-configs.js';

test.each(BROKEN_CONFIGS)('$what', ({ text, problems }) => {
  expect(() => readConfigText({ name: 'Config.json', text, isFile: true })).toThrow(
    expect.objectContaining({
      kind: 'config-file-invalid',
      problems: problems.map((problem) => `Config.json:${problem}`),
    }),
  );
});

test('there are at least thirty of them, all different', () => {
  expect(new Set(BROKEN_CONFIGS.map(({ text }) => text)).size).toBe(BROKEN_CONFIGS.length);
  expect(new Set(BROKEN_CONFIGS.map(({ problems }) => problems.join())).size).toBeGreaterThan(30);
});
