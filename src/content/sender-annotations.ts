// The message annotations by which a sender asks the broker for something; all others are carried unread.

import type { NewMessage } from '../broker/message/message-properties.js';
import { stringAt, timestampAt } from './fields.js';
import { endOfValue, firstItem, saysAt } from './items.js';
import type { Section } from './sections.js';

export type SenderAnnotations = Pick<NewMessage, 'partitionKey' | 'viaPartitionKey' | 'scheduledEnqueueTime'>;

export const ANNOTATION = {
  partitionKey: 'x-opt-partition-key',
  viaPartitionKey: 'x-opt-via-partition-key',
  scheduledEnqueueTime: 'x-opt-scheduled-enqueue-time',
} as const;

const KEY = {
  partitionKey: Buffer.from(ANNOTATION.partitionKey),
  viaPartitionKey: Buffer.from(ANNOTATION.viaPartitionKey),
  scheduledEnqueueTime: Buffer.from(ANNOTATION.scheduledEnqueueTime),
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
  for (let key = firstItem(bytes, section.value); key < section.end; ) {
    const value = endOfValue(bytes, key);
    if (saysAt(bytes, key, KEY.partitionKey)) partitionKey = stringAt(bytes, value, ANNOTATION.partitionKey);
    else if (saysAt(bytes, key, KEY.viaPartitionKey))
      viaPartitionKey = stringAt(bytes, value, ANNOTATION.viaPartitionKey);
    else if (saysAt(bytes, key, KEY.scheduledEnqueueTime))
      scheduledEnqueueTime = timestampAt(bytes, value, ANNOTATION.scheduledEnqueueTime); // SCH-01
    key = endOfValue(bytes, value);
  }
  return { partitionKey, viaPartitionKey, scheduledEnqueueTime };
}
