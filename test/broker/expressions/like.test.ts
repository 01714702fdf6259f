// LIKE against a table-driven reference, and against patterns made to keep a matcher busy.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LikePattern } from '../../../src/broker/expressions/like-pattern.js';
import { likes } from '../rules/naive/like.js';

const LONG = 100_000;

function text(characters: readonly string[], maxLength: number): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...characters), { maxLength }).map((parts) => parts.join(''));
}

describe('LIKE', () => {
  it('agrees with the reference on short texts [SQL-14]', () => {
    const anyText = text(['a', 'a', 'b', '%', '_', '!', '😀', '\n'], 12);
    const pattern = text(['a', 'a', 'b', '%', '%', '_', '!', '😀'], 8);
    const escaped = fc.constantFrom(undefined, '!', '%', '_', '😀');
    expectAgreement(fc.tuple(anyText, pattern, escaped), 20_000);
  });

  it('agrees with the reference on patterns longer than a machine word [SQL-14]', () => {
    const pattern = fc
      .tuple(text(['a', 'a', '_'], 80), text(['a', '_', '%', 'b'], 60))
      .map(([first, second]) => `%${first}%${second}`);
    expectAgreement(fc.tuple(text(['a', 'a', 'a', 'a', 'b'], 160), pattern, fc.constant(undefined)), 3000);
  });

  it('finds the pattern it was made from in any text around it [SQL-14]', () => {
    const inside = text(['a', 'b', 'c'], 70).filter((one) => one !== '');
    fc.assert(
      fc.property(inside, text(['a', 'b', 'c'], 200), fc.nat(), (one, around, seed) => {
        const holes = [...one].map((character, index) => ((seed >> (index % 31)) & 1 ? '_' : character));
        expect(new LikePattern(`%${holes.join('')}%`, undefined).matches(around + one + around)).toBe(true);
      }),
    );
  });

  it.each([
    ['many runs', 'a%'.repeat(500), 'a'.repeat(LONG), true],
    ['many runs that end otherwise', `${'a%'.repeat(500)}b`, 'a'.repeat(LONG), false],
    ['a long stretch with holes', `%${'a_'.repeat(500)}b%`, 'a'.repeat(LONG), false],
    ['a long stretch', `%${'a'.repeat(1000)}b%`, 'a'.repeat(LONG), false],
    ['a stretch that nearly starts everywhere', `%b${'a'.repeat(1000)}%`, 'a'.repeat(LONG), false],
    ['a stretch that nearly ends everywhere', `%ab${'a'.repeat(998)}%`, 'a'.repeat(LONG), false],
    ['runs and holes in turns', '%_'.repeat(500), 'a'.repeat(LONG), true],
    ['more holes than there are characters', `${'_'.repeat(999)}%`, 'a'.repeat(998), false],
  ])('ends soon with %s [SQL-14]', (_, pattern, subject, expected) => {
    expect(new LikePattern(pattern, undefined).matches(subject)).toBe(expected);
  });
});

function expectAgreement(
  cases: fc.Arbitrary<[subject: string, pattern: string, escapedBy: string | undefined]>,
  numRuns: number,
): void {
  const seen = new Set<boolean>();
  fc.assert(
    fc.property(cases, ([subject, pattern, escapedBy]) => {
      const expected = likes(subject, pattern, escapedBy);
      seen.add(expected);
      expect(new LikePattern(pattern, escapedBy).matches(subject)).toBe(expected);
    }),
    { numRuns },
  );
  expect(seen.size).toBe(2);
}
