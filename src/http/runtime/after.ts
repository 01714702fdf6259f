// Rings once after a while: real time, unless a test has its own.

/** Calls `ring` when `delayMs` have passed, unless what it gives back is called before. */
export type After = (delayMs: number, ring: () => void) => () => void;

export const afterRealTime: After = (delayMs, ring) => {
  // Waiting for it alone keeps no process alive.
  const timer = setTimeout(ring, delayMs).unref();
  return () => clearTimeout(timer);
};
