// Waits in real time for something another process will make true.

import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 10;

export async function until(what: string, isTrue: () => boolean, withinMs = 10_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!isTrue()) {
    if (Date.now() > deadline) {
      throw new Error(`${what}: not within ${withinMs} ms`);
    }
    await delay(POLL_MS);
  }
}
