// `kill` of an `npm start`: npm hands the signal to its shell, which dies of it without handing it on. So look whether it is gone.

import { setInterval } from 'node:timers/promises';

const LOOK_MS = 300;

/** Resolves when the process that started this one has ended; never, when that was not npm. Keeps no process alive. */
export async function whenOrphaned(
  environment: Readonly<Record<string, string | undefined>>,
  parentId: () => number,
): Promise<string> {
  if (environment.npm_lifecycle_event === undefined) return new Promise(() => {});
  const first = parentId();
  for await (const _ of setInterval(LOOK_MS, undefined, { ref: false })) {
    if (parentId() !== first) return 'npm, which started it, has ended';
  }
  return new Promise(() => {});
}
