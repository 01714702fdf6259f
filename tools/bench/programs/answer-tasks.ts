// What the client programs have in common: they are asked for one measurement at a time and answer how long it took.

import type { Task } from '../scenarios.js';

export type Answer = { readonly elapsedMs: number } | { readonly error: string };

/** `prepare` is not measured; what it returns is. */
export function answerTasks(prepare: (task: Task) => Promise<() => Promise<unknown>>): void {
  const perform = async (task: Task): Promise<Answer> => {
    try {
      const run = await prepare(task);
      const startedAt = performance.now();
      await run();
      return { elapsedMs: performance.now() - startedAt };
    } catch (error) {
      return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
  };
  process.on('message', async (task: Task) => process.send?.(await perform(task)));
  // The process that started this one is gone.
  process.on('disconnect', () => process.exit());
}
