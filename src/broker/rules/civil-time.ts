// Formats and parses timestamps such as `2026-11-21T10:14:04.250Z`.

/** The calendar repeats after this many years. */
const ERA_YEARS = 400;
const ERA_MS = 146_097 * 86_400_000;
const MINUTE_MS = 60_000;

const TIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?(?:Z|([+-])(\d\d):(\d\d))?$/i;

/** Any whole number of milliseconds: a `Date` ends in the year 275760, so the time is moved into the years after 1970 and back. */
export function formatTime(ms: number): string {
  const eras = Math.floor(ms / ERA_MS);
  const date = new Date(ms - eras * ERA_MS);
  const year = date.getUTCFullYear() + eras * ERA_YEARS;
  const digits = String(Math.abs(year)).padStart(4, '0');
  return `${year < 0 ? '-' : ''}${digits}${date.toISOString().slice(4)}`;
}

/** Returns undefined for a date or time that does not exist. A text without a zone is in UTC. */
export function parseTime(text: string): number | undefined {
  const match = TIME.exec(text.trim());
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const [, , , , , , , fraction = '', sign, zoneHours = 0, zoneMinutes = 0] = match;
  // `Date.UTC` takes the years 0 to 99 for those after 1900.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
  const zone = (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === '-' ? -1 : 1);
  return (
    date.setUTCHours(hours, minutes, seconds, Number(fraction.padEnd(3, '0').slice(0, 3))) - zone * MINUTE_MS
  );
}
