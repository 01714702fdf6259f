// The application properties of a delivered message: the sender's, but for what was set or removed since (SET-07, ACT-01).

import type { PropertyChange } from '../broker/message/message-properties.js';
import type { ByteWriter } from '../codec/byte-writer.js';
import { readEntries } from './items.js';
import { writeDescriptor } from './section-splice.js';
import { SECTION, type Section } from './sections.js';

const MAP32 = 0xd1;

/**
 * A change takes the place of the sender's property of its name; new ones follow behind (SET-07). With the last property
 * the section goes; where nothing is changed it is as it was sent.
 */
export function writeApplicationProperties(
  writer: ByteWriter,
  content: Uint8Array,
  section: Section | undefined,
  changes: readonly PropertyChange[],
): void {
  const entries = section === undefined ? [] : readEntries(content, section.value);
  const sent = new Set(entries.map(({ name }) => name));
  // A key that is no text has no name, and no change is of it.
  const changed = new Map<string | undefined, PropertyChange>(changes.map((each) => [each.name, each]));
  const kept = entries.filter(({ name }) => changed.get(name)?.value !== null); // ACT-01
  const added = [...changed.values()].filter(({ name, value }) => value !== null && !sent.has(name));
  if (added.length === 0 && !entries.some(({ name }) => changed.has(name))) {
    if (section !== undefined) writer.bytes(content.subarray(section.start, section.end));
    return;
  }
  if (kept.length + added.length === 0) return;
  writeDescriptor(writer, content, section, SECTION.applicationProperties);
  writer.compound32(MAP32, () => {
    for (const { name, key, value, end } of kept) {
      const change = changed.get(name);
      writer.bytes(content.subarray(key, change === undefined ? end : value));
      if (change !== undefined) writeValue(writer, change);
    }
    for (const change of added) {
      writer.string(change.name);
      writeValue(writer, change);
    }
    return 2 * (kept.length + added.length);
  });
}

/** Of a change that removes nothing. */
function writeValue(writer: ByteWriter, { value }: PropertyChange): void {
  if (typeof value === 'string') writer.string(value);
  else if (value !== null) writer.bytes(value);
}
