// Bodies and values of messages as plain JavaScript, for programs that compare them.

import { textOfBytes } from './body-json.js';
import type { DecodedBody } from './decode-message.js';
import type { TypedValue } from './typed-value.js';

/**
 * JSON as its value, any other text as a string, other bytes as a Uint8Array, and an AMQP value as `plainValue` has it, a list of
 * them for each section of a sequence. Undefined without a body.
 */
export function plainBody(body: DecodedBody): unknown {
  switch (body.kind) {
    case 'empty':
      return undefined;
    case 'bytes':
      return plainBytes(body.bytes);
    case 'text':
      return body.text;
    case 'value':
      return plainValue(body.value);
    case 'sequence':
      return body.value.map(plainValue);
    default:
      return body satisfies never;
  }
}

function plainBytes(bytes: Uint8Array): unknown {
  const text = textOfBytes(bytes);
  if (text === undefined) return Uint8Array.from(bytes);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * An integer beyond 2^53 is a bigint, a timestamp a Date, a binary a Uint8Array, a list an array, and a map an object with its
 * keys as texts. A described value is the value that it describes; a decimal or an AMQP array is its encoding.
 */
export function plainValue({ type, value }: TypedValue): unknown {
  switch (type) {
    case 'timestamp':
      return plainTime(String(value));
    case 'binary':
    case 'decimal':
    case 'array':
      return Uint8Array.from(Buffer.from(String(value), 'base64'));
    case 'float':
    case 'double':
      return Number(value);
    case 'long':
    case 'ulong':
      return typeof value === 'string' ? BigInt(value) : value;
    case 'list':
      return (value as readonly TypedValue[]).map(plainValue);
    case 'map':
      return plainMap(value as readonly (readonly [TypedValue, TypedValue])[]);
    default:
      return value;
  }
}

/** A time that no Date has stays a text of digits. */
function plainTime(text: string): Date | string {
  return /^-?\d+$/.test(text) ? text : new Date(text);
}

function plainMap(pairs: readonly (readonly [key: TypedValue, value: TypedValue])[]): object {
  return Object.fromEntries(pairs.map(([key, value]) => [String(plainValue(key)), plainValue(value)]));
}
