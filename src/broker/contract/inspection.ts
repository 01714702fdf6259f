// The answers of the inspection commands: everything about entities, messages, locks and sessions, as plain values.

import type { QueueDescription } from './entities/queue-description.js';
import type { SubscriptionDescription, TopicDescription } from './entities/topic-description.js';
import type { Instant } from './instant.js';
import type { BrokerProperties, DetailChanges, MessageDetails } from './message-properties.js';

/** The condition of a message in its store: a locked one is `locked`, whatever its state. Each message has exactly one. */
export type MessageCondition = 'active' | 'locked' | 'scheduled' | 'deferred';

/** The first four are the messages of the main store by condition; together they are all of them. The others count any condition. */
export type InspectedCounts = Readonly<Record<MessageCondition, number>> & {
  readonly deadLetter: number;
  /** Messages sent through it that wait for another entity (TXN-12). */
  readonly transfer: number;
  readonly transferDeadLetter: number;
};

/** The attached links of an entity, its dead-letter queues included. */
export type AttachedCounts = {
  readonly senders: number;
  readonly receivers: number;
  /** Receivers that only browse (PEEK-12). */
  readonly browsers: number;
};

type Inspected = {
  readonly path: string;
  readonly counts: InspectedCounts;
  readonly attached: AttachedCounts;
  /** The content bytes of all messages; for a topic, also of the messages in its subscriptions. */
  readonly sizeBytes: number;
  readonly createdTime: Instant;
  readonly updatedTime: Instant;
  /** The time of the last use, not before the last restart; undefined: never used (CNT-03). */
  readonly accessedTime: Instant | undefined;
};

type InspectedStore = Inspected & {
  /** The enqueued time of the active message that comes first; undefined without active messages. */
  readonly oldestActiveTime: Instant | undefined;
  /** Undefined unless it requires sessions. A session counts while it has a message, a state or a holder. */
  readonly sessions: { readonly count: number; readonly held: number } | undefined;
};

export type InspectedQueue = InspectedStore & {
  readonly kind: 'queue';
  readonly description: QueueDescription;
};

export type InspectedSubscription = InspectedStore & {
  readonly kind: 'subscription';
  readonly topicName: string;
  readonly description: SubscriptionDescription;
  readonly ruleNames: readonly string[];
};

export type InspectedTopic = Inspected & {
  readonly kind: 'topic';
  readonly description: TopicDescription;
  readonly subscriptions: readonly InspectedSubscription[];
};

export type InspectedEntity = InspectedQueue | InspectedTopic | InspectedSubscription;

export type InspectedLock = {
  readonly sequenceNumber: number;
  readonly lockToken: string;
  /** Undefined for a deferred message, received by its number. */
  readonly linkId: number | undefined;
  /** The session under whose lock the message is locked. */
  readonly sessionId: string | undefined;
  readonly startedAt: Instant;
  /** `NEVER` under the session lock of a receiver that holds it until it detaches. */
  readonly lockedUntil: Instant;
  /** Whether an open transaction settles the message: the lock does not expire before the discharge. */
  readonly isInTransaction: boolean;
  readonly deliveryCount: number;
};

/** A message in a result. The caller must read its content before it calls the broker again. */
export type InspectedMessage = {
  readonly condition: MessageCondition;
  readonly properties: BrokerProperties;
  readonly contentId: number;
  readonly storeId: number;
  readonly sizeBytes: number;
  /** Defined only in an entity that requires sessions. */
  readonly sessionId: string | undefined;
  readonly details: MessageDetails | undefined;
  readonly lock: InspectedLock | undefined;
};

export type InspectedSession = {
  readonly sessionId: string;
  /** Messages of every condition. */
  readonly messageCount: number;
  readonly lockedCount: number;
  /** Undefined: the session has no state. */
  readonly stateBytes: number | undefined;
  readonly stateSetTime: Instant | undefined;
  /** The caller must read this content before it calls the broker again. */
  readonly stateContentId: number | undefined;
  readonly holder:
    | {
        readonly linkId: number;
        readonly connectionId: number | undefined;
        /** `NEVER` if the receiver holds it until it detaches (SES-12). */
        readonly lockedUntil: Instant;
      }
    | undefined;
};

/** Everything that goes on by itself or by clients. Messages that are scheduled or deferred wait, and are not part of it. */
export type InspectedWork = {
  /** The locked messages of each store that has some; `first` is the lock that began first. */
  readonly locked: readonly {
    readonly path: string;
    readonly count: number;
    readonly first: InspectedLock;
  }[];
  /** Messages that wait to be forwarded, or transferred to the entity they were sent to. */
  readonly moving: readonly {
    readonly path: string;
    readonly count: number;
    /** Several transfers may have several; this is the first one. */
    readonly destination: string | undefined;
  }[];
  /**
   * Messages that a receiver could get, and the receivers attached to their store, with or without credit. Dead-letter queues
   * without a receiver are left out.
   */
  readonly available: readonly {
    readonly path: string;
    readonly count: number;
    readonly receiverCount: number;
  }[];
  readonly openTransactionCount: number;
};

/** Dead letters of one store that were dead-lettered for the same reason. */
export type DeadLetterGroup = {
  /** With `…` in place of each word that has a digit, if its messages have different ones. */
  readonly reason: string | undefined;
  readonly description: string | undefined;
  /** With `…` in any case. No two groups of a store have both in common. */
  readonly maskedReason: string | undefined;
  readonly maskedDescription: string | undefined;
  /** True for the one group that takes all messages beyond the limit of groups, whatever their reasons. */
  readonly isRest: boolean;
  readonly count: number;
  readonly oldestTime: Instant;
  readonly newestTime: Instant;
  /** The message that came last. */
  readonly sequenceNumber: number;
  readonly lastHolder: string | undefined;
};

/** Causes that are in the state of entities. */
export type InspectedCauses = {
  /** `path` names the entity. */
  readonly deadLetters: readonly (DeadLetterGroup & {
    readonly path: string;
    readonly isTransfer: boolean;
  })[];
  /** Entities that refuse messages because they are full. */
  readonly full: readonly {
    readonly path: string;
    readonly sizeBytes: number;
    readonly limitBytes: number;
    /** The time of the last use. */
    readonly accessedTime: Instant;
  }[];
  /** Messages that wait because their destination refuses them. */
  readonly waiting: readonly {
    readonly path: string;
    readonly isDeadLetter: boolean;
    readonly destination: string;
    readonly count: number;
    readonly enqueuedTime: Instant;
  }[];
};

/** The outcome of a rule for a message. */
export type RuleOutcome =
  | { readonly kind: 'not-matched' }
  | {
      readonly kind: 'matched';
      /** The changes of its action; undefined for a rule without one. */
      readonly changes: Pick<DetailChanges, 'propertyChanges' | 'systemChanges'> | undefined;
    }
  | { readonly kind: 'error'; readonly reason: string; readonly description: string };

export type TestedRule = {
  readonly subscriptionName: string;
  readonly ruleName: string;
  readonly outcome: RuleOutcome;
  /** How the outcome of its filter comes about. */
  readonly filter: FilterPart;
};

/** A part of a filter and its truth for a message. */
export type FilterPart = {
  /** The part in SQL. */
  readonly text: string;
  /** `skipped`: a part before it had decided. */
  readonly outcome: 'true' | 'false' | 'unknown' | 'error' | 'skipped';
  /** The values that it was about, or the error; empty for a part that only joins others. */
  readonly because: string;
  readonly parts: readonly FilterPart[];
};
