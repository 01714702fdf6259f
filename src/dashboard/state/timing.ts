// The time and the timers of what the page does at a pace: real, unless a test has them in hand.

export type Timing = {
  now(): number;
  /** Returns what forgets the timer. */
  startTimer(delayMs: number, act: () => void): () => void;
};

export const REAL_TIMING: Timing = {
  now: () => performance.now(),
  startTimer: (delayMs, act) => {
    const timer = setTimeout(act, delayMs);
    return () => clearTimeout(timer);
  },
};
