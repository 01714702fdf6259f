// The list of everything that waits for time.

import { describe, expect, it } from 'vitest';
import { type Deadline, Deadlines } from '../../src/broker/deadlines.js';
import { NEVER } from '../../src/broker/instant.js';

function deadlineAt(dueAt: number): Deadline {
  return { dueAt, place: -1 };
}

/** What falls due up to `now`, in order. */
function takeDue(deadlines: Deadlines<Deadline>, now: number): readonly number[] {
  const taken: number[] = [];
  for (let due = deadlines.due(now); due !== undefined; due = deadlines.due(now)) {
    deadlines.remove(due);
    taken.push(due.dueAt);
  }
  return taken;
}

describe('deadlines', () => {
  it('are never due when there are none', () => {
    const deadlines = new Deadlines();
    expect(deadlines.next).toBe(NEVER);
    expect(deadlines.due(Number.MAX_VALUE)).toBeUndefined();
  });

  it('fall due in the order of time, in the very millisecond and not before', () => {
    const deadlines = new Deadlines();
    for (const dueAt of [30, 10, 20, 40]) deadlines.add(deadlineAt(dueAt));
    expect(deadlines.next).toBe(10);
    expect(takeDue(deadlines, 9)).toEqual([]);
    expect(takeDue(deadlines, 30)).toEqual([10, 20, 30]);
    expect(deadlines.next).toBe(40);
  });

  it('keep their order through any mixture of adding, removing and postponing', () => {
    const deadlines = new Deadlines();
    const all = Array.from({ length: 200 }, (_, index) => deadlineAt((index * 7919) % 1000));
    for (const deadline of all) deadlines.add(deadline);
    const kept = all.filter((deadline, index) => {
      if (index % 3 === 0) deadlines.remove(deadline);
      if (index % 3 === 1) deadlines.postpone(deadline, (deadline.dueAt * 31) % 1000);
      return index % 3 !== 0;
    });
    const expected = kept.map((deadline) => deadline.dueAt).sort((a, b) => a - b);
    expect(takeDue(deadlines, 1000)).toEqual(expected);
  });

  it('can be brought forward as well', () => {
    const deadlines = new Deadlines();
    const late = deadlineAt(90);
    for (const deadline of [deadlineAt(10), deadlineAt(20), late]) deadlines.add(deadline);
    deadlines.postpone(late, 5);
    expect(deadlines.next).toBe(5);
  });
});
