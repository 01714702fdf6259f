// Changes to a message's application properties (SET-07, ACT-01): read from a settlement, written on delivery.

import type { PropertyChange } from '../broker/contract/message-properties.js';
import type { ByteWriter } from '../codec/byte-writer.js';
import { isNullAt, ownBytes, readEntries } from './encoded-values.js';
import { SECTION, type Section, writeDescriptor } from './sections.js';

const MAP32 = 0xd1;
/** SDKs send null for these two when the caller gave none; such a null is not stored. */
export const DEAD_LETTER_TEXTS: readonly string[] = ['DeadLetterReason', 'DeadLetterErrorDescription'];

/**
 * The application properties that a settlement sets (SET-07). `map` is the message-annotations of `modified`, or the info
 * of an error; a key that is not text names no property. Values stay encoded to preserve their types, and a null is a
 * value too (MSG-11).
 */
export function propertyChangesOf(map: Uint8Array | undefined): PropertyChange[] {
  if (map === undefined) return [];
  const changes: PropertyChange[] = [];
  for (const { name, value, end } of readEntries(map, 0)) {
    const isNotGiven = name !== undefined && DEAD_LETTER_TEXTS.includes(name) && isNullAt(map, value);
    if (name !== undefined && !isNotGiven) changes.push({ name, value: ownBytes(map.subarray(value, end)) });
  }
  return changes;
}

/**
 * Writes the application properties of a delivered message. A change replaces the sender's property of its name; new
 * properties follow at the end (SET-07). An unchanged section is copied as sent; one without properties is left out.
 */
export function writeApplicationProperties(
  writer: ByteWriter,
  content: Uint8Array,
  section: Section | undefined,
  changes: readonly PropertyChange[],
): void {
  const entries = section === undefined ? [] : readEntries(content, section.value);
  const sent = new Set(entries.map(({ name }) => name));
  // A key that is not text has the name undefined, which no change has.
  const changed = new Map<string | undefined, PropertyChange>(changes.map((each) => [each.name, each]));
  const remaining = entries.filter(({ name }) => changed.get(name)?.value !== null); // ACT-01
  const added = [...changed.values()].filter(({ name, value }) => value !== null && !sent.has(name));
  if (added.length === 0 && !entries.some(({ name }) => changed.has(name))) {
    if (section !== undefined) writer.bytes(content.subarray(section.start, section.end));
    return;
  }
  if (remaining.length + added.length === 0) return;
  writeDescriptor(writer, content, section, SECTION.applicationProperties);
  writer.compound32(MAP32, () => {
    for (const { name, key, value, end } of remaining) {
      const change = changed.get(name);
      writer.bytes(content.subarray(key, change === undefined ? end : value));
      if (change !== undefined) writeValue(writer, change);
    }
    for (const change of added) {
      writer.string(change.name);
      writeValue(writer, change);
    }
    return 2 * (remaining.length + added.length);
  });
}

/** Writes the new value of a property; a change that removes its property (null) has none. */
function writeValue(writer: ByteWriter, { value }: PropertyChange): void {
  if (typeof value === 'string') writer.string(value);
  else if (value !== null) writer.bytes(value);
}
