// The message annotations by which a sender asks the broker for something; all others are carried unread.

import type { NewMessage } from '../broker/message/message-properties.js';
import { anyTextAt, instantAt, timestampAt } from './fields.js';
import { endOfValue, firstItem, saysAt } from './items.js';
import type { Section } from './sections.js';

export type SenderAnnotations = Pick<NewMessage, 'partitionKey' | 'viaPartitionKey' | 'scheduledEnqueueTime'>;

export const ANNOTATION = {
  partitionKey: 'x-opt-partition-key',
  viaPartitionKey: 'x-opt-via-partition-key',
  scheduledEnqueueTime: 'x-opt-scheduled-enqueue-time',
} as const;

/** By which JMS clients schedule; one that is no time is carried unread, like any annotation. */
const DELIVERY_TIME = 'x-opt-delivery-time';

const KEY = {
  partitionKey: Buffer.from(ANNOTATION.partitionKey),
  viaPartitionKey: Buffer.from(ANNOTATION.viaPartitionKey),
  scheduledEnqueueTime: Buffer.from(ANNOTATION.scheduledEnqueueTime),
  deliveryTime: Buffer.from(DELIVERY_TIME),
} as const;

const NONE: SenderAnnotations = {
  partitionKey: undefined,
  viaPartitionKey: undefined,
  scheduledEnqueueTime: undefined,
};

/** Names are compared as bytes: a message may have many annotations, and these are seldom among them. */
export function readSenderAnnotations(bytes: Buffer, section: Section | undefined): SenderAnnotations {
  if (section === undefined) return NONE;
  let { partitionKey, viaPartitionKey, scheduledEnqueueTime } = NONE;
  let deliveryTime: number | undefined;
  for (let key = firstItem(bytes, section.value); key < section.end; ) {
    const value = endOfValue(bytes, key);
    if (saysAt(bytes, key, KEY.partitionKey)) partitionKey = anyTextAt(bytes, value, ANNOTATION.partitionKey);
    else if (saysAt(bytes, key, KEY.viaPartitionKey))
      viaPartitionKey = anyTextAt(bytes, value, ANNOTATION.viaPartitionKey);
    else if (saysAt(bytes, key, KEY.scheduledEnqueueTime))
      scheduledEnqueueTime = timestampAt(bytes, value, ANNOTATION.scheduledEnqueueTime); // SCH-01
    else if (saysAt(bytes, key, KEY.deliveryTime)) deliveryTime = instantAt(bytes, value);
    key = endOfValue(bytes, value);
  }
  return { partitionKey, viaPartitionKey, scheduledEnqueueTime: scheduledEnqueueTime ?? deliveryTime };
}
