// Dates as HTTP writes them (RFC 1123): `Sun, 06 Nov 1994 08:49:37 GMT`.

/** azure-sb writes the zone that its machine is in. */
const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [1-9]\d{3} \d{2}:\d{2}:\d{2} (?:GMT|UTC|(?:GMT|UTC)?[+-]\d{4})$/;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/i;
/** JavaScript takes earlier years for others, and later ones have no place in the form. */
const LEAST = Date.UTC(1000, 0);
const GREATEST = Date.UTC(10_000, 0) - 1;

/** Milliseconds since 1970; undefined: it is no such date. */
export function parseHttpDate(text: string): number | undefined {
  return HTTP_DATE.test(text) ? parsed(text) : undefined;
}

/** The same of ISO 8601; without a zone it is UTC. */
export function parseIsoDate(text: string): number | undefined {
  const match = ISO_DATE.exec(text);
  if (match === null) return undefined;
  const hasTime = text.length > 'yyyy-mm-dd'.length;
  return parsed(hasTime && match[1] === undefined ? `${text}Z` : text);
}

/** To the second; undefined for what cannot be said so that it is read as the same. */
export function formatHttpDate(ms: number): string | undefined {
  return ms >= LEAST && ms <= GREATEST ? new Date(ms).toUTCString() : undefined;
}

function parsed(text: string): number | undefined {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
