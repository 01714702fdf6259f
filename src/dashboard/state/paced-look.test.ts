// A look that is asked for often: never two at a time, and never an old answer as the last.

import { expect, test } from 'vitest';
import { VirtualTimers } from '../../../test/support/virtual-timers.js';
import { PacedLook } from './paced-look.js';

const PAUSE_MS = 300;

/** What is looked at is a number; an answer is what it was when the look began. */
class Page {
  readonly #timers = new VirtualTimers();
  value = 0;
  readonly shown: number[] = [];
  readonly look = new PacedLook(
    async () => {
      const seen = this.value;
      this.underWay += 1;
      this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay);
      await new Promise<void>((resolve) => this.#answers.push(resolve));
      this.underWay -= 1;
      this.shown.push(seen);
    },
    () => PAUSE_MS,
    { now: () => this.#timers.nowMs, startTimer: this.#timers.startTimer },
  );
  underWay = 0;
  mostUnderWay = 0;
  readonly #answers: (() => void)[] = [];

  change(): void {
    this.value += 1;
    this.look.soon();
  }

  async pass(ms: number): Promise<void> {
    this.#timers.advance(ms);
    await turn();
  }

  /** Answers the look that has waited longest. */
  async answer(): Promise<void> {
    this.#answers.shift()?.();
    await turn();
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test('many changes make one look, and the next follows after the pause', async () => {
  const page = new Page();
  for (let count = 0; count < 5; count++) page.change();
  await page.pass(0);
  await page.answer();
  page.change();
  await page.pass(PAUSE_MS - 1);
  expect(page.underWay).toBe(0);
  await page.pass(1);
  await page.answer();
  expect(page.shown).toEqual([5, 6]);
});

test('what changes while an answer is awaited is looked at again', async () => {
  const page = new Page();
  page.change();
  await page.pass(0);
  page.change();
  await page.answer();
  expect(page.shown).toEqual([1]);
  await page.pass(PAUSE_MS);
  await page.answer();
  await page.pass(PAUSE_MS);
  expect(page.shown).toEqual([1, 2]);
  expect(page.underWay).toBe(0);
});

test('a look at once waits for the one under way, so that no older answer comes after it', async () => {
  const page = new Page();
  page.change();
  await page.pass(0);
  page.value = 7;
  const ends = [page.look.atOnce(), page.look.atOnce()];
  page.look.soon();
  await page.answer();
  await page.answer();
  await Promise.all(ends);
  await page.pass(PAUSE_MS);
  expect(page.shown).toEqual([1, 7]);
  expect(page.mostUnderWay).toBe(1);
});

test('a look at once takes the place of one that waits for the pause', async () => {
  const page = new Page();
  page.change();
  await page.pass(0);
  await page.answer();
  page.change();
  const end = page.look.atOnce();
  await page.answer();
  await end;
  await page.pass(PAUSE_MS);
  expect(page.shown).toEqual([1, 2]);
  expect(page.underWay).toBe(0);
});

test('a look that waits is forgotten at the end', async () => {
  const page = new Page();
  page.change();
  page.look.end();
  await page.pass(PAUSE_MS);
  expect(page.underWay).toBe(0);
});
