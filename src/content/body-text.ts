// The body of a message as the end of a line of the log, for those who ask for bodies.

import { bodyAsJson } from './body-json.js';
import { decodeMessage } from './decode-message.js';

/** The characters of a body that a line shows. */
const MAX_BODY_TEXT = 256;

/** Never holds a line feed: texts are quoted, JSON is compact, other bytes are Base64. */
export function bodyText(content: Uint8Array): string {
  const body = bodyAsJson(decodeMessage(content).body);
  switch (body.kind) {
    case 'empty':
      return 'no body';
    case 'text':
      return `body ${JSON.stringify(cut(body.text))}`;
    case 'base64':
      return `body base64 ${cut(body.base64)}`;
    case 'json':
    case 'value':
    case 'sequence':
      return `body ${cut(JSON.stringify(body.value))}`;
  }
}

function cut(text: string): string {
  return text.length > MAX_BODY_TEXT ? `${text.slice(0, MAX_BODY_TEXT)}...` : text;
}
