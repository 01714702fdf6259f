// Points in time and spans as the broker uses them: plain numbers handed in from outside, never read from a clock.

/** Milliseconds since 1970-01-01T00:00:00Z on the broker's clock. */
export type Instant = number;

/** An instant that never comes, and a span that never ends. */
export const NEVER: Instant = Number.POSITIVE_INFINITY;
