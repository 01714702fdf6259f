// A received message as an answer: its body, `BrokerProperties`, and a header for each user property that can be one.

import type { BodyPart, ReceivedParts } from '../../content/message-parts.js';
import { dashed, readParts } from '../../content/received-parts.js';
import { encodeForDelivery } from '../../content/splice.js';
import { describeDelivery } from './delivered-properties.js';
import type { Received } from './head-receiver.js';
import { writeHeaderJson, writeHeaderText } from './header-text.js';
import { mayNameHeader } from './own-headers.js';
import { writePropertyValue } from './property-value.js';

const BINARY_TYPE = 'application/octet-stream';
const TEXT_TYPE = 'text/plain; charset=utf-8';

/** `messagesUrl` ends with `/messages`; with a lock the message has a place there, where it can be settled. */
export function answerMessage({ delivery, content }: Received, messagesUrl: string): Response {
  const { lockToken, properties } = delivery;
  const parts = readParts(Buffer.concat(encodeForDelivery(content, delivery)));
  const headers = new Headers();
  for (const { name, value } of parts.applicationProperties) {
    const text = mayNameHeader(name) ? writePropertyValue(value) : undefined;
    // Of names that differ in case alone, which are one to HTTP, the first.
    if (text !== undefined && !headers.has(name)) headers.set(name, text);
  }
  headers.set('BrokerProperties', writeHeaderJson(describeDelivery(delivery, parts.properties)));
  headers.set('Content-Type', contentTypeOf(parts));
  // azure-sb takes a content-length for a property of the message.
  headers.set('Transfer-Encoding', 'chunked');
  if (lockToken !== undefined) {
    headers.set('Location', `${messagesUrl}/${properties.sequenceNumber}/${dashed(lockToken)}`);
  }
  return new Response(bytesOf(parts.body), { status: lockToken === undefined ? 200 : 201, headers });
}

/** Every answer with a body needs one; of bytes that nobody has described no more is said than that. */
function contentTypeOf({ body, properties: { contentType = '' } }: ReceivedParts): string {
  // What the sender's type describes is not what the encoded sections are.
  if (body.kind === 'sections') return BINARY_TYPE;
  const given = writeHeaderText(contentType).trim();
  if (given !== '') return given;
  return body.kind === 'text' ? TEXT_TYPE : BINARY_TYPE;
}

function bytesOf(body: BodyPart): Uint8Array<ArrayBuffer> {
  const bytes = body.kind === 'text' ? Buffer.from(body.text) : body.bytes;
  return bytes as Uint8Array<ArrayBuffer>;
}
