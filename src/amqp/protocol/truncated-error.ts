// Truncates errors for a peer: descriptions are cut at 16 KiB, or where a frame of the peer's size is full.

import { ByteWriter } from '../../codec/byte-writer.js';
import { type AmqpError, encodeError } from '../../codec/performatives.js';

/** Room for the condition and for the rest of the frame. */
const OVERHEAD_BYTES = 160;
const MAX_DESCRIPTION_BYTES = 16 * 1024;

/** Limit of a description, which may repeat input of the peer and so have any length. */
export function truncatedError(error: AmqpError, maxFrameSize: number): AmqpError {
  const { description } = error;
  const maxBytes = Math.min(maxFrameSize - OVERHEAD_BYTES, MAX_DESCRIPTION_BYTES);
  if (description === undefined || Buffer.byteLength(description) <= maxBytes) return error;
  // A character cut in two reads as U+FFFD.
  const cut = Buffer.from(description)
    .toString('utf8', 0, maxBytes - 3)
    .replace(/\uFFFD{1,3}$/, '');
  return { ...error, description: `${cut}…` };
}

export function encodedError(error: AmqpError | undefined, maxFrameSize: number): Buffer | undefined {
  if (error === undefined) return undefined;
  const writer = new ByteWriter(512);
  encodeError(writer, truncatedError(error, maxFrameSize));
  return writer.take();
}
