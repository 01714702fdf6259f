// The results of commands: plain values, never the broker's own objects.

import type { ContentSource } from './effect.js';
import type { DescribedSubscription } from './entities/entity.js';
import type { QueueDescription } from './entities/queue-description.js';
import type { Subscriber } from './entities/subscriber.js';
import type { TopicDescription } from './entities/topic-description.js';
import type { RuleRecord } from './event.js';
import type {
  InspectedCauses,
  InspectedEntity,
  InspectedLock,
  InspectedMessage,
  InspectedSession,
  InspectedWork,
  TestedRule,
} from './inspection.js';
import type { Instant } from './instant.js';
import type { ManagedMessages } from './management.js';
import type { BrokerProperties } from './message-properties.js';
import type { ServiceBusError } from './service-bus-error.js';
import type { Snapshot } from './snapshot.js';

/** A message in a result. The caller must read its content before it calls the broker again. */
export type FoundMessage = ContentSource & {
  readonly properties: BrokerProperties;
  /** 32 hexadecimal digits; undefined unless the command locked the message. */
  readonly lockToken: string | undefined;
  readonly lockedUntil: Instant | undefined;
};

/** CNT-01. A locked message counts under its state. */
export type MessageCounts = {
  /** Active and deferred. */
  readonly active: number;
  readonly scheduled: number;
  readonly deadLetter: number;
  /** Messages sent through it that wait for another entity (TXN-12); for a topic, also those sent through its subscriptions. */
  readonly transfer: number;
  readonly transferDeadLetter: number;
};

type Counted = {
  readonly counts: MessageCounts;
  /** The content bytes of all messages, dead-lettered ones included. In a topic, copies that share a content count once (CNT-02). */
  readonly sizeBytes: number;
  readonly createdTime: Instant;
  readonly updatedTime: Instant;
  /** The time of the last send, receive, settlement or browse, not before the last restart. Undefined: never used (CNT-03). */
  readonly accessedTime: Instant | undefined;
};

export type QueueInfo = Counted & { readonly type: 'queue'; readonly description: QueueDescription };

/** Active and dead-lettered messages of a topic are in its subscriptions, and nothing is scheduled there (CNT-01). */
export type TopicInfo = Counted & {
  readonly type: 'topic';
  readonly description: TopicDescription;
  readonly subscriptionCount: number;
  /** The filters of all its subscriptions. True and false filters count as SQL. */
  readonly filterCounts: { readonly sql: number; readonly correlation: number };
};

/** A subscription that was never used has the time of its last change as its accessed time. */
export type SubscriptionInfo = Counted & DescribedSubscription & { readonly accessedTime: Instant };

export type EntityInfo = QueueInfo | TopicInfo | SubscriptionInfo;

export type Result =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly error: ServiceBusError }
  /** Answers `step` with one result for each command. If one is refused, the whole step is `failed` with its error. */
  | { readonly kind: 'step'; readonly results: readonly Result[] }
  /** Answers `find-entity`, `attach-sender`, `attach-receiver`, `attach-browser`, `attach-temporary`, `attach-subscriber` and `accept-session`. */
  | {
      readonly kind: 'entity';
      readonly path: string;
      readonly isTopic: boolean;
      readonly maxMessageSizeBytes: number;
      readonly maxBatchSizeBytes: number;
    }
  /** Answers `find-subscriber`. */
  | { readonly kind: 'subscriber'; readonly topicName: string; readonly subscriber: Subscriber }
  /** Answers `declare-transaction`. */
  | { readonly kind: 'declared'; readonly transactionId: number }
  /** Answers `enlist`: the command was checked and waits for the discharge. */
  | { readonly kind: 'enlisted' }
  /** Numbers in the order of the messages. A duplicate has the number of the message it repeats (DUP-05). */
  | { readonly kind: 'sent'; readonly sequenceNumbers: readonly number[] }
  /** Answers `peek` in ascending order, and `receive-deferred` in the order of the request. */
  | { readonly kind: 'messages'; readonly messages: readonly FoundMessage[] }
  | { readonly kind: 'deleted'; readonly count: number }
  /** Answers `purge` and `reset` with the number of messages, whatever their state. */
  | { readonly kind: 'purged'; readonly count: number }
  /** Answers `take-snapshot`. Its contents are read as a `FoundMessage`'s content is. */
  | { readonly kind: 'snapshot'; readonly snapshot: Snapshot }
  /** Answers `restore-snapshot` with the number of messages, whatever their state. */
  | { readonly kind: 'restored'; readonly count: number }
  /** Answers `get-entity`, and `put-entity` with the entity at the end of the turn. */
  | { readonly kind: 'entity-info'; readonly entity: EntityInfo }
  /** Answers `list-entities`, sorted by name. */
  | { readonly kind: 'entities'; readonly entities: readonly EntityInfo[] }
  /** Answers `list-rules` and `get-rule`. */
  | { readonly kind: 'rules'; readonly rules: readonly RuleRecord[] }
  /** Answers `renew-lock`, in the order of the tokens, and `renew-session-lock`. */
  | { readonly kind: 'renewed'; readonly lockedUntil: readonly Instant[] }
  /** The content id of the state, read like that of a `FoundMessage`; undefined: the session has no state. */
  | { readonly kind: 'session-state'; readonly contentId: number | undefined }
  | { readonly kind: 'sessions'; readonly sessionIds: readonly string[] }
  /** Answers `inspect-namespace` in the order of names. */
  | { readonly kind: 'inspected-entities'; readonly entities: readonly InspectedEntity[] }
  /** `next` continues a list that was cut short; undefined: nothing follows. So in the two below. */
  | {
      readonly kind: 'inspected-messages';
      readonly messages: readonly InspectedMessage[];
      readonly next: number | undefined;
      /** All messages of the store in the wanted conditions. */
      readonly totalCount: number;
    }
  | {
      readonly kind: 'inspected-locks';
      readonly locks: readonly InspectedLock[];
      readonly next: number | undefined;
    }
  | {
      readonly kind: 'inspected-sessions';
      readonly sessions: readonly InspectedSession[];
      readonly next: string | undefined;
    }
  | { readonly kind: 'inspected-work'; readonly work: InspectedWork }
  /** Undefined while dead letters are still counted: ask again. */
  | { readonly kind: 'inspected-causes'; readonly causes: InspectedCauses | undefined }
  /** Answers `test-rules`, in the order of subscriptions and of the names of rules. */
  | { readonly kind: 'tested-rules'; readonly rules: readonly TestedRule[] }
  /** Answers `manage-messages`. */
  | ({ readonly kind: 'managed-messages' } & ManagedMessages)
  /** Answers `import-messages`: the new numbers, how many messages were here already, and how far the copy is. */
  | {
      readonly kind: 'imported';
      readonly sequenceNumbers: readonly number[];
      readonly skippedCount: number;
      /** The last number of each partition that has come with this id. */
      readonly marks: readonly number[];
    }
  /** Answers `end-session`. */
  | { readonly kind: 'session-ended'; readonly wasHeld: boolean };
