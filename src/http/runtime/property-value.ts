// The value of a message's property as a header says it: text and dates in quotes, numbers and booleans bare.

import type { PartValue, SentParts } from '../../content/message-parts.js';
import { dashed } from '../../content/received-parts.js';
import { readHeaderText, writeHeaderText } from './header-text.js';
import { formatHttpDate, parseHttpDate } from './http-date.js';

export type SentValue = SentParts['applicationProperties'][number]['value'];

const INTEGER = /^(?:0|-?[1-9]\d*)$/;
const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** What JavaScript and .NET write for numbers that have no digits. */
const NOT_DIGITS: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
};
const LONG_BITS = 64;

/** What is none of the others is text as it stands, such as `High` or `007`. */
export function readPropertyValue(header: string): SentValue {
  if (header.length >= 2 && header.startsWith('"') && header.endsWith('"')) {
    const text = readHeaderText(header.slice(1, -1));
    const ms = parseHttpDate(text);
    return ms === undefined ? text : { kind: 'timestamp', ms };
  }
  if (header === 'true' || header === 'false') return header === 'true';
  return readNumber(header) ?? readHeaderText(header);
}

/** A whole number is an integer; one that is too long for 64 bits, or has a point or an exponent, a double. */
function readNumber(text: string): bigint | number | undefined {
  if (INTEGER.test(text)) {
    const integer = text.length > 20 ? undefined : BigInt(text);
    if (integer !== undefined && BigInt.asIntN(LONG_BITS, integer) === integer) return integer;
  }
  if (DECIMAL.test(text)) return Number(text);
  return Object.hasOwn(NOT_DIGITS, text) ? NOT_DIGITS[text] : undefined;
}

/** Undefined: a header cannot say it. A null is left out, a uuid or binary (as Base64) is text. */
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

/** With a point or an exponent, so that it is read as what it is. */
function writeDouble(value: number): string {
  const text = Object.is(value, -0) ? '-0' : String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

function quoted(text: string): string {
  return `"${writeHeaderText(text)}"`;
}

/** Of JSON in a batch, where values have types of their own; undefined: it has none that a property may have. */
export function readJsonValue(value: unknown): SentValue | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value !== 'number') return undefined;
  return Number.isSafeInteger(value) && !Object.is(value, -0) ? BigInt(value) : value;
}
