// Which messages of another service a copy takes while others send and receive.

import rhea from 'rhea';
import { expect, test } from 'vitest';
import { presentMessages } from '../../../src/cli/copy/present-messages.js';
import type { MessageBrowser } from '../../../src/client/message-browser.js';
import { sequenceNumberOf } from '../../../src/content/shown-message.js';

const PARTITION = 2 ** 48;

function content(number: number): Buffer {
  const annotations = { 'x-opt-sequence-number': rhea.types.wrap_long(number) };
  return rhea.message.encode({ message_annotations: annotations, body: '' });
}

/** The numbers that are yielded from a store, to which a message comes for each one that is taken. */
async function takenFrom(store: number[], after = 0) {
  let peekCount = 0;
  const browser: Pick<MessageBrowser, 'peek'> = {
    async *peek({ from, max }) {
      peekCount += 1;
      let left = max;
      for (const number of store) if (number >= from && left-- > 0) yield content(number);
    },
  };
  const taken: number[] = [];
  for await (const one of presentMessages({ openBrowser: async () => browser }, '', BigInt(after))) {
    taken.push(Number(sequenceNumberOf(one)));
    if (taken.length > 100) break;
    store.push((store.at(-1) ?? 0) + 1);
  }
  return { taken, peekCount };
}

test.each([
  { store: [], after: 0, expected: [] },
  { store: [1], after: 0, expected: [1] },
  { store: [3, 4, 900, 5000], after: 3, expected: [4, 900, 5000] },
  {
    store: [1, PARTITION + 7, PARTITION + 9],
    after: 0,
    expected: [1, PARTITION + 7, PARTITION + 9, PARTITION + 10],
  },
])('a copy of $store after $after ends, though a message comes for each that it takes', async (given) => {
  const { taken } = await takenFrom([...given.store], given.after);
  expect(taken).toEqual(given.expected);
});

test('the last of a million messages is found with few requests', async () => {
  const store = [1, 1_000_000];
  expect((await takenFrom(store)).peekCount).toBeLessThan(60);
});
