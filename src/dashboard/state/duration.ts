// Durations as people write them: `30 s`, `5 min`, `1.5 h`, `2 d`, or ISO 8601 as `PT5M`.

const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  sec: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const SPOKEN = ['d', 'h', 'min', 's'] as const;
const ISO = /^p(?:(\d+)d)?(?:t(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?)?$/i;

/** `30 s`, `5 min`, `36 h`: in the largest unit that has no fraction, as `readDuration` reads it. */
export function spokenDuration(ms: number): string {
  const unit = SPOKEN.find((each) => ms !== 0 && ms % (UNITS_MS[each] ?? 1) === 0) ?? (ms === 0 ? 's' : 'ms');
  return `${ms / (UNITS_MS[unit] ?? 1)} ${unit}`;
}

/** Milliseconds; undefined for a text that is no duration. */
export function readDuration(text: string): number | undefined {
  const trimmed = text.trim().toLowerCase();
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/.exec(trimmed) ?? [];
  const unitMs = UNITS_MS[unit];
  if (digits !== undefined && unitMs !== undefined) return Number(digits) * unitMs;
  const parts = ISO.exec(trimmed);
  if (parts === null || parts.slice(1).every((part) => part === undefined)) return undefined;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  return ((days * 24 + hours) * 60 + minutes) * 60_000 + seconds * 1000;
}
