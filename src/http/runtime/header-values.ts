// Reads and writes values in HTTP headers: texts, dates, and the values of message properties, in which texts and dates are quoted.

import { LAST_INSTANT } from '../../broker/contract/instant.js';
import type { PartValue, SentParts } from '../../content/message-parts.js';
import { dashed } from '../../content/read-message.js';

type SentValue = SentParts['applicationProperties'][number]['value'];

const INTEGER = /^(?:0|-?[1-9]\d*)$/;
const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** How JavaScript and .NET write numbers that have no digits. */
const NON_FINITE: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
};
const LONG_BITS = 64;

const NOT_ASCII = /[^\0-\x7f]/;
const NOT_LATIN1 = /[^\0-\xff]/;
/** Characters that no header may hold; a tab is allowed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const CONTROLS = /[\0-\x08\x0a-\x1f\x7f]/g;
const NOT_PLAIN = /[^\x20-\x7e]/g;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 1123). azure-sb writes the zone of its machine. */
const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [1-9]\d{3} \d{2}:\d{2}:\d{2} (?:GMT|UTC|(?:GMT|UTC)?[+-]\d{4})$/;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/i;
/** JavaScript misreads earlier years. */
const EARLIEST_DATE = Date.UTC(1000, 0);

/** Reads quoted text and dates, and bare booleans and numbers. Any other value is text, such as `High` or `007`. */
export function readPropertyValue(header: string): SentValue {
  if (header.length >= 2 && header.startsWith('"') && header.endsWith('"')) {
    const text = readHeaderText(header.slice(1, -1));
    const ms = parseHttpDate(text);
    return ms === undefined ? text : { kind: 'timestamp', ms };
  }
  if (header === 'true' || header === 'false') return header === 'true';
  return readNumber(header) ?? readHeaderText(header);
}

/** A whole number of up to 64 bits is an integer. A longer one, or one with a point or an exponent, is a double. */
function readNumber(text: string): bigint | number | undefined {
  if (INTEGER.test(text)) {
    const integer = text.length > 20 ? undefined : BigInt(text);
    if (integer !== undefined && BigInt.asIntN(LONG_BITS, integer) === integer) return integer;
  }
  if (DECIMAL.test(text)) return Number(text);
  return Object.hasOwn(NON_FINITE, text) ? NON_FINITE[text] : undefined;
}

/** Writes a property value; undefined for null and for values that no header can represent. A uuid becomes text, binary becomes Base64. */
export function writePropertyValue(value: PartValue): string | undefined {
  switch (typeof value) {
    case 'undefined':
      return undefined;
    case 'string':
      return quoted(value);
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'number':
      return writeDouble(value);
    default:
      return value === null ? undefined : writeObject(value);
  }
}

function writeObject(value: Extract<PartValue, { readonly kind: string }>): string | undefined {
  switch (value.kind) {
    case 'uuid':
      return quoted(dashed(value.hex));
    case 'binary':
      return quoted(Buffer.from(value.bytes).toString('base64'));
    case 'timestamp': {
      const date = formatHttpDate(value.ms);
      return date === undefined ? undefined : quoted(date);
    }
    default:
      return value satisfies never;
  }
}

/** Writes a double with a point or an exponent, so that it is read as a double again. */
function writeDouble(value: number): string {
  const text = Object.is(value, -0) ? '-0' : String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

function quoted(text: string): string {
  return `"${writeHeaderText(text)}"`;
}

/** Reads a JSON value of a batch; undefined for types that no property has. */
export function readJsonValue(value: unknown): SentValue | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value !== 'number') return undefined;
  return Number.isSafeInteger(value) && !Object.is(value, -0) ? BigInt(value) : value;
}

/** Text from a header, in which each character stands for one byte: UTF-8 if that is valid (curl), else Latin-1 (Node, .NET, Python). */
export function readHeaderText(value: string): string {
  if (!NOT_ASCII.test(value) || NOT_LATIN1.test(value)) return value;
  try {
    return UTF8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

/** Text for a header: Latin-1 if possible, because most clients read that, else UTF-8. Control characters become spaces. */
export function writeHeaderText(text: string): string {
  const line = text.replace(CONTROLS, ' ');
  return NOT_LATIN1.test(line) ? Buffer.from(line).toString('latin1') : line;
}

/** JSON on one line in ASCII, which every client reads. */
export function writeHeaderJson(value: unknown): string {
  return JSON.stringify(value).replace(
    NOT_PLAIN,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Milliseconds since 1970 of an HTTP date, or undefined. */
export function parseHttpDate(text: string): number | undefined {
  return HTTP_DATE.test(text) ? parseDate(text) : undefined;
}

/** Milliseconds since 1970 of an ISO 8601 date, in UTC without a zone; or undefined. */
export function parseIsoDate(text: string): number | undefined {
  const match = ISO_DATE.exec(text);
  if (match === null) return undefined;
  const hasTime = text.length > 'yyyy-mm-dd'.length;
  return parseDate(hasTime && match[1] === undefined ? `${text}Z` : text);
}

/** An HTTP date, to the second; undefined for a date that cannot be written so that it reads back the same. */
export function formatHttpDate(ms: number): string | undefined {
  return ms >= EARLIEST_DATE && ms <= LAST_INSTANT ? new Date(ms).toUTCString() : undefined;
}

function parseDate(text: string): number | undefined {
  const ms = Date.parse(text);
  return ms <= LAST_INSTANT ? ms : undefined; // NaN is no date
}
