// The list beside the lanes changes seldom, except for what somebody has just asked for.

import { expect, test } from 'vitest';
import { VirtualTimers } from '../../../../test/support/virtual-timers.js';
import { ListPace } from './timeline-list-pace.js';

type Scene = { readonly name: string; readonly isFollowing: boolean };

class Page {
  readonly shown: string[] = [];
  readonly #timers = new VirtualTimers();
  readonly pace = new ListPace<Scene>(({ name }) => this.shown.push(name), {
    now: () => this.#timers.nowMs,
    startTimer: this.#timers.startTimer,
  });

  note(name: string, isFollowing = false): void {
    this.pace.note({ name, isFollowing });
  }

  pass(ms: number): void {
    this.#timers.advance(ms);
  }
}

test('of many scenes the list has the newest now and then, and always the last', () => {
  const page = new Page();
  for (let index = 0; index < 9; index++) {
    page.note(`${index}`);
    page.pass(100);
  }
  page.pass(400);
  expect(page.shown).toEqual(['0', '4', '8']);
});

test('what is followed is listed at once, and what waited before it is not shown afterwards', () => {
  const page = new Page();
  page.note('all');
  page.pass(0);
  page.note('all, later');
  page.pass(100);
  page.note('followed', true);
  page.pass(0);
  page.pass(1000);
  expect(page.shown).toEqual(['all', 'followed']);
});
