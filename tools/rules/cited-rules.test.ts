// What the source says of rules is kept to the page of rules.

import { expect, test } from 'vitest';
import { readRules } from './parse-rules.js';
import { listSourceFiles, PROJECT } from './project-files.js';
import { idsInText } from './rule-ids.js';

test('the source cites no rule that is not on the page', () => {
  const book = readRules();
  const families = new Set(book.rules.map(({ id }) => familyOf(id)));
  const unknown = listSourceFiles(PROJECT).flatMap((path) =>
    idsInText(PROJECT.read(path))
      .filter((id) => families.has(familyOf(id)) && book.find(id) === undefined)
      .map((id) => `${path} cites ${id}`),
  );
  expect(unknown).toEqual([]);
});

/** `UTF-16` is of none that we have. */
function familyOf(id: string): string {
  return id.replace(/\d+$/, '');
}
