// Random clients on one budget: those who read and those who do not, slow ones, halves of messages, and such that go.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteBudget, type ByteShare } from '../../src/budget/byte-budget.js';
import { settled } from '../support/engine-journal.js';
import { VirtualTimers } from '../support/virtual-timers.js';

const LIMIT = 1000;
/** Larger than the budget: a message of the allowed size always fits. */
const LARGEST = 1500;
const CHUNK = 40;
const STEP_MS = 250;
const MAX_STEPS = 2000;

type Habit = {
  /** Takes answers of this size, or sends messages of it piece by piece. */
  readonly kind: 'reads' | 'sends';
  readonly size: number;
  /** How many steps it takes for an answer to be read, or for a message to be durable. */
  readonly lag: number;
  readonly count: number;
  /** What it does in the middle of its second: stops for good, or goes. */
  readonly fault?: 'stops' | 'goes' | undefined;
};

class Client {
  readonly #budget: ByteBudget;
  readonly #habit: Habit;
  #share: ByteShare;
  #held = 0;
  #isTaken = false;
  #isWaiting = false;
  #age = 0;
  doneCount = 0;
  isOver = false;

  constructor(budget: ByteBudget, habit: Habit) {
    this.#budget = budget;
    this.#habit = habit;
    this.#share = this.#open();
  }

  get isGood(): boolean {
    return this.#habit.fault === undefined;
  }

  step(): void {
    const { kind, count, lag, size, fault } = this.#habit;
    if (this.isOver) return;
    if (fault !== undefined && this.doneCount === 1 && this.#held >= Math.min(CHUNK, size)) {
      if (fault === 'goes') this.close();
      return;
    }
    if (this.#isTaken) {
      this.#age += 1;
      if (this.#age < lag) return;
      this.#share.add(-this.#held);
      this.#begin();
      this.doneCount += 1;
      if (this.doneCount === count) this.close();
    } else if (!this.#isWaiting) {
      if (kind === 'reads') this.#take(size);
      else this.#receive(size);
    }
  }

  close(): void {
    this.isOver = true;
    this.#share.close();
  }

  #open(): ByteShare {
    const share = this.#budget.open(() => {
      share.close();
      this.#begin();
      // As SDKs do. An attacker is content.
      if (this.isGood) this.#share = this.#open();
      else this.isOver = true;
    });
    return share;
  }

  #begin(): void {
    this.#held = 0;
    this.#age = 0;
    this.#isTaken = false;
    this.#isWaiting = false;
  }

  #take(bytes: number): void {
    const taken = () => {
      this.#isWaiting = false;
      this.#held = bytes;
      this.#isTaken = true;
    };
    const share = this.#share;
    const taking = share.take(bytes);
    if (taking === undefined) taken();
    else this.#isWaiting = true;
    taking?.then(
      () => share === this.#share && taken(),
      () => {},
    );
  }

  #receive(size: number): void {
    const share = this.#share;
    if (share.bytes > 0 && !share.mayTake()) {
      this.#isWaiting = true;
      share.wait({
        goOn: () => {
          if (share === this.#share) this.#isWaiting = false;
        },
      });
      return;
    }
    const bytes = Math.min(CHUNK, size - this.#held);
    share.add(bytes);
    this.#held += bytes;
    this.#isTaken = this.#held === size;
  }
}

const HABIT: fc.Arbitrary<Habit> = fc.record({
  kind: fc.constantFrom('reads', 'sends'),
  size: fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: LARGEST })),
  lag: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 60 })),
  count: fc.integer({ min: 1, max: 5 }),
  fault: fc.constantFrom(undefined, undefined, 'stops', 'goes'),
});

test('never hold more than the budget, the message of one, and a read of each; and everybody who reads is served', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(HABIT, { minLength: 1, maxLength: 40 }), async (habits) => {
      const timers = new VirtualTimers();
      const budget = new ByteBudget({ limitBytes: LIMIT, startTimer: timers.startTimer });
      const clients = habits.map((habit) => new Client(budget, habit));
      const good = clients.filter(({ isGood }) => isGood);
      for (let step = 0; step < MAX_STEPS && good.some(({ isOver }) => !isOver); step++) {
        for (const client of clients) {
          client.step();
          expect(budget.sum).toBeLessThanOrEqual(LIMIT + LARGEST + CHUNK * habits.length);
        }
        timers.advance(STEP_MS);
        await settled();
      }
      expect(good.map(({ isOver }) => isOver)).not.toContain(false);
      for (const client of clients) if (!client.isOver) client.close();
      expect(budget.sum).toBe(0);
    }),
    { numRuns: 50 },
  );
});
