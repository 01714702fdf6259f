// The body of a request as text, never more of it than fits.

import { RequestProblem } from './request-problem.js';

const MAX_BODY_BYTES = 1024 * 1024;

/** Throws RequestProblem. What is announced is not trusted; where it is already too much, nothing is read. */
export async function readBody({ body, headers }: Request): Promise<string> {
  if (Number(headers.get('content-length') ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  try {
    for await (const part of partsOf(body)) text += decoder.decode(part, { stream: true });
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof RequestProblem) throw error;
    // Either the text is not UTF-8 or the client has gone in the middle of it.
    throw new RequestProblem(
      400,
      'The body could not be read to its end as UTF-8; send all of it in that encoding.',
    );
  }
}

async function* partsOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  let byteCount = 0;
  // Leaving the loop cancels the stream.
  for await (const part of body) {
    byteCount += part.length;
    if (byteCount > MAX_BODY_BYTES) throw tooLarge();
    yield part;
  }
}

function tooLarge(): RequestProblem {
  const text = `The body is larger than ${MAX_BODY_BYTES} bytes; a description of an entity or a rule is much smaller.`;
  return new RequestProblem(413, text);
}
