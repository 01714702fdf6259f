// A map that may become large, beside a Map with the same entries.

import { expect, test } from 'vitest';
import { LargeMap } from '../../src/broker/collections/large-map.js';

const MANY = 20_000;
/** A part of 256 has 80 of as many keys; the rest is the first map. */
const LARGEST_PART = 160;
const FIRST_ENTRIES = 2048;

/** Numbers below `limit`, the same in each run. */
function* numbersBelow(limit: number): Generator<number> {
  for (let state = 1; ; ) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    yield Math.floor((state / 2 ** 32) * limit);
  }
}

function filled<Key extends string | number>(keyOf: (index: number) => Key): LargeMap<Key, number> {
  const map = new LargeMap<Key, number>();
  for (let index = 0; index < MANY; index++) map.set(keyOf(index), index);
  return map;
}

function expectSmallParts({ partSizes, size }: LargeMap<never, number> | LargeMap<string | number, number>) {
  const [first = 0, ...parts] = partSizes;
  expect(first).toBe(FIRST_ENTRIES);
  expect(Math.max(...parts)).toBeLessThan(LARGEST_PART);
  expect(partSizes.reduce((sum, each) => sum + each)).toBe(size);
}

test('a large map has the entries of a Map through any mixture of changes', () => {
  const map = new LargeMap<string, number>();
  const model = new Map<string, number>();
  const numbers = numbersBelow(8000);
  for (let step = 0; step < 60_000; step++) {
    const key = `key ${numbers.next().value}`;
    const isGrowing = step < 30_000 || step > 50_000;
    let isSame = true;
    if ((step % 4 === 0) === isGrowing) {
      isSame = map.delete(key) === model.delete(key);
    } else {
      map.set(key, step);
      model.set(key, step);
    }
    isSame &&= map.size === model.size && map.get(key) === model.get(key) && map.has(key) === model.has(key);
    if (!isSame) expect.fail(`After step ${step}, ${key} or the size is another than in a Map`);
  }
  expect(model.size).toBeGreaterThan(FIRST_ENTRIES);
  expect([...map.values()].sort((a, b) => a - b)).toEqual([...model.values()].sort((a, b) => a - b));
});

test('a large map lies in small parts, whatever the keys', () => {
  expectSmallParts(filled((index) => index));
  expectSmallParts(filled((index) => `${index}`));
  expectSmallParts(filled((index) => `00000000-0000-0000-0000-${index.toString(16).padStart(12, '0')}`));
});

test('a map of few entries has them in the order in which they were added', () => {
  const map = new LargeMap<number, string>();
  for (const key of [5, 3, 9]) map.set(key, `${key}`);
  expect([...map.values()]).toEqual(['5', '3', '9']);
  expect(map.partSizes).toEqual([3]);
});

test('entries may be deleted while others are read, and the map is then small again', () => {
  const map = filled((index) => index);
  const seen = new Set<number>();
  for (const value of map.values()) {
    seen.add(value);
    map.delete(value);
  }
  expect(seen.size).toBe(MANY);
  expect(map.size).toBe(0);
  map.set(1, 1);
  expect(map.partSizes).toEqual([1]);
});
