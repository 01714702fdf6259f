// The application properties a settlement sets on a message (SET-07), read from the encoded map it came with.

import type { PropertyChange } from '../broker/message/message-properties.js';
import { isNullAt, ownBytes, readEntries } from './items.js';

/** SDKs send these two as null when none was given; that is no value to store. */
const DEAD_LETTER_TEXTS: readonly string[] = ['DeadLetterReason', 'DeadLetterErrorDescription'];

/**
 * `map` has string or symbol keys: the message-annotations of `modified`, or the info of an error. Values stay as
 * encoded, so that none loses its type; nulls are values too (MSG-11). Keys that are no text name no property.
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
