// docs/options.md and EmulatorOptions: up to date with the table of options.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { flagName } from '../../src/config/environment.js';
import type { Option } from '../../src/config/options/option.js';
import { OPTIONS } from '../../src/config/options/option-table.js';
import { buildEmulatorOptions } from './emulator-options.js';
import { buildOptionsPage } from './options-page.js';

test.each([
  ['docs/options.md', buildOptionsPage],
  ['src/config/options/emulator-options.ts', buildEmulatorOptions],
])('%s is as the table has it: else run npm run fix', (path, build) => {
  expect(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')).toBe(build());
});

test.each(Object.entries<Option>(OPTIONS))(
  'the option %s has its flag, variables and help together',
  (name, option) => {
    const { flag, variables = [], help, type } = option;
    expect(help === undefined).toBe(flag === undefined);
    expect(type.given === 'code').toBe(flag === undefined);
    if (flag === undefined) return;
    expect(variables).not.toEqual([]);
    expect(flag.replace(/^-\w, /, '').split(' ')[0]).toBe(flagName(name));
  },
);
