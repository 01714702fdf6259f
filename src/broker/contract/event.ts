// All durable changes. The events of a turn are one batch in the journal, and its put events restore a broker.

import type { EntityType } from './entities/entity.js';
import type { QueueDescription } from './entities/queue-description.js';
import type { Subscriber } from './entities/subscriber.js';
import type { SubscriptionDescription, TopicDescription } from './entities/topic-description.js';
import type { Instant } from './instant.js';
import type { MessageDetails, MessageState } from './message-properties.js';
import type { RuleDescription } from './rule-description.js';

/** The stores of messages sent through an entity to another. Both exist once the first transfer has had to wait (TXN-11). */
export type TransferStores = {
  readonly transferStoreId?: number;
  readonly transferDeadLetterStoreId?: number;
};

type Kept = {
  readonly createdTime: Instant;
  readonly updatedTime: Instant;
  readonly storeId: number;
  readonly deadLetterStoreId: number;
  /** It goes with the last link that keeps it, and with a restart (JMS-43, JMS-44, JMS-58). */
  readonly isVolatile?: true | undefined;
};

/** A queue and the ids of its stores. */
export type QueueRecord = Kept &
  TransferStores & { readonly type: 'queue'; readonly description: QueueDescription };

/** A topic and the ids of its stores: the first holds scheduled messages, the second those whose copies are still being made (TOP-15). */
export type TopicRecord = Kept &
  TransferStores & { readonly type: 'topic'; readonly description: TopicDescription };

export type SubscriptionRecord = Kept & {
  readonly type: 'subscription';
  readonly description: SubscriptionDescription;
  /** The main store of its topic. */
  readonly topicStoreId: number;
  /** Undefined unless JMS programs consume from it by a name of theirs. */
  readonly subscriber?: Subscriber | undefined;
};

export type EntityRecord = QueueRecord | TopicRecord | SubscriptionRecord;

export type RuleRecord = { readonly description: RuleDescription; readonly createdTime: Instant };

/** A message-id in the history of duplicate detection. It outlives the message itself (DUP-04). */
export type MessageIdRecord = {
  /** The key that duplicates share: the message-id, and in a partitioned queue the partition key as well (DUP-02). */
  readonly duplicateKey: string;
  /** The number the message got when it was accepted. */
  readonly sequenceNumber: number;
  readonly acceptedAt: Instant;
};

/** The state that an application has stored with a session (SES-15). Its bytes are a content. */
export type SessionStateRecord = {
  readonly sessionId: string;
  readonly contentId: number;
  readonly sizeBytes: number;
  readonly updatedTime: Instant;
};

/** A message in one store, without its content. Two of its numbers change while it is there: `deliveryCount` and `state`. */
export type MessageRecord = {
  readonly sequenceNumber: number;
  readonly enqueuedTime: Instant;
  /** `NEVER` if it does not expire, and while it is scheduled. */
  readonly expiresAt: Instant;
  readonly deliveryCount: number;
  readonly state: MessageState;
  /** Whether it became active at its scheduled time and has not been moved since (MSG-09). */
  readonly wasScheduled: boolean;
  /** Defined only in a store that requires sessions. */
  readonly sessionId: string | undefined;
  readonly contentId: number;
  readonly sizeBytes: number;
  /** Whether other messages may refer to the same content: copies from a topic, also after a move. */
  readonly isShared: boolean;
  /** The number in the entity it was first sent to, for a copy from a topic or a forwarded message. */
  readonly enqueuedSequenceNumber: number | undefined;
  readonly details: MessageDetails | undefined;
};

/** The stores of a removed entity. */
export type RemovedStores = {
  readonly storeId: number;
  readonly deadLetterStoreId: number;
  /** Whether it has a counter for each partition, and not only one. */
  readonly isPartitioned: boolean;
};

