// The header of a delivered message: the sender's, with the broker's delivery count and the time to live in force.

import { NEVER } from '../broker/instant.js';
import type { BrokerProperties } from '../broker/message/message-properties.js';
import type { ByteWriter } from '../codec/byte-writer.js';
import { itemOffsets } from './items.js';
import { copyFields, writeDescriptor } from './section-splice.js';
import { SECTION, type Section } from './sections.js';

const LIST32 = 0xd0;
/** Places in the header (AMQP 3.2.1, MSG-10). */
const FIELD = { ttl: 2, firstAcquirer: 3, deliveryCount: 4 } as const;
const GREATEST_UINT = 0xffff_ffff;

/** The delivery count is written even when it is 0: the JS SDK reads an absent one as undefined. */
export function writeHeader(
  writer: ByteWriter,
  content: Uint8Array,
  section: Section | undefined,
  properties: BrokerProperties,
): void {
  const offsets = section === undefined ? [0] : itemOffsets(content, section.value);
  const timeToLiveMs = timeToLiveOf(properties);
  writeDescriptor(writer, content, section, SECTION.header);
  writer.compound32(LIST32, () => {
    if (timeToLiveMs !== undefined) {
      copyFields(writer, content, offsets, { from: 0, to: FIELD.ttl }); // MSG-06
      if (timeToLiveMs === null) writer.null();
      // TTL-12; a span beyond 49 days is in the two times of the properties, as the SDKs send it.
      else writer.uint(Math.min(timeToLiveMs, GREATEST_UINT));
      copyFields(writer, content, offsets, { from: FIELD.firstAcquirer, to: FIELD.deliveryCount }); // MSG-06
    } else copyFields(writer, content, offsets, { from: 0, to: FIELD.deliveryCount });
    writer.uint(properties.deliveryCount); // MSG-10
    return FIELD.deliveryCount + 1;
  });
}

/** Null: none. Undefined: what the sender says, which is in force nowhere when the message does not expire. */
function timeToLiveOf({
  expiresAt,
  enqueuedTime,
  systemChanges,
}: BrokerProperties): number | null | undefined {
  return expiresAt === NEVER ? systemChanges?.timeToLiveMs : expiresAt - enqueuedTime; // ACT-04
}
