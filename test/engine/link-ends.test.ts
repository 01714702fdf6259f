// Tests that many links which end at once leave others their turn.

import { expect, test } from 'vitest';
import { LinkEnds } from '../../src/engine/link-ends.js';

/** Links 1 to `count` end; `ended` are those that have, and `next` gives the rest their turn. */
function endAll(count: number): { ended: number[]; next: () => void; deferredCount: () => number } {
  const ended: number[] = [];
  const deferred: (() => void)[] = [];
  const linkEnds = new LinkEnds(
    (linkId) => ended.push(linkId),
    (continued) => deferred.push(continued),
  );
  for (let linkId = 1; linkId <= count; linkId++) linkEnds.add(linkId);
  return { ended, next: () => deferred.shift()?.(), deferredCount: () => deferred.length };
}

test('500 links end at once', () => {
  expect(endAll(500).ended).toHaveLength(500);
});

test('more links end 500 at a time, in order', () => {
  const { ended, next, deferredCount } = endAll(1201);
  expect(ended).toHaveLength(500);
  next();
  expect(ended).toHaveLength(1000);
  next();
  expect(ended).toEqual(Array.from({ length: 1201 }, (_, index) => index + 1));
  expect(deferredCount()).toBe(0);
});
