// Everything that is durable. The events of a turn go to the journal as one batch; the puts among them restore a broker.

import type { QueueDescription } from './entity/queue-description.js';
import type { SubscriptionDescription, TopicDescription } from './entity/topic-description.js';
import type { Instant } from './instant.js';
import type { MessageState, PropertyChange, SystemChanges } from './message/message-properties.js';
import type { RuleDescription } from './rules/rule-description.js';

/** The stores of what is sent through an entity to another; both are there from when the first transfer had to wait (TXN-11). */
export type TransferStores = {
  readonly transferStoreId?: number;
  readonly transferDeadLetterStoreId?: number;
};

/** A queue and the numbers of its stores. */
export type QueueRecord = TransferStores & {
  readonly description: QueueDescription;
  readonly createdTime: Instant;
  readonly updatedTime: Instant;
  readonly storeId: number;
  readonly deadLetterStoreId: number;
};

/** A topic and the numbers of its stores: what is scheduled waits in the first, and the second is always empty. */
export type TopicRecord = TransferStores & {
  readonly description: TopicDescription;
  readonly createdTime: Instant;
  readonly updatedTime: Instant;
  readonly storeId: number;
  readonly deadLetterStoreId: number;
};

export type SubscriptionRecord = {
  readonly description: SubscriptionDescription;
  /** The main store of its topic. */
  readonly topicStoreId: number;
  readonly createdTime: Instant;
  readonly updatedTime: Instant;
  readonly storeId: number;
  readonly deadLetterStoreId: number;
};

export type RuleRecord = { readonly description: RuleDescription; readonly createdTime: Instant };

/** What a scheduled message waits for, and what it will then need. */
export type Schedule = {
  readonly enqueueAt: Instant;
  /** The sender's; `NEVER` when it gave none. */
  readonly timeToLiveMs: number;
};

/** What a queue with duplicate detection remembers of an accepted message, whatever becomes of that (DUP-04). */
export type MessageIdRecord = {
  /** What duplicates are compared by: the message-id, and in a partitioned queue the partition key as well (DUP-02). */
  readonly duplicateKey: string;
  /** The number the message got when it was accepted. */
  readonly sequenceNumber: number;
  readonly acceptedAt: Instant;
};

/** What an application has stored with a session (SES-15). The state itself is a content. */
export type SessionStateRecord = {
  readonly sessionId: string;
  readonly contentId: number;
  readonly sizeBytes: number;
  readonly updatedTime: Instant;
};

/** A message in one store, without its content. */
export type MessageRecord = {
  readonly sequenceNumber: number;
  readonly enqueuedTime: Instant;
  /** `NEVER` when it does not expire, and while it is scheduled. */
  readonly expiresAt: Instant;
  readonly deliveryCount: number;
  readonly state: MessageState;
  /** Of a message whose state is scheduled, and of no other. */
  readonly schedule: Schedule | undefined;
  /** It became active when its scheduled time came, and has not been moved since (MSG-09). */
  readonly wasScheduled: boolean;
  /** Of a message in a store that requires sessions, and of no other. */
  readonly sessionId: string | undefined;
  readonly contentId: number;
  readonly sizeBytes: number;
  readonly inventedMessageId: string | undefined;
  readonly propertyChanges: readonly PropertyChange[] | undefined;
  readonly systemChanges: SystemChanges | undefined;
  /** Other messages may name the same content: copies from a topic, and whatever they have become. */
  readonly isShared: boolean;
  /** Of a copy from a topic or a forwarded message: the number it had where it was first submitted. */
  readonly enqueuedSequenceNumber: number | undefined;
  /** Entities it has been forwarded from; 0 where it was sent (FWD-07). */
  readonly hopCount: number;
  readonly deadLetterSource: string | undefined;
  /** Of a message in a transfer store, and of no other: the queue or topic that it waits for (TXN-10). */
  readonly destination?: string | undefined;
};

export type Event =
  | { readonly kind: 'queue-put'; readonly queue: QueueRecord }
  /** Its messages, message-ids, session states and counters are gone too; all but the counters have events of their own. */
  | { readonly kind: 'queue-removed'; readonly storeId: number; readonly deadLetterStoreId: number }
  | { readonly kind: 'topic-put'; readonly topic: TopicRecord }
  /** Its counters are gone too; all else that belongs to it has events of its own, before this one. */
  | { readonly kind: 'topic-removed'; readonly storeId: number; readonly deadLetterStoreId: number }
  | { readonly kind: 'subscription-put'; readonly subscription: SubscriptionRecord }
  | { readonly kind: 'subscription-removed'; readonly storeId: number; readonly deadLetterStoreId: number }
  /** `storeId` is the main store of the subscription; a rule of the same name, in any case, is replaced. */
  | { readonly kind: 'rule-put'; readonly storeId: number; readonly rule: RuleRecord }
  | { readonly kind: 'rule-removed'; readonly storeId: number; readonly name: string }
  | { readonly kind: 'message-put'; readonly storeId: number; readonly message: MessageRecord }
  | { readonly kind: 'message-removed'; readonly storeId: number; readonly sequenceNumber: number }
  /**
   * The number the next message of this store will get; never falls (SEQ-11). A dead-letter store numbers nothing and
   * has none: its messages keep the numbers of the main store, below the main store's next (SEQ-10). A partitioned
   * queue has a counter for each partition (SEQ-06); any other queue has that of partition 0 alone.
   */
  | {
      readonly kind: 'sequence-put';
      readonly storeId: number;
      readonly partitionId: number;
      readonly nextSequenceNumber: number;
    }
  | { readonly kind: 'message-id-noted'; readonly storeId: number; readonly noted: MessageIdRecord }
  /** The window of duplicate detection has passed; named by the number it was noted with. */
  | { readonly kind: 'message-id-forgotten'; readonly storeId: number; readonly sequenceNumber: number }
  /** Replaces the state the session had. */
  | { readonly kind: 'session-state-put'; readonly storeId: number; readonly state: SessionStateRecord }
  | { readonly kind: 'session-state-removed'; readonly storeId: number; readonly sessionId: string }
  | { readonly kind: 'content-stored'; readonly contentId: number; readonly content: Uint8Array }
  /** No message or session state names this content any more; its row may go once nothing still reads it. */
  | { readonly kind: 'content-released'; readonly contentId: number }
  /** The broker's time when the batch was made; after a restart time goes on from here at the earliest. */
  | { readonly kind: 'time-put'; readonly now: Instant };

/** The events a store of rows gives back at recovery, in any order within their kind. */
export type StoredEvent = Extract<
  Event,
  {
    kind:
      | 'queue-put'
      | 'topic-put'
      | 'subscription-put'
      | 'rule-put'
      | 'message-put'
      | 'sequence-put'
      | 'message-id-noted'
      | 'session-state-put';
  }
>;
