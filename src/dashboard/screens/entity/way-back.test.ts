// The undo of a deletion that fails: the messages stay kept, and another try sends each of them once.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Kept, WayBack } from './way-back.js';

type DeadLetters = { readonly sequenceNumbers: readonly number[]; readonly reason?: string };

/** A queue behind the interface: it takes messages and makes dead letters, unless it is disabled or a call is lost. */
class Queue {
  readonly active = new Map<number, string>();
  readonly dead: string[] = [];
  isDisabled = false;
  /** The calls that are lost on the way, by their count. */
  lost: readonly number[] = [];
  #lastNumber = 0;
  #callCount = 0;

  answer(address: string, body: unknown): Response {
    this.#callCount += 1;
    if (this.lost.includes(this.#callCount)) throw new TypeError('fetch failed');
    if (address === '/$jitney/v1/messages:dead-letter?entity=orders')
      return this.#deadLetter(body as DeadLetters);
    expect(address).toBe('/$jitney/v1/messages?entity=orders');
    const error = { code: 'entity-disabled', message: 'orders is disabled for sends.' };
    return this.isDisabled
      ? Response.json({ error }, { status: 403 })
      : this.#take(body as readonly { readonly messageId: string }[]);
  }

  #take(messages: readonly { readonly messageId: string }[]): Response {
    const sequenceNumbers = messages.map(({ messageId }) => {
      this.active.set(++this.#lastNumber, messageId);
      return this.#lastNumber;
    });
    return Response.json({ sequenceNumbers });
  }

  #deadLetter({ sequenceNumbers, reason }: DeadLetters): Response {
    const skipped = [];
    for (const number of sequenceNumbers) {
      const messageId = this.active.get(number);
      if (messageId === undefined) skipped.push({ message: `orders has no message ${number}.` });
      else this.dead.push(`${messageId} for ${reason}`);
      this.active.delete(number);
    }
    return Response.json({ skipped });
  }
}

let queue: Queue;
beforeEach(() => {
  queue = new Queue();
  vi.stubGlobal('sessionStorage', { getItem: () => null });
  vi.stubGlobal('fetch', async (address: string, { body }: { readonly body: string }) =>
    queue.answer(address, JSON.parse(body)),
  );
});
afterEach(() => {
  vi.unstubAllGlobals();
});

function kept(messageId: string, reason?: string, body = 'x'): Kept {
  return { message: { messageId, body }, lost: [], sequenceNumber: 7, reason, description: undefined };
}

it('goes on when the entity takes messages again', async () => {
  const wayBack = new WayBack({ path: 'orders', tab: 'active' }, [kept('a'), kept('b')]);
  queue.isDisabled = true;
  for (let count = 0; count < 2; count++) {
    await expect(wayBack.go()).rejects.toThrow('orders is disabled for sends.');
  }
  queue.isDisabled = false;
  expect(await wayBack.go()).toBe('Sent 2 again to orders, with new numbers.');
  expect([...queue.active.values()]).toEqual(['a', 'b']);
});

it('sends no part twice', async () => {
  const body = 'x'.repeat(200_000);
  const all = ['a', 'b', 'c'].map((messageId) => kept(messageId, undefined, body));
  const wayBack = new WayBack({ path: 'orders', tab: 'active' }, all);
  queue.lost = [2];
  await expect(wayBack.go()).rejects.toThrow('Jitney does not answer.');
  expect([...queue.active.values()]).toEqual(['a', 'b']);
  expect(await wayBack.go()).toBe('Sent 3 again to orders, with new numbers.');
  expect([...queue.active.values()]).toEqual(['a', 'b', 'c']);
});

it('makes dead letters of what was sent before it failed', async () => {
  const wayBack = new WayBack({ path: 'orders', tab: 'dead' }, [kept('a', 'age'), kept('b', 'size')]);
  queue.lost = [3];
  await expect(wayBack.go()).rejects.toThrow('Jitney does not answer.');
  expect([[...queue.active.values()], queue.dead]).toEqual([['b'], ['a for age']]);
  expect(await wayBack.go()).toBe('Sent 2 again to orders, with new numbers.');
  expect([queue.active.size, queue.dead]).toEqual([0, ['a for age', 'b for size']]);
});

it('says why a message is no dead letter again', async () => {
  const wayBack = new WayBack({ path: 'orders', tab: 'dead' }, [kept('a', 'age')]);
  queue.lost = [2];
  await expect(wayBack.go()).rejects.toThrow('Jitney does not answer.');
  queue.active.clear();
  expect(await wayBack.go()).toBe(
    'Sent 1 again to orders, with new numbers. Not dead-lettered: orders has no message 1.',
  );
});
