// The properties of entities in code. Made from the tables of properties: change those, and run npm run fix.

import type { AccessRight } from '../broker/contract/entities/authorization-rule.js';

/** A duration: ISO 8601 such as `'PT30S'`, or milliseconds. */
export type GivenDuration = string | number;

/** A key for one entity. As in Azure, the right `Manage` requires `Send` and `Listen` too. */
export type GivenAuthorizationRule = {
  readonly keyName: string;
  readonly accessRights: readonly AccessRight[];
  readonly primaryKey?: string | undefined;
  readonly secondaryKey?: string | undefined;
};

/** The properties of a queue, by their names in the SDK's createQueue, createTopic and createSubscription. */
export type QueueProperties = {
  /**
   * How long a receiver holds a message, or a session, before others may have it. From just above PT0S to
   * PT5M. Default: `PT1M`.
   */
  readonly lockDuration?: GivenDuration | undefined;
  /**
   * How often a message is delivered before it goes to the dead-letter queue. From 1 to 2147483647. Default:
   * `10`.
   */
  readonly maxDeliveryCount?: number | undefined;
  /** How much the entity holds before it refuses messages. From 1 to 81920. Default: `1024`. */
  readonly maxSizeInMegabytes?: number | undefined;
  /** The size of the largest message it takes. Not given: what the tier allows. From 1 to 102400. */
  readonly maxMessageSizeInKilobytes?: number | undefined;
  /** Whether every message belongs to a session. Fixed when the entity is created. Default: `false`. */
  readonly requiresSession?: boolean | undefined;
  /**
   * Whether a message is dropped whose message id was sent before. Fixed when the entity is created. Default:
   * `false`.
   */
  readonly requiresDuplicateDetection?: boolean | undefined;
  /** How long message ids are remembered. From PT5S to P7D. Default: `PT10M`. */
  readonly duplicateDetectionHistoryTimeWindow?: GivenDuration | undefined;
  /**
   * How long a message lives that does not say so, and the longest that it may say. From PT1S to without end.
   * Default: `P10675199DT2H48M5.4775807S`.
   */
  readonly defaultMessageTimeToLive?: GivenDuration | undefined;
  /** Whether expired messages go to the dead-letter queue or are deleted. Default: `false`. */
  readonly deadLetteringOnMessageExpiration?: boolean | undefined;
  /** Kept and shown; nothing depends on it. Default: `true`. */
  readonly enableBatchedOperations?: boolean | undefined;
  /** Whether the entity has partitions. Fixed when it is created. Default: `false`. */
  readonly enablePartitioning?: boolean | undefined;
  /** Kept and shown; nothing depends on it. Default: `false`. */
  readonly enableExpress?: boolean | undefined;
  /** The operations that the entity takes: all, none, no sends, or no receives. Default: `Active`. */
  readonly status?: 'Active' | 'Disabled' | 'SendDisabled' | 'ReceiveDisabled' | undefined;
  /**
   * How long the entity is not used before it is deleted with its messages. From PT5M to without end.
   * Default: `P10675199DT2H48M5.4775807S`.
   */
  readonly autoDeleteOnIdle?: GivenDuration | undefined;
  /** The queue or topic that every message goes on to. Empty: none. */
  readonly forwardTo?: string | undefined;
  /** The queue or topic that dead-lettered messages go to. Empty: none. */
  readonly forwardDeadLetteredMessagesTo?: string | undefined;
  /** A text of your own. From 0 to 1024 characters. */
  readonly userMetadata?: string | undefined;
  /** Who may do what with the entity, by the name of a key. */
  readonly authorizationRules?: readonly GivenAuthorizationRule[] | undefined;
};

