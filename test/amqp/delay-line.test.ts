// The line of what is held back on a link: its order, its times, and its end.

import { beforeEach, expect, test } from 'vitest';
import { DelayLine } from '../../src/amqp/faults/delay-line.js';
import { VirtualTimers } from '../support/virtual-timers.js';

let timers: VirtualTimers;
let line: DelayLine;
let done: string[];
beforeEach(() => {
  timers = new VirtualTimers();
  line = new DelayLine(timers.startTimer, () => timers.nowMs);
  done = [];
});

function add(name: string, delayMs: number, then: () => void = () => {}): void {
  const note = (what: string) => () => {
    done.push(`${what} ${name}`);
    then();
  };
  line.add(delayMs, note('ran'), note('dropped'));
}

/** What was done in this time. */
function pass(durationMs: number): string[] {
  timers.advance(durationMs);
  return done.splice(0);
}

test('what is held back runs after its time, and not before', () => {
  add('a', 100);
  expect([pass(99), line.isEmpty]).toEqual([[], false]);
  expect([pass(1), line.isEmpty]).toEqual([['ran a'], true]);
  expect(timers.delays).toEqual([]);
});

test('nothing overtakes what is before it: it waits, and then runs at once', () => {
  add('long', 100);
  add('none', 0);
  add('longer', 150);
  expect(timers.delays).toEqual([100]);
  expect(pass(50)).toEqual([]);
  expect(pass(50)).toEqual(['ran long']);
  expect(pass(0)).toEqual(['ran none']);
  expect(pass(49)).toEqual([]);
  expect(pass(1)).toEqual(['ran longer']);
  expect(timers.delays).toEqual([]);
});

test('delays pass side by side: each counts from when it was added', () => {
  for (const name of ['a', 'b', 'c']) add(name, 100);
  timers.advance(100);
  timers.advance(0);
  expect(pass(0)).toEqual(['ran a', 'ran b', 'ran c']);
});

test('a cleared line drops all in order, stops its timer, and can be used again', () => {
  add('a', 100);
  add('b', 200);
  line.clear();
  expect(done.splice(0)).toEqual(['dropped a', 'dropped b']);
  expect([line.isEmpty, timers.delays]).toEqual([true, []]);
  line.clear();
  add('c', 10);
  expect(pass(10)).toEqual(['ran c']);
});

test('what runs can clear the line: what is behind it is dropped, and nothing runs twice', () => {
  add('a', 100, () => line.clear());
  add('b', 100);
  expect(pass(100)).toEqual(['ran a', 'dropped b']);
  expect([line.isEmpty, timers.delays]).toEqual([true, []]);
});

test.each([
  ['the empty line', () => {}],
  ['the line that it has cleared', () => line.clear()],
])('what runs can add to %s, which runs once', (_, before) => {
  add('a', 100, () => {
    before();
    add('b', 10);
    add('c', 10);
  });
  expect(pass(100)).toEqual(['ran a']);
  expect(timers.delays).toEqual([10]);
  timers.advance(10);
  expect(pass(0)).toEqual(['ran b', 'ran c']);
  expect([line.isEmpty, timers.delays]).toEqual([true, []]);
});
