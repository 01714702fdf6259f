// Typed AMQP values as one line of text, for assertions that a reader can check by eye: `int 200`, `'amqp:not-found`, `long 7`.

import type { Decoded } from './frame-decoder.js';
import { nameOfDescriptor } from './frame-lists.js';

/** Strings are in double quotes, symbols have a leading apostrophe, everything else is preceded by its type. */
export function notation(decoded: Decoded | undefined): string {
  if (decoded === undefined) return 'absent';
  switch (decoded.type) {
    case 'null':
      return 'null';
    case 'boolean':
      return String(decoded.value);
    case 'string':
      return JSON.stringify(decoded.value);
    case 'symbol':
      return `'${decoded.value}`;
    case 'binary':
    case 'uuid':
    case 'decimal32':
    case 'decimal64':
    case 'decimal128':
      return `${decoded.type} ${decoded.value.toString('hex')}`;
    case 'list':
      return `[${decoded.value.map(notation).join(', ')}]`;
    case 'array':
      return `array [${decoded.value.map(notation).join(', ')}]`;
    case 'map':
      return `{${decoded.value.map(([key, value]) => `${notation(key)}: ${notation(value)}`).join(', ')}}`;
    case 'described':
      return `${nameOfDescriptor(decoded.descriptor) ?? notation(decoded.descriptor)}${enclosed(decoded.value)}`;
    default:
      return `${decoded.type} ${decoded.value}`;
  }
}

function enclosed(value: Decoded): string {
  return value.type === 'list' ? notation(value) : `(${notation(value)})`;
}