/** The properties of a topic, by their names in the SDK's createQueue, createTopic and createSubscription. */
export type TopicProperties = {
  /** How much the entity holds before it refuses messages. From 1 to 81920. Default: `1024`. */
  readonly maxSizeInMegabytes?: number | undefined;
  /** The size of the largest message it takes. Not given: what the tier allows. From 1 to 102400. */
  readonly maxMessageSizeInKilobytes?: number | undefined;
  /**
   * Whether a message is dropped whose message id was sent before. Fixed when the entity is created. Default:
   * `false`.
   */
  readonly requiresDuplicateDetection?: boolean | undefined;
  /** How long message ids are remembered. From PT5S to P7D. Default: `PT10M`. */
  readonly duplicateDetectionHistoryTimeWindow?: GivenDuration | undefined;
  /**
   * How long a message lives that does not say so, and the longest that it may say. From PT1S to without end.
   * Default: `P10675199DT2H48M5.4775807S`.
   */
  readonly defaultMessageTimeToLive?: GivenDuration | undefined;
  /** Kept and shown; nothing depends on it. Default: `true`. */
  readonly enableBatchedOperations?: boolean | undefined;
  /** Whether the entity has partitions. Fixed when it is created. Default: `false`. */
  readonly enablePartitioning?: boolean | undefined;
  /** Kept and shown; nothing depends on it. Default: `false`. */
  readonly enableExpress?: boolean | undefined;
  /** Kept and shown; nothing depends on it. Default: `true`. */
  readonly supportOrdering?: boolean | undefined;
  /** The operations that the entity takes: all, none, no sends, or no receives. Default: `Active`. */
  readonly status?: 'Active' | 'Disabled' | 'SendDisabled' | undefined;
  /**
   * How long the entity is not used before it is deleted with its messages. From PT5M to without end.
   * Default: `P10675199DT2H48M5.4775807S`.
   */
  readonly autoDeleteOnIdle?: GivenDuration | undefined;
  /** A text of your own. From 0 to 1024 characters. */
  readonly userMetadata?: string | undefined;
  /** Who may do what with the entity, by the name of a key. */
  readonly authorizationRules?: readonly GivenAuthorizationRule[] | undefined;
};

/** The properties of a subscription, by their names in the SDK's createQueue, createTopic and createSubscription. */
export type SubscriptionProperties = {
  /**
   * How long a receiver holds a message, or a session, before others may have it. From just above PT0S to
   * PT5M. Default: `PT1M`.
   */
  readonly lockDuration?: GivenDuration | undefined;
  /**
   * How often a message is delivered before it goes to the dead-letter queue. From 1 to 2147483647. Default:
   * `10`.
   */
  readonly maxDeliveryCount?: number | undefined;
  /** Whether every message belongs to a session. Fixed when the entity is created. Default: `false`. */
  readonly requiresSession?: boolean | undefined;
  /**
   * How long a message lives that does not say so, and the longest that it may say. From PT1S to without end.
   * Default: `P10675199DT2H48M5.4775807S`.
   */
  readonly defaultMessageTimeToLive?: GivenDuration | undefined;
  /** Whether expired messages go to the dead-letter queue or are deleted. Default: `false`. */
  readonly deadLetteringOnMessageExpiration?: boolean | undefined;
  /** Whether a message on which a rule fails goes to the dead-letter queue. Default: `true`. */
  readonly deadLetteringOnFilterEvaluationExceptions?: boolean | undefined;
  /** Kept and shown; nothing depends on it. Default: `true`. */
  readonly enableBatchedOperations?: boolean | undefined;
  /** The operations that the entity takes: all, none, no sends, or no receives. Default: `Active`. */
  readonly status?: 'Active' | 'Disabled' | 'ReceiveDisabled' | undefined;
  /**
   * How long the entity is not used before it is deleted with its messages. From PT5M to without end.
   * Default: `P10675199DT2H48M5.4775807S`.
   */
  readonly autoDeleteOnIdle?: GivenDuration | undefined;
  /** The queue or topic that every message goes on to. Empty: none. */
  readonly forwardTo?: string | undefined;
  /** The queue or topic that dead-lettered messages go to. Empty: none. */
  readonly forwardDeadLetteredMessagesTo?: string | undefined;
  /** A text of your own. From 0 to 1024 characters. */
  readonly userMetadata?: string | undefined;
};
