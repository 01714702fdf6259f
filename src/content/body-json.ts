// The body of a message as JSON: bytes and texts as what they most probably are, other values with their AMQP types.

import { asBuffer } from '../codec/types.js';
import type { DecodedBody } from './decode-message.js';
import { isWithinJsonBounds } from './json-bounds.js';
import type { TypedValue } from './typed-value.js';

/** Control characters other than tab and line ends: a text has none. */
const CONTROLS = /[^\P{Cc}\t\r\n]/u;
/** A number that JSON.parse may round. */
const LONG_NUMBER = /\d{16}/;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

type Guess =
  /** A JSON object or array, unless parsing might round one of its numbers, or it is too deep to be written as a part of another. */
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'base64'; readonly base64: string };

/** A body for JSON. `section` is the kind of its sections. */
export type JsonBody = Pick<DecodedBody, 'section' | 'sizeBytes'> &
  (
    | Guess
    | { readonly kind: 'empty' }
    | { readonly kind: 'value'; readonly value: TypedValue }
    | { readonly kind: 'sequence'; readonly value: readonly TypedValue[] }
  );

export function bodyAsJson(body: DecodedBody): JsonBody {
  const { section, sizeBytes } = body;
  if (body.kind === 'bytes') return { section, sizeBytes, ...guessBytes(body.bytes) };
  return body.kind === 'text' ? { section, sizeBytes, ...guessText(body.text) } : body;
}

/** The text of bytes in UTF-8 without control characters; undefined for other bytes. */
export function textOfBytes(bytes: Uint8Array): string | undefined {
  try {
    const text = UTF8.decode(bytes);
    return CONTROLS.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

function guessBytes(bytes: Uint8Array): Guess {
  const text = textOfBytes(bytes);
  return text === undefined
    ? { kind: 'base64', base64: asBuffer(bytes).toString('base64') }
    : guessText(text);
}

function guessText(text: string): Guess {
  if (
    /^\s*[[{]/.test(text) &&
    !LONG_NUMBER.test(text) &&
    isWithinJsonBounds(text, Number.POSITIVE_INFINITY)
  ) {
    try {
      return { kind: 'json', value: JSON.parse(text) };
    } catch {
      // It only looks like JSON.
    }
  }
  return { kind: 'text', text };
}
