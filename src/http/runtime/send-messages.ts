// POST .../messages: one message, or a batch of which all are stored or none.

import { encodeMessage } from '../../content/encode-message.js';
import type { SentParts } from '../../content/message-parts.js';
import { readMessage } from '../../content/properties.js';
import type { HttpCall } from '../http-call.js';
import type { HttpContext } from '../http-context.js';
import { readBody } from './request-body.js';
import { isBatch, readBatch } from './sent-batch.js';
import { readSentHeaders } from './sent-message.js';

/** A batch is JSON: escapes and Base64 make of each byte of a body up to so many. */
const JSON_BYTES_PER_BYTE = 2;
/** Around the bodies of a batch. */
const JSON_ROOM_BYTES = 64 * 1024;

/** Throws a ServiceBusError or a ValueError. */
export async function sendMessages(
  call: HttpCall,
  entityPath: string,
  { engine }: HttpContext,
): Promise<Response> {
  const found = await engine.ask({ kind: 'find-entity', entityPath });
  if (found.kind === 'failed') throw found.error;
  if (found.kind !== 'entity') throw new Error(`finding an entity was answered with ${found.kind}`);
  const { maxMessageSizeBytes, maxBatchSizeBytes } = found;
  const parts = isBatch(call.request)
    ? await readMany(call, maxBatchSizeBytes)
    : [await readOne(call, maxMessageSizeBytes)];
  const now = Date.now();
  const messages = parts.map((each) => readMessage(encodeMessage(each, now)));
  const sent = await engine.ask({ kind: 'send', entityPath, messages });
  if (sent.kind === 'failed') throw sent.error;
  return new Response(null, { status: 201, headers: contentTypeOf(call) });
}

/** A body larger than a message may be makes too large a message, whatever else it says. */
async function readOne(call: HttpCall, maxMessageSizeBytes: number): Promise<SentParts> {
  const headers = readSentHeaders(call);
  return { ...headers, body: await readBody(call.request, maxMessageSizeBytes) };
}

async function readMany({ request }: HttpCall, maxBatchSizeBytes: number): Promise<SentParts[]> {
  const maxBytes = JSON_BYTES_PER_BYTE * maxBatchSizeBytes + JSON_ROOM_BYTES;
  return readBatch(await readBody(request, maxBytes));
}

/** The service repeats it. */
function contentTypeOf({ request }: HttpCall): Record<string, string> {
  const contentType = request.headers.get('content-type') ?? '';
  return contentType === '' ? {} : { 'content-type': contentType };
}
