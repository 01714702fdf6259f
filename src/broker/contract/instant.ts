// Instants and durations are plain numbers that the caller passes in; the broker never reads a clock.

/** Milliseconds since 1970-01-01T00:00:00Z on the broker's clock. */
export type Instant = number;

/** An infinite instant or duration. */
export const NEVER: Instant = Number.POSITIVE_INFINITY;

/** The last time of the service: 9999-12-31T23:59:59.999Z. */
export const LAST_INSTANT: Instant = Date.UTC(10_000, 0) - 1;

/** The instants of a `Date` end here, before and after 1970: 275,760 years. A sender may write later ones. */
const LAST_DATE_MS = 8.64e15;

/** ISO 8601 in UTC; undefined for an instant that no `Date` holds, such as `NEVER`. */
export function isoTime(ms: Instant): string | undefined {
  return Math.abs(ms) <= LAST_DATE_MS ? new Date(ms).toISOString() : undefined;
}
