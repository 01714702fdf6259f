// A batched transfer: one encoded message whose data sections hold one encoded message each.

import { DecodeError } from '../codec/decode-error.js';
import { readDataSections, splitSections } from './sections.js';

/** The message-format of a batched transfer. */
export const BATCH_MESSAGE_FORMAT = 0x80013700;

/**
 * The encoded messages in `batch`, as parts of it; none when it has no body (SND-13). What else the outer message says
 * is a copy of its first message's and is ignored.
 */
export function splitBatch(batch: Uint8Array): Buffer[] {
  const { body } = splitSections(batch);
  if (body === undefined) return [];
  if (body.kind !== 'data') {
    throw new DecodeError(`a batch holds its messages in data sections; this one has a ${body.kind} section`);
  }
  return readDataSections(batch, body);
}
