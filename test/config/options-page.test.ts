// docs/options.md: up to date with the table of options.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { flagName } from '../../src/config/environment.js';
import { OPTIONS, type Option } from '../../src/config/option-table.js';
import { buildOptionsPage } from './options-page.js';

test('docs/options.md is as the table has it: else run npm run fix', () => {
  const page = readFileSync(new URL('../../docs/options.md', import.meta.url), 'utf8');
  expect(page).toBe(buildOptionsPage());
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
