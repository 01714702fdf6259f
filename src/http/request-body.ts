// Reads the body of a request up to a limit, so that a large body cannot fill the memory.

import { GatheredBytes } from '../codec/gathered-bytes.js';
import { asBuffer } from '../codec/types.js';
import { BodyBudget, type BodyShare } from './body-budget.js';
import { RequestProblem } from './error-response.js';
import type { HttpCall } from './http-context.js';

/** Memory is the process's, whoever asks for it. */
const BODIES = new BodyBudget();
/** The content of a smaller body may stay in memory for its receivers (`engine/content-store.ts`). */
const LARGE_BYTES = 32 * 1024 * 1024;

type Pieces = AsyncIterator<Uint8Array>;
type BodySource = Pick<HttpCall, 'request'>;

type BodyLimit = {
  readonly maxBytes: number;
  /** Makes the error for a larger body; `size` is the known part, such as `2000000 bytes`. */
  readonly tooLarge: (size: string, maxBytes: number) => Error;
};

/** Reads a body. Throws a RequestProblem when it is too large or incomplete. */
export function readBody(call: BodySource, limit: BodyLimit): Promise<Buffer> {
  return useBody(call, limit, (body) => body.take());
}

/**
 * Reads a body for `use`, and throws as `readBody` does. The body counts as in memory until `use` has ended, because the disk may be
 * slow to store it. If another body waits, a large one counts until its memory is back.
 */
export async function useBody<Answer>(
  call: BodySource,
  limit: BodyLimit,
  use: (body: GatheredBytes) => Answer | Promise<Answer>,
): Promise<Answer> {
  const share = BODIES.open();
  let body: GatheredBytes | undefined;
  try {
    body = await gather(call, limit, share);
    return await use(body);
  } finally {
    if (body !== undefined && share.bytes >= LARGE_BYTES && share.isWaitedFor) {
      void body.takenBack().finally(() => share.end());
    } else share.end();
  }
}

/** An announced length can only refuse the body. */
async function gather(
  call: BodySource,
  { maxBytes, tooLarge }: BodyLimit,
  share: BodyShare,
): Promise<GatheredBytes> {
  const announced = Number(call.request.headers.get('content-length') ?? 0);
  if (announced > maxBytes) throw tooLarge(`${announced} bytes`, maxBytes);
  const gathered = new GatheredBytes();
  const pieces = call.request.body?.[Symbol.asyncIterator]();
  try {
    for (let piece = await next(pieces); piece !== undefined; piece = await next(pieces)) {
      await share.grown(piece.length);
      if (share.bytes > maxBytes) {
        // The HTTP server discards the rest.
        pieces?.return?.().catch(() => {});
        throw tooLarge(`more than ${maxBytes} bytes`, maxBytes);
      }
      gathered.append(asBuffer(piece), true);
    }
    return gathered;
  } catch (error) {
    gathered.drop();
    throw error;
  }
}

/** The next piece; undefined at the end. */
async function next(pieces: Pieces | undefined): Promise<Uint8Array | undefined> {
  try {
    return (await pieces?.next())?.value;
  } catch {
    // The client has disconnected or sent malformed chunks.
    throw new RequestProblem(400, 'The body of the request ended before it was complete; send all of it.');
  }
}
