// The list beside the lanes changes seldom, except for what somebody has just asked for.

import { expect, test } from 'vitest';
import { ListPace } from '../../src/dashboard/state/timeline-list-pace.js';

type Scene = { readonly name: string; readonly isFollowing: boolean };

class Page {
  readonly shown: string[] = [];
  readonly pace: ListPace<Scene>;
  #now = 0;
  #timers: { readonly at: number; readonly act: () => void }[] = [];

  constructor() {
    const startTimer = (act: () => void, ms: number) => void this.#timers.push({ at: this.#now + ms, act });
    this.pace = new ListPace<Scene>(({ name }) => this.shown.push(name), {
      now: () => this.#now,
      startTimer,
    });
  }

  note(name: string, isFollowing = false): void {
    this.pace.note({ name, isFollowing });
  }

  pass(ms: number): void {
    this.#now += ms;
    const due = this.#timers.filter(({ at }) => at <= this.#now).sort((a, b) => a.at - b.at);
    this.#timers = this.#timers.filter(({ at }) => at > this.#now);
    for (const { act } of due) act();
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
