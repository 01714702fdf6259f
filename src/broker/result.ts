// What a command answers to the one who asked: values only, never the broker's own objects.

import type { QueueDescription } from './entity/queue-description.js';
import type { SubscriptionDescription, TopicDescription } from './entity/topic-description.js';
import type { RuleRecord } from './event.js';
import type { Instant } from './instant.js';
import type { BrokerProperties } from './message/message-properties.js';
import type { ServiceBusError } from './service-bus-error.js';

/** A message as a result: its content is read by whoever is told, before anything else happens in that call. */
export type FoundMessage = {
  readonly contentId: number;
  readonly properties: BrokerProperties;
  /** 32 hexadecimal digits; undefined unless it was locked for the one who asked. */
  readonly lockToken: string | undefined;
  readonly lockedUntil: Instant | undefined;
};

/** CNT-01. Locked messages count by their state. */
export type MessageCounts = {
  /** Active and deferred. */
  readonly active: number;
  readonly scheduled: number;
  readonly deadLetter: number;
  /** Sent through it and waiting for another entity (TXN-12); of a topic, through its subscriptions as well. */
  readonly transfer: number;
  readonly transferDeadLetter: number;
};

export type QueueInfo = {
  readonly description: QueueDescription;
  readonly counts: MessageCounts;
  /** Content of all messages, dead-lettered ones included. */
  readonly sizeBytes: number;
  readonly createdTime: Instant;
  readonly updatedTime: Instant;
  /** The last send, receive, settlement or browse; since a restart at the earliest. Undefined: it was never used (CNT-03). */
  readonly accessedTime: Instant | undefined;
};

export type TopicInfo = {
  readonly description: TopicDescription;
  /** Of the topic itself: what is active or dead-lettered is in its subscriptions. */
  readonly counts: MessageCounts;
  readonly subscriptionCount: number;
  /** The filters of all its subscriptions; those that match everything or nothing count as SQL. */
  readonly filterCounts: { readonly sql: number; readonly correlation: number };
  /** A content counts once, however many copies share it (CNT-02). */
  readonly sizeBytes: number;
  readonly createdTime: Instant;
  readonly updatedTime: Instant;
  /** As of a queue. */
  readonly accessedTime: Instant | undefined;
};

export type SubscriptionInfo = {
  /** In the case of its creation (ENT-02). */
  readonly topicName: string;
  readonly description: SubscriptionDescription;
  /** Nothing is scheduled in a subscription (CNT-01). */
  readonly counts: MessageCounts;
  readonly createdTime: Instant;
  readonly updatedTime: Instant;
  readonly accessedTime: Instant;
};

export type Result =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly error: ServiceBusError }
  /** Of a step, one for each of its commands; if one is refused, the step has failed with its error. */
  | { readonly kind: 'step'; readonly results: readonly Result[] }
  /** Answers `find-entity`, `attach-sender`, `attach-receiver`, `attach-browser` and `accept-session`. */
  | {
      readonly kind: 'entity';
      readonly path: string;
      readonly maxMessageSizeBytes: number;
      readonly maxBatchSizeBytes: number;
    }
  /** Of `declare-transaction`. */
  | { readonly kind: 'declared'; readonly transactionId: number }
  /** Of `enlist`: checked, and held until the discharge. */
  | { readonly kind: 'enlisted' }
  /** In the order of the messages; a duplicate has the number of the message it repeats (DUP-05). */
  | { readonly kind: 'sent'; readonly sequenceNumbers: readonly number[] }
  /** Of `peek` and `receive-deferred`, in ascending order or as asked for. */
  | { readonly kind: 'messages'; readonly messages: readonly FoundMessage[] }
  | { readonly kind: 'deleted'; readonly count: number }
  | { readonly kind: 'queue-info'; readonly queue: QueueInfo }
  | { readonly kind: 'topic-info'; readonly topic: TopicInfo }
  | { readonly kind: 'subscription-info'; readonly subscription: SubscriptionInfo }
  | { readonly kind: 'queues'; readonly queues: readonly QueueInfo[] }
  | { readonly kind: 'topics'; readonly topics: readonly TopicInfo[] }
  | { readonly kind: 'subscriptions'; readonly subscriptions: readonly SubscriptionInfo[] }
  /** Of `list-rules` and of `get-rule`. */
  | { readonly kind: 'rules'; readonly rules: readonly RuleRecord[] }
  /** Of `renew-lock`, in the order of the tokens, and of `renew-session-lock`. */
  | { readonly kind: 'renewed'; readonly lockedUntil: readonly Instant[] }
  /** Names the content that is the state, to be read like that of a found message; undefined: there is none. */
  | { readonly kind: 'session-state'; readonly contentId: number | undefined }
  | { readonly kind: 'sessions'; readonly sessionIds: readonly string[] };
