// The body of a message as an expression of a language.

import type { MessageAnswer } from '../../http/control/control-schemas.js';
import { bodyText, plainOf } from './body-text.js';
import { propertyLiteral, type TypedValue } from './property-literals.js';
import { isSent } from './sendable.js';

type Body = MessageAnswer['body'];

export function bytesOrText(body: Body, bytes: (base64: string) => string): string {
  return body.kind === 'base64' ? bytes(body.base64) : JSON.stringify(bodyText(body));
}

/** The SDK writes JSON of any body but a Buffer, so that a text which is no JSON must be one. */
export function jsBody(body: Body): string {
  switch (body.kind) {
    case 'base64':
      return `Buffer.from('${body.base64}', 'base64')`;
    case 'json':
      return JSON.stringify(body.value, null, 2);
    case 'value':
      return JSON.stringify(plainOf(body.value), null, 2);
    case 'sequence':
      return JSON.stringify(body.value.map(plainOf), null, 2);
    case 'text':
      return body.section === 'data'
        ? (jsonIn(body.text) ?? `Buffer.from(${JSON.stringify(body.text)})`)
        : JSON.stringify(body.text);
    case 'empty':
      return '""';
  }
}

/** A body that is an AMQP value, for an SDK that can send it as one; undefined for any other body. */
export function valueLiteral(language: 'csharp' | 'java', body: Body): string | undefined {
  const typed = body.section === 'value' ? typedOf(body) : undefined;
  if (typed === undefined || typed.value === null) return undefined;
  if (typed.type !== 'binary' && !isSent(typed.type)) return undefined;
  return propertyLiteral(language, typed);
}

/** The value with its type; undefined for one with a descriptor, which says what it means. */
function typedOf(body: Body): TypedValue | undefined {
  switch (body.kind) {
    case 'value':
      return body.value.descriptor === undefined ? body.value : undefined;
    case 'base64':
      return { type: 'binary', value: body.base64 };
    case 'text':
    case 'json':
      return { type: 'string', value: bodyText(body) };
    default:
      return undefined;
  }
}

/** The text as a value of JavaScript; undefined if it is no JSON. */
function jsonIn(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return undefined;
  }
}
