// The list of everything that waits for time.

import { describe, expect, it } from 'vitest';
import { type DueItem, DueQueue } from '../../src/broker/collections/due-queue.js';
import { NEVER } from '../../src/broker/contract/instant.js';

function itemAt(dueAt: number): DueItem {
  return { dueAt, heapIndex: -1 };
}

/** What falls due up to `now`, in order. */
function takeDue(queue: DueQueue<DueItem>, now: number): readonly number[] {
  const taken: number[] = [];
  for (let due = queue.due(now); due !== undefined; due = queue.due(now)) {
    queue.remove(due);
    taken.push(due.dueAt);
  }
  return taken;
}

describe('deadlines', () => {
  it('are never due in an empty queue', () => {
    const queue = new DueQueue();
    expect(queue.next).toBe(NEVER);
    expect(queue.due(Number.MAX_VALUE)).toBeUndefined();
  });

  it('fall due in the order of time, in their exact millisecond and not before', () => {
    const queue = new DueQueue();
    for (const dueAt of [30, 10, 20, 40]) queue.add(itemAt(dueAt));
    expect(queue.next).toBe(10);
    expect(takeDue(queue, 9)).toEqual([]);
    expect(takeDue(queue, 30)).toEqual([10, 20, 30]);
    expect(queue.next).toBe(40);
  });

  it('keep their order through any mixture of adding, removing and postponing', () => {
    const queue = new DueQueue();
    const all = Array.from({ length: 200 }, (_, index) => itemAt((index * 7919) % 1000));
    for (const item of all) queue.add(item);
    const kept = all.filter((item, index) => {
      if (index % 3 === 0) queue.remove(item);
      if (index % 3 === 1) queue.reschedule(item, (item.dueAt * 31) % 1000);
      return index % 3 !== 0;
    });
    const expected = kept.map((item) => item.dueAt).sort((a, b) => a - b);
    expect(takeDue(queue, 1000)).toEqual(expected);
  });

  it('come, move and go as the time of their item is set, `NEVER` before and after', () => {
    const queue = new DueQueue();
    const all = Array.from({ length: 60 }, () => itemAt(NEVER));
    for (const time of [NEVER, 40, 40, 7, NEVER, 90]) {
      for (const [index, item] of all.entries()) queue.setDue(item, index % 2 === 0 ? time : time + index);
      expect(queue.next).toBe(time);
    }
    const expected = all.map(({ dueAt }) => dueAt).sort((a, b) => a - b);
    expect(expected).toEqual(
      all.map((_, index) => (index % 2 === 0 ? 90 : 90 + index)).sort((a, b) => a - b),
    );
    expect(takeDue(queue, 1000)).toEqual(expected);
  });

  it('can move to an earlier time', () => {
    const queue = new DueQueue();
    const late = itemAt(90);
    for (const item of [itemAt(10), itemAt(20), late]) queue.add(item);
    queue.reschedule(late, 5);
    expect(queue.next).toBe(5);
  });
});
