// The places of contents, against plain maps.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ContentPlace, ContentPlaces } from '../../../src/journal/log/content-places.js';

type Step =
  | { readonly kind: 'put'; readonly contentId: number; readonly place: ContentPlace }
  | { readonly kind: 'delete'; readonly contentId: number }
  | { readonly kind: 'keep'; readonly modulus: number };

const uint32 = fc.integer({ min: 0, max: 0xffffffff });
const contentId = fc.oneof(fc.nat(10), fc.integer({ min: 1020, max: 1028 }), fc.constant(2 ** 45));
const place = fc.record({
  segment: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.constant(0xffffffff)),
  offset: uint32,
  length: fc.oneof(fc.constant(0), uint32),
  checksum: uint32,
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('put' as const), contentId, place }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete' as const), contentId }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('keep' as const), modulus: fc.integer({ min: 1, max: 4 }) }),
  },
);

it('places are found as they were put, and the living bytes of each segment are counted', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const places = new ContentPlaces();
      const model = new Map<number, ContentPlace>();
      for (const one of steps) {
        apply(places, model, one);
        expectSame(places, model);
      }
    }),
  );
});

function apply(places: ContentPlaces, model: Map<number, ContentPlace>, step: Step): void {
  if (step.kind === 'put') {
    const { segment, offset, length, checksum } = step.place;
    places.put(step.contentId, segment, offset, length, checksum);
    model.set(step.contentId, step.place);
  } else if (step.kind === 'delete') {
    places.delete(step.contentId);
    model.delete(step.contentId);
  } else {
    places.keepOnly({ has: (contentId) => contentId % step.modulus === 0 });
    for (const contentId of [...model.keys()]) if (contentId % step.modulus !== 0) model.delete(contentId);
  }
}

function expectSame(places: ContentPlaces, model: ReadonlyMap<number, ContentPlace>): void {
  for (const contentId of [0, 1, 1023, 1024, 2 ** 45, 2 ** 45 + 1, ...model.keys()]) {
    expect(places.find(contentId)).toEqual(model.get(contentId));
    expect(places.has(contentId)).toBe(model.has(contentId));
  }
  const living = [...model.values()];
  for (const segment of [1, 2, 3, 0xffffffff]) {
    const lengths = living.filter((place) => place.segment === segment).map(({ length }) => length);
    expect(places.liveBytesIn(segment)).toBe(sumOf(lengths));
    expect(places.liveCountIn(segment)).toBe(lengths.length);
    expect(places.hasLiving(segment)).toBe(lengths.length > 0);
  }
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