export type Event =
  | { readonly kind: 'entity-put'; readonly entity: EntityRecord }
  /** Also removes its counters. Its rules, messages, message-ids and session states are removed by events of their own. */
  | ({ readonly kind: 'entity-removed'; readonly type: EntityType } & RemovedStores)
  /**
   * The store was emptied, and the rows of its messages, message-ids and session states lie under `rowsId` from now on instead of
   * `storeId`. The other events name a store by this id, except those of rules and counters.
   */
  | { readonly kind: 'store-emptied'; readonly storeId: number; readonly rowsId: number }
  /** A store that had been emptied is removed with its entity. */
  | { readonly kind: 'store-closed'; readonly storeId: number }
  /** The rows under this id belong to no store any more. They are removed from now on, by events of their own. */
  | { readonly kind: 'rows-discarded'; readonly rowsId: number }
  /** The last of the discarded rows was removed. */
  | { readonly kind: 'rows-removed'; readonly rowsId: number }
  /** `storeId` is the main store of the subscription. Replaces a rule of the same case-insensitive name. */
  | { readonly kind: 'rule-put'; readonly storeId: number; readonly rule: RuleRecord }
  | { readonly kind: 'rule-removed'; readonly storeId: number; readonly name: string }
  | { readonly kind: 'message-put'; readonly storeId: number; readonly message: MessageRecord }
  /**
   * A topic put copies of a message into subscriptions, which differ in their numbers only: `places` has the store id and the
   * sequence number of each in turn. `message` has the number of the first. Such events of a turn may come in any order.
   */
  | { readonly kind: 'copies-put'; readonly message: MessageRecord; readonly places: readonly number[] }
  | { readonly kind: 'message-removed'; readonly storeId: number; readonly sequenceNumber: number }
  /**
   * The number of the next message of this store; it never decreases (SEQ-11). A dead-letter store has no counter: its
   * messages keep the numbers they got in the main store (SEQ-10). A partitioned queue has a counter for each partition
   * (SEQ-06); any other queue has one, for partition 0.
   */
  | {
      readonly kind: 'sequence-put';
      readonly storeId: number;
      readonly partitionId: number;
      readonly nextSequenceNumber: number;
    }
  | { readonly kind: 'message-id-noted'; readonly storeId: number; readonly noted: MessageIdRecord }
  /** The duplicate detection window has passed, or a new message with the same key replaces the record. */
  | { readonly kind: 'message-id-forgotten'; readonly storeId: number; readonly sequenceNumber: number }
  /** Replaces an earlier state of the session. */
  | { readonly kind: 'session-state-put'; readonly storeId: number; readonly state: SessionStateRecord }
  | { readonly kind: 'session-state-removed'; readonly storeId: number; readonly sessionId: string }
  /** Replaces an earlier mark of the same copy: it has brought the messages of its source up to this number. */
  | {
      readonly kind: 'import-marked';
      readonly storeId: number;
      /** 64 hexadecimal digits. */
      readonly importId: string;
      readonly sourceNumber: number;
    }
  | { readonly kind: 'import-ended'; readonly storeId: number; readonly importId: string }
  | { readonly kind: 'content-stored'; readonly contentId: number; readonly content: Uint8Array }
  /** No message or session state refers to this content any more; its row may be deleted once no reader uses it. */
  | { readonly kind: 'content-released'; readonly contentId: number }
  /** The broker's time of the batch. After a restart the clock does not go back behind it. */
  | { readonly kind: 'time-put'; readonly now: Instant };

/** The events that the row store returns at recovery, in any order within a kind, but topics before their subscriptions. */
export type StoredEvent = Extract<
  Event,
  {
    kind:
      | 'entity-put'
      | 'rule-put'
      | 'store-emptied'
      | 'rows-discarded'
      | 'message-put'
      | 'sequence-put'
      | 'message-id-noted'
      | 'session-state-put'
      | 'import-marked';
  }
>;

/** The number of rows that an event changes, or about so many. */
export function changeCountOf(event: Event): number {
  return event.kind === 'copies-put' ? event.places.length / 2 : 1;
}
