// Messages as the filters of faults see them, when they are sent and when they are delivered.

import type { Delivery } from '../../broker/contract/effect.js';
import { NEVER } from '../../broker/contract/instant.js';
import type { MessageView } from '../../broker/rules/message-view.js';
import type { SystemProperty } from '../../broker/rules/property-name.js';
import type { RuleValue } from '../../broker/rules/rule-value.js';
import { DecodeError } from '../../codec/decode-error.js';
import { contentReader } from '../../content/message-reader.js';
import { readMessage } from '../../content/read-message.js';
import { BATCH_MESSAGE_FORMAT, splitBatch } from '../../content/sections.js';
import type { IncomingDelivery } from '../protocol/sender-link.js';

/** The messages that a sender has delivered; none if they cannot be read, which the send itself will report. */
export function sentMessages({
  messageFormat,
  payload,
  isTooLarge,
}: IncomingDelivery): readonly MessageView[] {
  if (isTooLarge) return [];
  try {
    const payloads = messageFormat === BATCH_MESSAGE_FORMAT ? splitBatch(payload) : [payload];
    return payloads.map((each) => contentReader.read(readMessage(each).content).properties);
  } catch (error) {
    if (error instanceof DecodeError) return [];
    throw error;
  }
}

/** A message on its way to a receiver, whose content is read when a filter needs it. */
export type DeliveredMessage = MessageView;

export function deliveredMessage(
  { properties, lockedUntil }: Delivery,
  content: Uint8Array,
): DeliveredMessage {
  let read: MessageView | undefined;
  const sent = () => {
    read ??= contentReader.read(content).properties;
    return read;
  };
  return {
    system: (name) => {
      const own = ownProperty(name, properties, lockedUntil);
      return own === undefined ? sent().system(name) : own;
    },
    user: (name) => {
      const value = changed(properties, name);
      return value === undefined ? sent().user(name) : value;
    },
    has: (name) => changed(properties, name) !== undefined || sent().has(name),
    spelling: (name) => (changed(properties, name) === undefined ? sent().spelling(name) : name),
    header: (field) => sent().header(field),
  };
}

/** A property that the broker sets; undefined for all others. */
function ownProperty(
  name: SystemProperty,
  properties: Delivery['properties'],
  lockedUntil: Delivery['lockedUntil'],
): RuleValue | undefined {
  switch (name) {
    case 'SequenceNumber':
      return BigInt(properties.sequenceNumber);
    case 'EnqueuedTimeUtc':
      return { kind: 'timestamp', ms: properties.enqueuedTime };
    case 'ExpiresAtUtc':
      return properties.expiresAt === NEVER ? null : { kind: 'timestamp', ms: properties.expiresAt };
    case 'LockedUntilUtc':
      return lockedUntil === undefined ? null : { kind: 'timestamp', ms: lockedUntil };
    case 'DeliveryCount':
      return BigInt(properties.deliveryCount);
    case 'DeadLetterSource':
      return properties.deadLetterSource ?? null;
    case 'MessageId':
      return properties.generatedMessageId;
    default:
      return undefined;
  }
}

/** A property that was set after the message was sent. */
function changed({ propertyChanges = [] }: Delivery['properties'], name: string): RuleValue | undefined {
  const found = propertyChanges.findLast((each) => each.name.toLowerCase() === name.toLowerCase());
  if (found === undefined) return undefined;
  return found.value === null ? null : contentReader.decode(found.value);
}
