// What splicing into any section takes: its descriptor as it was sent, and its fields as they were sent.

import type { ByteWriter } from '../codec/byte-writer.js';
import type { Section } from './sections.js';

/** A section that the sender wrote keeps its descriptor, be it numeric or symbolic. */
export function writeDescriptor(
  writer: ByteWriter,
  content: Uint8Array,
  section: Section | undefined,
  code: number,
): void {
  if (section === undefined) writer.descriptor(code);
  else writer.bytes(content.subarray(section.start, section.value));
}

/** The fields of a list by their places, `to` excluded: as they were sent, and null where nothing was. */
export function copyFields(
  writer: ByteWriter,
  content: Uint8Array,
  offsets: readonly number[],
  { from, to }: { from: number; to: number },
): void {
  const sentCount = offsets.length - 1;
  const sentTo = Math.min(to, sentCount);
  if (from < sentTo) writer.bytes(content.subarray(offsets[from], offsets[sentTo]));
  for (let index = Math.max(from, sentCount); index < to; index++) writer.null();
}
