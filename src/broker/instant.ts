// Instants and durations are plain numbers that the caller passes in; the broker never reads a clock.

/** Milliseconds since 1970-01-01T00:00:00Z on the broker's clock. */
export type Instant = number;

/** An infinite instant or duration. */
export const NEVER: Instant = Number.POSITIVE_INFINITY;
