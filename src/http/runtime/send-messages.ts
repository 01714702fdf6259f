// POST .../messages: one message, or a batch of which all are stored or none.

import { ServiceBusError } from '../../broker/service-bus-error.js';
import { encodeMessage } from '../../content/encode-message.js';
import type { SentParts } from '../../content/message-parts.js';
import { readMessage } from '../../content/properties.js';
import { expectResult } from '../broker-answers.js';
import type { HttpCall } from '../http-call.js';
import type { HttpContext } from '../http-context.js';
import { readBody } from '../request-body.js';
import { isBatch, readBatch } from './sent-batch.js';
import { readSentHeaders } from './sent-message.js';

/** A batch is JSON: escapes and Base64 make of each byte of a body up to so many. */
const JSON_BYTES_PER_BYTE = 2;
/** Around the bodies of a batch. */
const JSON_ROOM_BYTES = 64 * 1024;

/** Throws a ServiceBusError, a RequestProblem or a ValueError. */
export async function sendMessages(
  call: HttpCall,
  entityPath: string,
  { engine }: HttpContext,
): Promise<Response> {
  const found = await engine.ask({ kind: 'find-entity', entityPath });
  const { maxMessageSizeBytes, maxBatchSizeBytes } = expectResult(found, 'entity');
  const parts = isBatch(call.request)
    ? await readMany(call, maxBatchSizeBytes)
    : [await readOne(call, maxMessageSizeBytes)];
  // The creation time that an SDK would write by its own clock. Of a time to live only its distance to the end counts (TTL-01).
  const now = Date.now();
  const messages = parts.map((each) => readMessage(encodeMessage(each, now)));
  expectResult(await engine.ask({ kind: 'send', entityPath, messages }), 'sent');
  return new Response(null, { status: 201, headers: contentTypeOf(call) });
}

/** A body larger than a message may be makes too large a message, whatever else it says. */
async function readOne(call: HttpCall, maxMessageSizeBytes: number): Promise<SentParts> {
  const headers = readSentHeaders(call);
  return { ...headers, body: await readBody(call.request, { maxBytes: maxMessageSizeBytes, tooLarge }) };
}

async function readMany({ request }: HttpCall, maxBatchSizeBytes: number): Promise<SentParts[]> {
  const maxBytes = JSON_BYTES_PER_BYTE * maxBatchSizeBytes + JSON_ROOM_BYTES;
  return readBatch(await readBody(request, { maxBytes, tooLarge }));
}

/** SND-10, in the words of the other way to send. */
function tooLarge(size: string, maxBytes: number): ServiceBusError {
  const text = `The received message (size: ${size}) exceeds the limit (${maxBytes} bytes) currently allowed on the link.`;
  return new ServiceBusError('message-size-exceeded', text, { property: 'message', limit: maxBytes });
}

/** The service repeats it. */
function contentTypeOf({ request }: HttpCall): Record<string, string> {
  const contentType = request.headers.get('content-type') ?? '';
  return contentType === '' ? {} : { 'content-type': contentType };
}
