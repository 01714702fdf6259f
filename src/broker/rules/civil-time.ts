// Timestamps as text and back, by arithmetic alone: `2026-11-21T10:14:04.250Z`.

const DAY_MS = 86_400_000;
const ERA_YEARS = 400;
const ERA_DAYS = 146_097;
/** From 0000-03-01 to 1970-01-01. Years are counted from March, so that the leap day comes last. */
const DAYS_BEFORE_1970 = 719_468;
const MONTHS = 12;

const TIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?(?:Z|([+-])(\d\d):(\d\d))?$/i;

export function formatTime(ms: number): string {
  const days = Math.floor(ms / DAY_MS);
  const { year, month, day } = civilDateOf(days);
  const [hours, minutes, seconds] = clockOf(Math.floor((ms - days * DAY_MS) / 1000));
  const rest = digits(ms - Math.floor(ms / 1000) * 1000, 3);
  return `${digits(year, 4)}-${digits(month)}-${digits(day)}T${hours}:${minutes}:${seconds}.${rest}Z`;
}

/** Undefined when it is no time of the calendar. Without a zone it is UTC. */
export function parseTime(text: string): number | undefined {
  const match = TIME.exec(text.trim());
  if (match === null) return undefined;
  const [year, month, day, hours, minutes, seconds] = match.slice(1, 7).map((part) => Number(part ?? 0));
  const [, , , , , , , fraction = '', sign, zoneHours, zoneMinutes] = match;
  const days = daysOf(year ?? 0, month ?? 0, day ?? 0);
  const back = civilDateOf(days);
  if (back.month !== month || back.day !== day) return undefined;
  if (hours === undefined || minutes === undefined || seconds === undefined) return undefined;
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
  const zone = (Number(zoneHours ?? 0) * 60 + Number(zoneMinutes ?? 0)) * (sign === '-' ? -1 : 1);
  const time = ((hours * 60 + minutes - zone) * 60 + seconds) * 1000;
  return days * DAY_MS + time + Number(fraction.padEnd(3, '0').slice(0, 3));
}

function clockOf(seconds: number): [string, string, string] {
  const minutes = Math.floor(seconds / 60);
  return [digits(Math.floor(minutes / 60)), digits(minutes % 60), digits(seconds % 60)];
}

function digits(value: number, count = 2): string {
  return value < 0 ? `-${digits(-value, count)}` : String(value).padStart(count, '0');
}

function civilDateOf(days: number): { year: number; month: number; day: number } {
  const shifted = days + DAYS_BEFORE_1970;
  const era = Math.floor(shifted / ERA_DAYS);
  const dayOfEra = shifted - era * ERA_DAYS;
  const leapDays =
    Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const daysOfYears = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100);
  const dayOfYear = dayOfEra - daysOfYears;
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = ((monthFromMarch + 2) % MONTHS) + 1;
  const day = dayOfYear - daysBeforeMonth(monthFromMarch) + 1;
  return { year: era * ERA_YEARS + yearOfEra + (month <= 2 ? 1 : 0), month, day };
}

function daysOf(year: number, month: number, day: number): number {
  const yearFromMarch = month <= 2 ? year - 1 : year;
  const era = Math.floor(yearFromMarch / ERA_YEARS);
  const yearOfEra = yearFromMarch - era * ERA_YEARS;
  const dayOfYear = daysBeforeMonth((month + 9) % MONTHS) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * ERA_DAYS + dayOfEra - DAYS_BEFORE_1970;
}

/** In a year that starts in March, whose month 0 is March: lengths repeat every five months. */
function daysBeforeMonth(monthFromMarch: number): number {
  return Math.floor((153 * monthFromMarch + 2) / 5);
}
