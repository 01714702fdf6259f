// The properties and application properties of a delivered message: the sender's, but for what the broker says instead.

import { type Instant, NEVER } from '../broker/instant.js';
import type {
  BrokerProperties,
  PropertyChange,
  PropertyValue,
} from '../broker/message/message-properties.js';
import type { ByteWriter } from '../codec/byte-writer.js';
import { itemOffsets, readEntries } from './items.js';
import { copyFields, writeDescriptor } from './section-splice.js';
import { SECTION, type Section } from './sections.js';

const LIST32 = 0xd0;
const MAP32 = 0xd1;
/** Places in the properties section (AMQP 3.2.4). */
const FIELD = { messageId: 0, userId: 1, absoluteExpiryTime: 8, creationTime: 9, groupId: 10 } as const;
/** The last millisecond of the year 9999: later ones are no date to .NET and Python. */
const LAST_TIMESTAMP: Instant = 253_402_300_799_999;

/** Whether the broker has anything to say in the properties section. */
export function changesProperties({ inventedMessageId, expiresAt }: BrokerProperties): boolean {
  return inventedMessageId !== undefined || expiresAt !== NEVER;
}

export function writeProperties(
  writer: ByteWriter,
  content: Uint8Array,
  section: Section | undefined,
  { inventedMessageId, expiresAt, enqueuedTime }: BrokerProperties,
): void {
  const offsets = section === undefined ? [0] : itemOffsets(content, section.value);
  const sentCount = offsets.length - 1;
  writeDescriptor(writer, content, section, SECTION.properties);
  writer.compound32(LIST32, () => {
    let next = 0;
    if (inventedMessageId !== undefined) {
      writer.string(inventedMessageId); // MSG-04
      next = FIELD.userId;
    }
    if (expiresAt !== NEVER) {
      copyFields(writer, content, offsets, { from: next, to: FIELD.absoluteExpiryTime }); // MSG-05
      writer.timestamp(Math.min(expiresAt, LAST_TIMESTAMP)); // TTL-12
      // The creation time too, as the service does: for the JS SDK the time to live is what lies between the two.
      writer.timestamp(enqueuedTime);
      next = FIELD.groupId;
    }
    copyFields(writer, content, offsets, { from: next, to: sentCount }); // SND-07: a session id too
    return Math.max(next, sentCount);
  });
}

/** A change takes the place of the sender's property of its name; new ones follow behind (SET-07). */
export function writeApplicationProperties(
  writer: ByteWriter,
  content: Uint8Array,
  section: Section | undefined,
  changes: readonly PropertyChange[],
): void {
  const entries = section === undefined ? [] : readEntries(content, section.value);
  const changed = new Map(changes.map(({ name, value }) => [name, value]));
  writeDescriptor(writer, content, section, SECTION.applicationProperties);
  writer.compound32(MAP32, () => {
    for (const { name, key, value, end } of entries) {
      const change = name === undefined ? undefined : changed.get(name);
      writer.bytes(content.subarray(key, change === undefined ? end : value));
      if (change !== undefined) writeValue(writer, change);
    }
    const sent = new Set(entries.map(({ name }) => name));
    const added = [...changed].filter(([name]) => !sent.has(name));
    for (const [name, value] of added) {
      writer.string(name);
      writeValue(writer, value);
    }
    return 2 * (entries.length + added.length);
  });
}

function writeValue(writer: ByteWriter, value: PropertyValue): void {
  if (typeof value === 'string') writer.string(value);
  else writer.bytes(value);
}
