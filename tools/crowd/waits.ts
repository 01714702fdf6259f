// How long others have waited, as their users see it.

export type Waits = {
  readonly count: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** What they were told instead of an answer, each text once. */
  readonly failures: readonly string[];
};

/** A client that is not held up has another message after this time. */
const INTERVAL_MS = 10;

/**
 * `waitsMs` are those of each client, which sends a message when the last one is done. A long wait also holds up the messages that the
 * client would have sent meanwhile, so each of these counts too: otherwise a pause of ten seconds would be one wait among thousands.
 */
export function waitsOf(waitsMs: readonly (readonly number[])[], failures: readonly string[]): Waits {
  const all: number[] = [];
  for (const waitMs of waitsMs.flat()) {
    for (let restMs = waitMs; restMs > 0; restMs -= INTERVAL_MS) all.push(restMs);
  }
  all.sort((a, b) => a - b);
  const at = (part: number) => all[Math.floor((all.length - 1) * part)] ?? 0;
  return {
    count: waitsMs.flat().length,
    p99Ms: at(0.99),
    longestMs: at(1),
    failures: [...new Set(failures)],
  };
}

/** The longer waits of two stretches of time. */
export function worse(one: Waits, other: Waits): Waits {
  return {
    count: one.count + other.count,
    p99Ms: Math.max(one.p99Ms, other.p99Ms),
    longestMs: Math.max(one.longestMs, other.longestMs),
    failures: [...new Set([...one.failures, ...other.failures])],
  };
}
