// The types of all entries of the built package, beside those that were accepted last.

import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { ACCEPTED, differencesOf, publicTypes } from '../tools/api/public-types.js';

const REMEDY =
  'The public types have changed. If that is meant, run `npm run api -- --accept`, and tell users in the changelog: docs/versions.md says what is breaking';

test('the public types are those that were accepted', async () => {
  const differences = differencesOf(await readFile(ACCEPTED, 'utf8'), await publicTypes());
  expect.soft(differences.length, `${REMEDY}\n\n${differences.join('\n\n')}\n`).toBe(0);
});

test('each changed declaration is named, with the lines that have come and gone', () => {
  const before = '# jitney\n\ntype A = {\n    a: string;\n    b: string;\n};\n\ntype B = 1;\n';
  const after =
    '# jitney\n\ntype A = {\n    a: number;\n    b: string;\n};\n\n# jitney/jest\n\ntype B = 1;\n';
  expect(differencesOf(before, after)).toEqual([
    'jitney/jest: \n+ # jitney/jest',
    'jitney/jest: type B\n+ type B = 1;',
    'jitney: type A\n-     a: string;\n+     a: number;',
    'jitney: type B\n- type B = 1;',
  ]);
  expect(differencesOf('# j\n\ntype A = 1;', '# j\n\ntype A = 1;')).toEqual([]);
});
