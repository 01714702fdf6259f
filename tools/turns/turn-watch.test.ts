// The watch of the event loop: where a turn ends.

import { expect, test } from 'vitest';
import { type LoopTurn, watchTurns } from './turn-watch.js';

test('a mark ends a turn, and the next begins there', () => {
  const turns: LoopTurn[] = [];
  const watch = watchTurns((turn) => turns.push(turn));
  watch.mark();
  watch.end();
  expect(turns).toHaveLength(2);
  expect(turns[1]?.from).toBe(turns[0]?.to);
});
