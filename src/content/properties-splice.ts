// The properties section of a delivered message: the sender's, but for what the broker says instead.

import { type Instant, NEVER } from '../broker/instant.js';
import type { BrokerProperties, SystemChanges } from '../broker/message/message-properties.js';
import type { ByteWriter } from '../codec/byte-writer.js';
import { itemOffsets } from './items.js';
import { PLACE } from './property-places.js';
import { copyFields, writeDescriptor } from './section-splice.js';
import { SECTION, type Section } from './sections.js';

const LIST32 = 0xd0;
/** The last millisecond of the year 9999: later ones are no date to .NET and Python. */
const LAST_TIMESTAMP: Instant = 253_402_300_799_999;

type ChangedField = {
  readonly place: number;
  readonly property: Exclude<keyof SystemChanges, 'messageId' | 'timeToLiveMs' | 'scheduledEnqueueTime'>;
};

/** What the action of a rule changes, in the order of the places (MSG-10, ACT-04). TOP-10: not the message-id. */
const CHANGED_BEFORE_TIMES: readonly ChangedField[] = [
  { place: PLACE.to, property: 'to' },
  { place: PLACE.subject, property: 'subject' },
  { place: PLACE.replyTo, property: 'replyTo' },
  { place: PLACE.correlationId, property: 'correlationId' },
  { place: PLACE.contentType, property: 'contentType' },
];
const CHANGED_BEHIND_TIMES: readonly ChangedField[] = [
  { place: PLACE.groupId, property: 'sessionId' },
  { place: PLACE.replyToGroupId, property: 'replyToSessionId' },
];
const CHANGED: readonly ChangedField[] = [...CHANGED_BEFORE_TIMES, ...CHANGED_BEHIND_TIMES];

/** Whether the broker has anything to say in the properties section. */
export function changesProperties(
  { inventedMessageId, expiresAt, systemChanges }: BrokerProperties,
  section: Section | undefined,
): boolean {
  if (inventedMessageId !== undefined || expiresAt !== NEVER) return true;
  return systemChanges !== undefined && changesFields(systemChanges, section);
}

function changesFields(changes: SystemChanges, section: Section | undefined): boolean {
  // Where there is no section there is nothing to clear.
  if (section === undefined) return CHANGED.some(({ property }) => typeof changes[property] === 'string');
  return (
    changes.timeToLiveMs !== undefined || CHANGED.some(({ property }) => changes[property] !== undefined)
  );
}

export function writeProperties(
  writer: ByteWriter,
  content: Uint8Array,
  section: Section | undefined,
  { inventedMessageId, expiresAt, enqueuedTime, systemChanges }: BrokerProperties,
): void {
  const offsets = section === undefined ? [0] : itemOffsets(content, section.value);
  const sentCount = offsets.length - 1;
  writeDescriptor(writer, content, section, SECTION.properties);
  writer.compound32(LIST32, () => {
    let next = 0;
    if (inventedMessageId !== undefined) {
      writer.string(inventedMessageId); // MSG-04
      next = PLACE.userId;
    }
    if (systemChanges !== undefined) {
      const changes = { fields: CHANGED_BEFORE_TIMES, systemChanges, next };
      next = writeChanges(writer, content, offsets, changes);
    }
    if (expiresAt !== NEVER) {
      copyFields(writer, content, offsets, { from: next, to: PLACE.absoluteExpiryTime }); // MSG-05
      writer.timestamp(Math.min(expiresAt, LAST_TIMESTAMP)); // TTL-12
      // The creation time too, as the service does: for the JS SDK the time to live is what lies between the two.
      writer.timestamp(enqueuedTime);
      next = PLACE.groupId;
    } else if (systemChanges?.timeToLiveMs !== undefined && PLACE.absoluteExpiryTime < sentCount) {
      copyFields(writer, content, offsets, { from: next, to: PLACE.absoluteExpiryTime }); // MSG-05
      writer.null(); // ACT-04: the header alone says the time to live, which the sender's times would contradict
      next = PLACE.creationTime;
    }
    if (systemChanges !== undefined) {
      const changes = { fields: CHANGED_BEHIND_TIMES, systemChanges, next };
      next = writeChanges(writer, content, offsets, changes);
    }
    copyFields(writer, content, offsets, { from: next, to: sentCount }); // SND-07: a session id too
    return Math.max(next, sentCount);
  });
}

/** `next` is the place that is written next; answers which one that is behind the changes. */
function writeChanges(
  writer: ByteWriter,
  content: Uint8Array,
  offsets: readonly number[],
  given: {
    readonly fields: readonly ChangedField[];
    readonly systemChanges: SystemChanges;
    readonly next: number;
  },
): number {
  const sentCount = offsets.length - 1;
  let { next } = given;
  for (const { place, property } of given.fields) {
    const text = given.systemChanges[property];
    if (text === undefined || (text === null && place >= sentCount)) continue;
    copyFields(writer, content, offsets, { from: next, to: place }); // MSG-05
    if (text === null) writer.null();
    else if (property === 'contentType') writer.symbol(text);
    else writer.string(text);
    next = place + 1;
  }
  return next;
}
