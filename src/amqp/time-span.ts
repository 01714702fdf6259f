// Formats durations as .NET does in Azure's error texts: `00:01:05`.

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Formats `[d.]hh:mm:ss[.fffffff]`: days and fraction only if not zero. */
export function formatTimeSpan(durationMs: number): string {
  const days = Math.floor(durationMs / DAY_MS);
  const hms = [
    (durationMs % DAY_MS) / HOUR_MS,
    (durationMs % HOUR_MS) / MINUTE_MS,
    (durationMs % MINUTE_MS) / SECOND_MS,
  ]
    .map((part) => String(Math.floor(part)).padStart(2, '0'))
    .join(':');
  const fraction = Math.floor(durationMs % SECOND_MS);
  return `${days > 0 ? `${days}.` : ''}${hms}${fraction > 0 ? `.${String(fraction).padStart(3, '0')}0000` : ''}`;
}
