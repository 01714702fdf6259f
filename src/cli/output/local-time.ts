// Times in the zone of this machine, for people.

/** Formats a time in ISO 8601 as `2026-05-01 14:00:00.000`, in the zone of this machine. */
export function localTime(iso: string): string {
  const utc = new Date(iso);
  const local = new Date(utc.getTime() - utc.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, -1).replace('T', ' ');
}
