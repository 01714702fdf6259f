// Something that is asked for often: never two requests at a time, and never an old answer as the last.

import { expect, test } from 'vitest';
import { VirtualTimers } from '../../../test/support/virtual-timers.js';
import { Polling } from './polling.js';

const EVERY_MS = 300;

/** What is asked for is a number; an answer is what it was when the request came. */
class Source {
  readonly #timers = new VirtualTimers();
  value = 0;
  isOn = true;
  requestCount = 0;
  aborted: AbortSignal | undefined;
  readonly #requests: { readonly answer: () => void; readonly fail: (error: Error) => void }[] = [];
  readonly polling = new Polling<number>(
    (signal) => {
      const seen = this.value;
      this.aborted = signal;
      this.requestCount += 1;
      return new Promise((resolve, reject) => {
        this.#requests.push({ answer: () => resolve(seen), fail: reject });
      });
    },
    { every: () => EVERY_MS, isOn: () => this.isOn },
    { now: () => this.#timers.nowMs, startTimer: this.#timers.startTimer },
  );

  get state() {
    return this.polling.state.value;
  }
  get underWay(): number {
    return this.#requests.length;
  }
  async pass(ms: number): Promise<void> {
    this.#timers.advance(ms);
    await settled();
  }
  async answer(): Promise<void> {
    this.#requests.shift()?.answer();
    await settled();
  }
  async fail(text: string): Promise<void> {
    this.#requests.shift()?.fail(new Error(text));
    await settled();
  }
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test('it asks at once, and again a pause after each answer', async () => {
  const source = new Source();
  source.polling.refresh();
  await source.pass(5 * EVERY_MS);
  expect([source.requestCount, source.state.value]).toEqual([1, undefined]);
  await source.answer();
  source.value = 1;
  await source.pass(EVERY_MS - 1);
  expect([source.requestCount, source.state.value]).toEqual([1, 0]);
  await source.pass(1);
  await source.answer();
  expect([source.requestCount, source.state.value]).toEqual([2, 1]);
});

test('an error leaves the last value, which is stale until the next answer', async () => {
  const source = new Source();
  source.polling.refresh();
  await source.answer();
  await source.pass(EVERY_MS);
  await source.fail('busy');
  expect(source.state).toMatchObject({ value: 0, error: { message: 'busy' }, isStale: true });
  await source.pass(EVERY_MS);
  await source.answer();
  expect(source.state).toEqual({ value: 0, error: undefined, isStale: false });
});

test('a refresh waits for the request under way, so that no older answer comes after it', async () => {
  const source = new Source();
  source.polling.refresh();
  source.value = 7;
  const ends = [source.polling.refresh(), source.polling.refresh()];
  expect(source.underWay).toBe(1);
  await source.answer();
  await source.answer();
  await Promise.all(ends);
  expect([source.requestCount, source.state.value]).toEqual([2, 7]);
});

test('nothing is asked while it is off, and it goes on by itself', async () => {
  const source = new Source();
  source.polling.refresh();
  await source.answer();
  source.isOn = false;
  await source.pass(EVERY_MS);
  await source.pass(EVERY_MS);
  expect(source.requestCount).toBe(1);
  source.isOn = true;
  await source.pass(EVERY_MS);
  expect(source.requestCount).toBe(2);
});

test('at its end the request under way is aborted, and its answer changes nothing', async () => {
  const source = new Source();
  source.polling.refresh();
  source.polling.end();
  expect(source.aborted?.aborted).toBe(true);
  await source.answer();
  await source.pass(EVERY_MS);
  expect([source.requestCount, source.state.value]).toEqual([1, undefined]);
});
