// The body of a message as one text, for lists and for finding.

import type { MessageAnswer } from '../../http/control/control-schemas.js';

type Body = MessageAnswer['body'];
/** An array and a value: AMQP values say their types, which a list need not show. */
type Typed = Extract<Body, { readonly kind: 'value' }>['value'];

export function bodyText(body: Body): string {
  switch (body.kind) {
    case 'empty':
      return '';
    case 'json':
      return JSON.stringify(body.value);
    case 'text':
      return body.text;
    case 'base64':
      return body.base64;
    case 'value':
      return typeof body.value.value === 'string' ? body.value.value : JSON.stringify(plainOf(body.value));
    case 'sequence':
      return JSON.stringify(body.value.map(plainOf));
  }
}

/** The body in a cell: its first characters, or what kind of bytes it has. */
export function bodyPreview(body: Body, most: number): string {
  if (body.kind === 'empty') return '';
  // `H4sI` is the start of gzip in Base64.
  if (body.kind === 'base64')
    return `<${body.base64.startsWith('H4sI') ? 'gzip' : 'binary'}, ${body.sizeBytes} bytes>`;
  const text = bodyText(body);
  return text.length > most ? text.slice(0, most) : text;
}

/** An AMQP value without its types. */
export function plainOf({ type, value }: Typed): unknown {
  if (!Array.isArray(value)) return value;
  if (type !== 'map') return value.map((one) => (isTyped(one) ? plainOf(one) : one));
  const entries = value.filter((one): one is [Typed, Typed] => Array.isArray(one));
  return Object.fromEntries(entries.map(([key, one]) => [String(plainOf(key)), plainOf(one)]));
}

function isTyped(given: unknown): given is Typed {
  return typeof given === 'object' && given !== null && 'type' in given;
}
