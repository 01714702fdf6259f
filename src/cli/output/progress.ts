// Lines about the progress of long work: one a second on a terminal, else one every ten seconds.

import type { Write } from './output.js';

const TERMINAL_MS = 1000;
const FILE_MS = 10_000;

/** Returns a function that writes the text on standard error, if it is time for a line. */
export function progressLines({
  stderr,
  now,
  isTerminal,
}: {
  readonly stderr: Write;
  readonly now: () => number;
  readonly isTerminal: boolean;
}): (text: () => string) => void {
  const everyMs = isTerminal ? TERMINAL_MS : FILE_MS;
  let last = now();
  return (text) => {
    if (now() - last < everyMs) return;
    last = now();
    stderr(`${text()}\n`);
  };
}
