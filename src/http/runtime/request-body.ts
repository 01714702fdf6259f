// Reads the body of a request, but no more of it than may be: what is too large is given up before it fills the memory.

import { ServiceBusError } from '../../broker/service-bus-error.js';

/** Throws a ServiceBusError when it is larger, or when the client has not sent all of it. */
export async function readBody(request: Request, maxBytes: number): Promise<Buffer> {
  const announced = Number(request.headers.get('content-length') ?? 0);
  if (announced > maxBytes) throw tooLarge(`size:${announced} bytes`, maxBytes);
  if (request.body === null) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = request.body.getReader();
  for (let chunk = await next(reader); chunk !== undefined; chunk = await next(reader)) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) {
      // Of what is still to come nobody reads more.
      reader.cancel().catch(() => {});
      throw tooLarge(`size: more than ${maxBytes} bytes`, maxBytes);
    }
  }
  return Buffer.concat(chunks, bytes);
}

/** Undefined at the end. */
async function next(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    return (await reader.read()).value;
  } catch {
    // The client is gone, or its chunks are none: no fault of ours.
    throw new ServiceBusError('argument', 'The body of the request ended before it was complete.');
  }
}

/** SND-10, in the words of the other way to send. */
function tooLarge(size: string, maxBytes: number): ServiceBusError {
  const text = `The received message (${size}) exceeds the limit (${maxBytes} bytes) currently allowed on the link.`;
  return new ServiceBusError('message-size-exceeded', text);
}
