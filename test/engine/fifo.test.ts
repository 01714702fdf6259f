// The queue of a link's deliveries, beside an array.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Fifo } from '../../src/engine/fifo.js';

const step = fc.record({ pushes: fc.nat(3000), shifts: fc.nat(3000) });

test('any mixture of pushes and shifts does what it does to an array', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
      const fifo = new Fifo<number>();
      const array: number[] = [];
      let next = 0;
      for (const { pushes, shifts } of steps) {
        for (let count = 0; count < pushes; count++) {
          fifo.push(next);
          array.push(next);
          next += 1;
        }
        const taken = Array.from({ length: shifts }, () => fifo.shift());
        expect(taken).toEqual(Array.from({ length: shifts }, () => array.shift()));
        expect([fifo.length, fifo.head, fifo.first(3)]).toEqual([array.length, array[0], array.slice(0, 3)]);
      }
      expect(fifo.takeAll()).toEqual(array);
      expect(fifo.length).toBe(0);
    }),
    { numRuns: 30 },
  );
});
