// One-shot timers of the transport clock, which is real time unless a test replaces it.

/** Starts a timer that calls `ring` after `delayMs`; the returned function cancels it. */
export type StartTimer = (delayMs: number, ring: () => void) => () => void;

/** The longest delay of a Node timer: 24 days. */
export const MAX_DELAY_MS = 2 ** 31 - 1;

export const startRealTimer: StartTimer = (delayMs, ring) => {
  // A timer alone does not keep the process alive.
  const timer = setTimeout(ring, delayMs).unref();
  return () => clearTimeout(timer);
};
