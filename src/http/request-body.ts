// Reads the body of a request up to a limit, so that a large body cannot fill the memory.

import { GatheredBytes } from '../codec/gathered-bytes.js';
import { asBuffer } from '../codec/types.js';
import { BodyBudget, type BodyShare } from './body-budget.js';
import { RequestProblem } from './error-response.js';

/** Memory is the process's, whoever asks for it. */
const BODIES = new BodyBudget();

type BodyLimit = {
  readonly maxBytes: number;
  /** Makes the error for a larger body; `size` is the known part, such as `2000000 bytes`. */
  readonly tooLarge: (size: string, maxBytes: number) => Error;
};

/** Reads a body. Throws a RequestProblem when it is too large or incomplete. */
export function readBody(request: Request, limit: BodyLimit): Promise<Buffer> {
  return useBody(request, limit, (body) => body.take());
}

/**
 * Reads a body for `use`, and throws as `readBody` does. The body counts as in memory until `use` has ended: while a disk is slow
 * to store it, no other large one is read.
 */
export async function useBody<Answer>(
  request: Request,
  limit: BodyLimit,
  use: (body: GatheredBytes) => Answer | Promise<Answer>,
): Promise<Answer> {
  const share = BODIES.open();
  try {
    return await use(await gather(request, limit, share));
  } finally {
    share.end();
  }
}

/** An announced length can only refuse the body. */
async function gather(
  request: Request,
  { maxBytes, tooLarge }: BodyLimit,
  share: BodyShare,
): Promise<GatheredBytes> {
  const announced = Number(request.headers.get('content-length') ?? 0);
  if (announced > maxBytes) throw tooLarge(`${announced} bytes`, maxBytes);
  const gathered = new GatheredBytes();
  if (request.body === null) return gathered;
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
