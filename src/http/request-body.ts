// Reads the body of a request up to a limit, so that a large body cannot fill the memory.

import { GatheredBytes } from '../codec/gathered-bytes.js';
import { asBuffer } from '../codec/types.js';
import { BodyBudget } from './body-budget.js';
import { RequestProblem } from './error-response.js';

/** Memory is the process's, whoever asks for it. */
const BODIES = new BodyBudget();

type BodyLimit = {
  readonly maxBytes: number;
  /** Makes the error for a larger body; `size` is the known part, such as `2000000 bytes`. */
  readonly tooLarge: (size: string, maxBytes: number) => Error;
};

/** Reads a body. Throws as `gatherBody` does. */
export async function readBody(request: Request, limit: BodyLimit): Promise<Buffer> {
  return (await gatherBody(request, limit)).take();
}

/** Reads a body, for those who take it into a buffer of their own. An announced length can only refuse it. Throws a RequestProblem when the body is too large or incomplete. */
export async function gatherBody(
  request: Request,
  { maxBytes, tooLarge }: BodyLimit,
): Promise<GatheredBytes> {
  const announced = Number(request.headers.get('content-length') ?? 0);
  if (announced > maxBytes) throw tooLarge(`${announced} bytes`, maxBytes);
  const gathered = new GatheredBytes();
  if (request.body === null) return gathered;
  const share = BODIES.open();
  const reader = request.body.getReader();
  try {
    for (let chunk = await next(reader); chunk !== undefined; chunk = await next(reader)) {
      await share.grown(chunk.length);
      if (share.bytes > maxBytes) {
        // The rest is discarded.
        reader.cancel().catch(() => {});
        throw tooLarge(`more than ${maxBytes} bytes`, maxBytes);
      }
      gathered.append(asBuffer(chunk), true);
    }
    return gathered;
  } catch (error) {
    gathered.drop();
    throw error;
  } finally {
    share.end();
  }
}

/** The next chunk; undefined at the end. */
async function next(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    return (await reader.read()).value;
  } catch {
    // The client has disconnected or sent malformed chunks.
    throw new RequestProblem(400, 'The body of the request ended before it was complete; send all of it.');
  }
}
