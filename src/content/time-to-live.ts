// How long the sender lets a message live: a header field of 32 bits, and for longer spans the difference of two times.

/** What SDKs write into header.ttl for anything longer (TTL-01). */
const GREATEST_UINT = 0xffff_ffff;
/** Expiring then or later is how SDKs say never: their greatest times lie in that year. */
const YEAR_9999 = Date.UTC(9999, 0);

export type SentTimes = {
  /** `header.ttl` in milliseconds. */
  readonly ttlMs: number | undefined;
  readonly creationTime: number | undefined;
  readonly absoluteExpiryTime: number | undefined;
};

/** In milliseconds; undefined when there is no limit, negative when the expiry is before the creation (TTL-01). */
export function timeToLiveOf({ ttlMs, creationTime, absoluteExpiryTime }: SentTimes): number | undefined {
  // The times alone are the sender's business, by the sender's clock.
  if (ttlMs === undefined) return undefined;
  if (creationTime === undefined || absoluteExpiryTime === undefined) return ownSpan(ttlMs);
  const spanMs = absoluteExpiryTime - creationTime;
  // .NET casts a longer span to a uint of any size.
  if (spanMs <= GREATEST_UINT && ttlMs === 0) return undefined;
  if (spanMs < 0) return spanMs;
  const isCapped = ttlMs === GREATEST_UINT;
  if (isCapped && absoluteExpiryTime >= YEAR_9999) return undefined;
  return isCapped || spanMs > GREATEST_UINT ? spanMs : ttlMs;
}

/** Proton and the Java SDK write 0 for none, as when a received message is sent once more (TTL-13). */
function ownSpan(ttlMs: number): number | undefined {
  return ttlMs === 0 ? undefined : ttlMs;
}
