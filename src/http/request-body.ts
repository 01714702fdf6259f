// Reads the body of a request up to a limit, so that a large body cannot fill the memory.

import { GatheredBytes } from '../codec/gathered-bytes.js';
import { asBuffer } from '../codec/types.js';
import { RequestProblem } from './error-response.js';
import type { HttpCall } from './http-context.js';

type Pieces = AsyncIterator<Uint8Array>;
type BodySource = Pick<HttpCall, 'request' | 'share'>;

type BodyLimit = {
  readonly maxBytes: number;
  /** Makes the error for a larger body; `size` is the known part, such as `2000000 bytes`. */
  readonly tooLarge: (size: string, maxBytes: number) => Error;
};

/** Reads a body. Throws a RequestProblem when it is too large or incomplete. */
export async function readBody(call: BodySource, limit: BodyLimit): Promise<Buffer> {
  return (await gatherBody(call, limit)).take();
}

/** Reads a body in pieces, and throws like `readBody`. Its bytes count as held until the request is answered. */
export async function gatherBody(
  call: BodySource,
  { maxBytes, tooLarge }: BodyLimit,
): Promise<GatheredBytes> {
  // The announced length is used only to refuse a body, because it may be wrong.
  const announced = Number(call.request.headers.get('content-length') ?? 0);
  if (announced > maxBytes) throw tooLarge(`${announced} bytes`, maxBytes);
  const gathered = new GatheredBytes();
  const pieces = call.request.body?.[Symbol.asyncIterator]();
  let bytes = 0;
  try {
    for (let piece = await next(pieces, call); piece !== undefined; piece = await next(pieces, call)) {
      bytes += piece.length;
      call.share.add(piece.length);
      if (bytes > maxBytes) {
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

/** The next piece, once there is memory for more; undefined at the end. */
async function next(
  pieces: Pieces | undefined,
  { share, request }: BodySource,
): Promise<Uint8Array | undefined> {
  try {
    // A body that has arrived in full is already in memory.
    if (request.isComplete !== true) await share.take(0);
    return (await pieces?.next())?.value;
  } catch {
    // The client has disconnected or sent malformed chunks.
    throw new RequestProblem(400, 'The body of the request ended before it was complete; send all of it.');
  }
}
