// Errors as they are told to a peer: cut where nobody would read on, or they would not fit into one frame it allows.

import { ByteWriter } from '../../codec/byte-writer.js';
import { type AmqpError, encodeError } from '../../codec/performatives.js';

/** Room for the condition and for what stands around an error in its frame. */
const OVERHEAD_BYTES = 160;
const MAX_DESCRIPTION_BYTES = 16 * 1024;

/** A description holds what the peer sent us, and so may be of any length. */
export function fittingError(error: AmqpError, maxFrameSize: number): AmqpError {
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
  encodeError(writer, fittingError(error, maxFrameSize));
  return writer.take();
}
