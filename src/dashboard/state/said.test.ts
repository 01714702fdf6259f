import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { dismiss, said, say, undo } from './said.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  dismiss();
  vi.useRealTimers();
});

describe('what the page says', () => {
  it('is undone once, however often the key is pressed before the answer', async () => {
    let undoneCount = 0;
    say('Deleted 1 message.', async () => {
      undoneCount += 1;
      await Promise.resolve();
      say('Sent 1 again.');
    });
    await Promise.all([undo(), undo(), undo()]);
    expect([undoneCount, said.value?.text, said.value?.undo]).toEqual([1, 'Sent 1 again.', undefined]);
  });

  it('says why an undo has failed, and offers it until it works', async () => {
    let isDisabled = true;
    say('Deleted 1 message.', async () => {
      if (isDisabled) throw new Error('orders is disabled for sends.');
      say('Sent 1 again.');
    });
    await undo();
    expect(said.value).toMatchObject({
      text: 'The undo failed: orders is disabled for sends.',
      isError: true,
    });
    vi.advanceTimersByTime(60_000);
    isDisabled = false;
    await undo();
    expect(said.value).toEqual({ text: 'Sent 1 again.', isError: false, undo: undefined });
  });
});
