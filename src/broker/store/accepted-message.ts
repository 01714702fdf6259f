// A message that a queue or topic has accepted, its metadata, and what the fan-out of a topic needs to copy it.

import type { MessageRecord } from '../contract/event.js';
import type { OnwardDetails } from '../contract/message-properties.js';
import type { MessageView } from '../rules/message-view.js';

/** The broker's data of a message that follow it from entity to entity. */
export type MessageMetadata = Pick<MessageRecord, 'isShared' | 'enqueuedSequenceNumber'> & {
  readonly details: OnwardDetails | undefined;
};

/** A message that a topic has accepted, with the topic's sequence number. */
export type AcceptedMessage = Pick<
  MessageRecord,
  'sequenceNumber' | 'enqueuedTime' | 'contentId' | 'sizeBytes'
> & {
  /** `isShared`: messages in other entities may refer to the same content. */
  readonly metadata: MessageMetadata;
  readonly sessionId: string | undefined;
  readonly timeToLiveMs: number;
  /** Whether it waited at the topic for its scheduled time. */
  readonly wasScheduled: boolean;
};

export type FanOutContent = {
  /** Called when a rule reads a property. */
  readonly open: () => MessageView;
  /** Called before anything is stored that refers to the content. */
  readonly keepContent: () => void;
};
