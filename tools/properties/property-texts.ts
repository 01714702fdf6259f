// What each property of an entity means: for the types of `startEmulator`, docs/entities.md and the schema of a Config.json.

/** By the names in the tables of properties. */
export const PROPERTY_TEXTS: Readonly<Record<string, string>> = {
  lockDuration: 'How long a receiver holds a message, or a session, before others may have it.',
  maxDeliveryCount: 'How often a message is delivered before it goes to the dead-letter queue.',
  maxSizeInMegabytes: 'How much the entity holds before it refuses messages.',
  maxMessageSizeInKilobytes: 'The size of the largest message it takes. Not given: what the tier allows.',
  requiresSession: 'Whether every message belongs to a session. Fixed when the entity is created.',
  requiresDuplicateDetection:
    'Whether a message is dropped whose message id was sent before. Fixed when the entity is created.',
  duplicateDetectionHistoryTimeWindow: 'How long message ids are remembered.',
  defaultMessageTimeToLive: 'How long a message lives that does not say so, and the longest that it may say.',
  deadLetteringOnMessageExpiration: 'Whether expired messages go to the dead-letter queue or are deleted.',
  deadLetteringOnFilterEvaluationExceptions:
    'Whether a message on which a rule fails goes to the dead-letter queue.',
  enableBatchedOperations: 'Kept and shown; nothing depends on it.',
  enablePartitioning: 'Whether the entity has partitions. Fixed when it is created.',
  enableExpress: 'Kept and shown; nothing depends on it.',
  supportOrdering: 'Kept and shown; nothing depends on it.',
  status: 'The operations that the entity takes: all, none, no sends, or no receives.',
  autoDeleteOnIdle: 'How long the entity is not used before it is deleted with its messages.',
  forwardTo: 'The queue or topic that every message goes on to. Empty: none.',
  forwardDeadLetteredMessagesTo: 'The queue or topic that dead-lettered messages go to. Empty: none.',
  userMetadata: 'A text of your own.',
  authorizationRules: 'Who may do what with the entity, by the name of a key.',
};

export const FILTER_TYPE_TEXT =
  'Correlation compares properties, Sql evaluates an expression, True takes every message and False none.';
