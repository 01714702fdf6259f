// Rings once after a while of the transport clock, which is real time unless a test has its own.

/** Calls `ring` when `delayMs` have passed, unless what it gives back is called before. */
export type After = (delayMs: number, ring: () => void) => () => void;

/** Timers of Node take no longer delay; the longest there is comes to 24 days. */
export const MAX_DELAY_MS = 2 ** 31 - 1;

export const afterRealTime: After = (delayMs, ring) => {
  // Waiting for it alone keeps no process alive.
  const timer = setTimeout(ring, delayMs).unref();
  return () => clearTimeout(timer);
};
