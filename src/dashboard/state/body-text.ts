// The body of a message in a cell of a list.

import { textOfBody } from '../../content/json-body-text.js';
import type { MessageAnswer } from '../../http/control/control-schemas.js';

export { plainOf, textOfBody as bodyText } from '../../content/json-body-text.js';

type Body = MessageAnswer['body'];

/** The body in a cell: its first characters, or what kind of bytes it has. */
export function bodyPreview(body: Body, most: number): string {
  if (body.kind === 'empty') return '';
  // `H4sI` is the start of gzip in Base64.
  if (body.kind === 'base64')
    return `<${body.base64.startsWith('H4sI') ? 'gzip' : 'binary'}, ${body.sizeBytes} bytes>`;
  const text = textOfBody(body);
  return text.length > most ? text.slice(0, most) : text;
}
