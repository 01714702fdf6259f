// Which numbers a counter has given out, also when it has begun again at 0.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SequenceNumbers } from '../../src/broker/store/partition.js';
import { Counters } from '../../src/journal/counters.js';

const MANY = 50;

/** The counter at `start` has just given out, or will give out, these. */
const QUEUES = [
  { what: 'a queue', isPartitioned: false, partitionIds: [0], size: 2 ** 53 },
  { what: 'a partitioned queue', isPartitioned: true, partitionIds: [0, 1, 9, 15], size: 2 ** 48 },
] as const;

describe.each(QUEUES)('of $what', ({ isPartitioned, partitionIds, size }) => {
  const within = fc.oneof(
    fc.integer({ min: 0, max: size - 1 }),
    fc.constantFrom(0, 1, MANY, size - MANY, size - 1, size / 2),
  );

  test('numbers it has given out are below it, and those it will give are not [SEQ-06, SEQ-07, SEQ-11]', () => {
    fc.assert(
      fc.property(fc.constantFrom(...partitionIds), within, (partitionId, start) => {
        const numbers = new SequenceNumbers({ isPartitioned });
        numbers.resume(partitionId, partitionId * size + start);
        const taken = Array.from({ length: MANY }, () => numbers.take(partitionId));
        const counters = new Counters({ isPartitioned });
        expect(
          counters.put({ partitionId, nextSequenceNumber: numbers.upcoming(partitionId) }),
        ).toBeUndefined();
        for (const number of taken) expect(counters.findProblem(number)).toBeUndefined();
        for (let count = 0; count < MANY; count++) {
          expect(counters.findProblem(numbers.take(partitionId))).toContain(
            "is not below its entity's counter",
          );
        }
      }),
    );
  });

  test('half of all numbers count as given out, the other half do not', () => {
    const counters = new Counters({ isPartitioned });
    counters.put({ partitionId: 0, nextSequenceNumber: 10 });
    expect(counters.findProblem(10 + size / 2 - 1)).toBeDefined();
    expect(counters.findProblem(10 + size / 2)).toBeUndefined();
    expect(counters.findProblem(size - 1)).toBeUndefined();
  });
});
