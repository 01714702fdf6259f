// Reads the body of a request, but no more of it than may be: what is too large is given up before it fills the memory.

import { RequestProblem } from './request-problem.js';

export type BodyLimit = {
  readonly maxBytes: number;
  /** What is thrown when there is more; `size` is what is known of it, such as `2000000 bytes`. */
  readonly tooLarge: (size: string, maxBytes: number) => Error;
};

/** Throws RequestProblem when the client has not sent all of it. A length that is announced can only be in its disfavour. */
export async function readBody(request: Request, { maxBytes, tooLarge }: BodyLimit): Promise<Buffer> {
  const announced = Number(request.headers.get('content-length') ?? 0);
  if (announced > maxBytes) throw tooLarge(`${announced} bytes`, maxBytes);
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
      throw tooLarge(`more than ${maxBytes} bytes`, maxBytes);
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
    throw new RequestProblem(400, 'The body of the request ended before it was complete; send all of it.');
  }
}
