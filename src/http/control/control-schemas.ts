// The answers of the control interface as zod schemas; their types derive from them. zod is slow to load, so this file is
// loaded with the first request to the interface.

import { z } from 'zod';
import { CAUSE_KINDS } from '../../watch/causes.js';
import { KINDS, SHAPES } from '../../watch/record-kinds.js';
import {
  queuePropertiesSchema,
  subscriptionPropertiesSchema,
  topicPropertiesSchema,
} from './entity-schemas.js';

/** ISO 8601, UTC, with milliseconds. */
const time = z.iso.datetime();
/**
 * A time that a sender chose. A year outside 0 to 9999 has a sign and six digits. The field is missing for a time that a JavaScript date
 * cannot hold.
 */
const chosenTime = z
  .string()
  .regex(/^(\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({
    description:
      'ISO 8601, UTC, with milliseconds; a year after 9999 has a sign and six digits. Missing for a time after the year 275760, which a date cannot hold.',
  });
const count = z.int().nonnegative();

export const typedValueSchema = z
  .strictObject({
    type: z.string(),
    get value() {
      return z.union([
        z.null(),
        z.boolean(),
        z.number(),
        z.string(),
        z.array(typedValueSchema),
        z.array(z.tuple([typedValueSchema, typedValueSchema])),
      ]);
    },
    descriptor: z.string().optional(),
  })
  .meta({
    id: 'TypedValue',
    description:
      'An AMQP value with its type. Integers beyond 2^53 are texts, times are ISO 8601, and binaries are Base64.',
  });

export const infoSchema = z.strictObject({
  product: z.literal('Jitney'),
  /** Missing for `default`. */
  namespace: z.string().optional(),
  version: z.string(),
  node: z.string(),
  startedTime: time,
  uptimeMs: z.number().nonnegative(),
  auth: z.enum(['any', 'strict']),
  tier: z.enum(['basic', 'standard', 'premium']),
  ports: z.strictObject({
    port: z.int().optional(),
    httpPort: z.int().optional(),
    tlsPort: z.int().optional(),
    httpsPort: z.int().optional(),
  }),
  /** For clients that can reach the host of this request. The key is masked if keys are checked. */
  connectionString: z.string().optional(),
  /** The policy whose key is masked. */
  maskedPolicy: z.string().optional(),
  /** Whether `/ca.pem` has a certificate to trust. */
  hasAuthority: z.boolean().optional(),
  settings: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])),
  /** Where each setting comes from, such as `--tier`. A setting that is missing here comes from code or is a default. */
  settingOrigins: z.record(z.string(), z.string()),
  /** The limits of the tier, without the infinite ones. */
  limits: z.record(z.string(), z.union([z.number(), z.boolean()])),
});

export const countsSchema = z.strictObject({
  active: count,
  locked: count,
  scheduled: count,
  deferred: count,
  deadLetter: count,
  transfer: count,
  transferDeadLetter: count,
});

const common = {
  path: z.string(),
  status: z.enum(['Active', 'Disabled', 'SendDisabled', 'ReceiveDisabled']),
  counts: countsSchema,
  links: z.strictObject({ senders: count, receivers: count, browsers: count }),
  sizeBytes: count,
  createdTime: time,
  updatedTime: time,
  accessedTime: time.optional(),
  duplicateDetectionWindowMs: z.number().optional(),
  defaultTimeToLiveMs: z.number().optional(),
  autoDeleteOnIdleMs: z.number().optional(),
};
const receiving = {
  oldestActiveTime: time.optional(),
  lockDurationMs: z.number(),
  maxDeliveryCount: z.int(),
  requiresSession: z.boolean(),
  sessions: z.strictObject({ count, held: count }).optional(),
  forwardTo: z.string().optional(),
  forwardDeadLetteredMessagesTo: z.string().optional(),
};

export const queueSchema = z.strictObject({
  kind: z.literal('queue'),
  ...common,
  ...receiving,
  isPartitioned: z.boolean(),
  maxSizeInMegabytes: z.number(),
  properties: queuePropertiesSchema,
});
export const subscriptionSchema = z.strictObject({
  kind: z.literal('subscription'),
  name: z.string(),
  topic: z.string(),
  rules: z.array(z.string()),
  ...common,
  ...receiving,
  properties: subscriptionPropertiesSchema,
});
export const topicSchema = z.strictObject({
  kind: z.literal('topic'),
  ...common,
  isPartitioned: z.boolean(),
  maxSizeInMegabytes: z.number(),
  properties: topicPropertiesSchema,
  subscriptions: z.array(subscriptionSchema),
});
export const entitySchema = z.discriminatedUnion('kind', [queueSchema, topicSchema, subscriptionSchema]);
export const entitiesSchema = z.strictObject({ entities: z.array(z.union([queueSchema, topicSchema])) });

export const lockSchema = z.strictObject({
  sequenceNumber: count,
  /** The first 8 digits. With the whole token, its reader could settle the message. */
  tokenStart: z.string().length(8),
  /** Missing for a deferred message, because it was received by its number. */
  linkId: z.int().optional(),
  /** Set if the lock ends with the lock of the session. */
  sessionId: z.string().optional(),
  startedTime: time,
  /** Missing if the lock lasts until the receiver detaches. */
  lockedUntil: time.optional(),
  isInTransaction: z.boolean(),
  deliveryCount: count,
});

export const stateSchema = z.enum(['active', 'locked', 'scheduled', 'deferred']);

const bodyParts = { section: z.enum(['data', 'value', 'sequence', 'none']), sizeBytes: count };
export const bodySchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('empty'), ...bodyParts }),
  z.strictObject({ kind: z.literal('json'), ...bodyParts, value: z.unknown() }),
  z.strictObject({ kind: z.literal('text'), ...bodyParts, text: z.string() }),
  z.strictObject({ kind: z.literal('base64'), ...bodyParts, base64: z.string() }),
  z.strictObject({ kind: z.literal('value'), ...bodyParts, value: typedValueSchema }),
  z.strictObject({ kind: z.literal('sequence'), ...bodyParts, value: z.array(typedValueSchema) }),
]);

/** `content/shown-message.ts` explains the fields. */
export const messageSchema = z.strictObject({
  sequenceNumber: count,
  state: stateSchema,
  enqueuedTime: time,
  expiresAt: chosenTime.optional(),
  scheduledTime: chosenTime.optional(),
  lockedUntil: time.optional(),
  deliveryCount: count,
  enqueuedSequenceNumber: count.optional(),
  partitionId: count.optional(),
  sizeBytes: count,
  hopCount: count,
  destination: z.string().optional(),
  deadLetterReason: z.string().optional(),
  deadLetterErrorDescription: z.string().optional(),
  deadLetterSource: z.string().optional(),
  lastHolder: z.string().optional(),
  deadLetteredTime: time.optional(),
  messageId: z.string().optional(),
  subject: z.string().optional(),
  correlationId: z.string().optional(),
  contentType: z.string().optional(),
  to: z.string().optional(),
  replyTo: z.string().optional(),
  sessionId: z.string().optional(),
  replyToSessionId: z.string().optional(),
  partitionKey: z.string().optional(),
  viaPartitionKey: z.string().optional(),
  timeToLiveMs: z.number().optional(),
  scheduledEnqueueTime: chosenTime.optional(),
  applicationProperties: z.record(z.string(), typedValueSchema),
  annotations: z.record(z.string(), typedValueSchema),
  body: bodySchema,
  lock: lockSchema.optional(),
});
const raw = z.strictObject({
  base64: z.base64(),
  sections: z.array(z.strictObject({ name: z.string(), start: count, end: count })),
});
export const messagesSchema = z.strictObject({
  messages: z.array(messageSchema.extend({ raw: raw.optional() })),
  /** The `from` of the next page; missing on the last one. A page may have a next one without having a message. */
  next: count.optional(),
  /** The messages of this page that were looked at, in the wanted states. */
  scannedCount: count,
  /** All messages of the entity in the wanted states. */
  totalCount: count,
});
const searchedCounts = { scannedCount: count, totalCount: count };
export const searchHitSchema = z.strictObject({
  path: z.string(),
  subQueue: z.enum(['deadletter', 'transfer', 'transferDeadLetter']).optional(),
  state: stateSchema,
  sequenceNumber: count,
  messageId: z.string().optional(),
  correlationId: z.string().optional(),
  sessionId: z.string().optional(),
  enqueuedTime: time,
  /** `sequenceNumber`, `messageId`, `correlationId`, `sessionId`, `subject`, or `prop.` and the name of an application property. */
  field: z.string(),
  /** The text that matched; at most 200 characters around the match. */
  value: z.string(),
});
export const searchProgressSchema = z.strictObject({ ...searchedCounts, path: z.string() });
/** `isCut`: not all messages were searched; a search with `next` as its `from` goes on. */
export const searchEndSchema = z.strictObject({
  ...searchedCounts,
  isCut: z.boolean(),
  next: z.string().optional(),
});
export const rawMessageSchema = messageSchema.extend({ raw });

export const sentSchema = z.strictObject({ sequenceNumbers: z.array(count) });

export const locksSchema = z.strictObject({ locks: z.array(lockSchema), next: count.optional() });

const session = {
  sessionId: z.string(),
  messageCount: count,
  lockedCount: count,
  stateBytes: count.optional(),
  stateSetTime: time.optional(),
  holder: z
    .strictObject({
      linkId: z.int(),
      connectionId: z.int().optional(),
      lockedUntil: time.optional(),
    })
    .optional(),
};
export const sessionsSchema = z.strictObject({
  sessions: z.array(z.strictObject(session)),
  next: z.string().optional(),
});
export const sessionSchema = z.strictObject({
  ...session,
  state: bodySchema.optional(),
  /** The bytes of the state. */
  stateBase64: z.base64().optional(),
});

/** All fields that only some kinds of records have. */
const activityFields = Object.fromEntries(
  KINDS.flatMap((kind) => {
    const { numbers, texts } = SHAPES[kind];
    return [
      ...numbers.map((name) => [name, z.union([z.number(), chosenTime]).optional()] as const),
      ...texts.map((name) => [name, z.string().optional()] as const),
    ];
  }),
);
const clientSchema = z.strictObject({
  connectionId: z.int(),
  name: z.string(),
  product: z.string().optional(),
  /** The client for people: what the program calls itself, else its SDK, and its port. */
  label: z.string(),
  /** The identifier that the program has given its sender or receiver. */
  identifier: z.string().optional(),
});

export const eventSchema = z
  .strictObject({
    ...activityFields,
    id: z.int().positive(),
    time,
    kind: z.enum(KINDS),
    path: z.string().optional(),
    sequenceNumber: count.optional(),
    linkId: z.int().optional(),
    client: clientSchema.optional(),
  })
  .meta({ id: 'Event', description: 'Something that happened. The kind decides which fields it has.' });
export const historySchema = z.strictObject({
  /** `text` is the sentence of the event, without the client. */
  events: z.array(eventSchema.extend({ text: z.string() })),
  /** Whether the events reach back to the arrival of the message. */
  isComplete: z.boolean(),
  /** From when on there is everything, if they do not. */
  since: time.optional(),
  /** Deliveries that are left out between the first ten and the last ten. */
  omittedDeliveries: count,
});

export const causesSchema = z.strictObject({
  causes: z.array(
    z.strictObject({
      key: z.string(),
      kind: z.enum(CAUSE_KINDS),
      /** Whether somebody must act, and not only know. */
      isBad: z.boolean(),
      title: z.string(),
      text: z.string(),
      /** The path of the entity, without its sub-queue. */
      path: z.string().optional(),
      subQueue: z.enum(['deadletter', 'transferDeadLetter']).optional(),
      /** With `…` in place of numbers and ids, in which dead letters differ. */
      reason: z.string().optional(),
      /** With `…` in place of numbers and ids. */
      description: z.string().optional(),
      count,
      oldestTime: time,
      newestTime: time,
      /** The last message. */
      sequenceNumber: count.optional(),
      lastHolder: z.string().optional(),
      client: clientSchema.optional(),
      /** The path of the entity that was probably meant. */
      suggestion: z.string().optional(),
    }),
  ),
});
/** The messages of each step, oldest first; null where nobody counted. */
const points = z.array(count.nullable());
export const ratesSchema = z.strictObject({
  /** The start of the first step. */
  from: time,
  stepMs: z.int(),
  entities: z.array(
    z.strictObject({
      /** Empty for the whole namespace. */
      path: z.string(),
      in: points,
      out: points,
      deadLettered: points,
    }),
  ),
});
export type RatesAnswer = z.infer<typeof ratesSchema>;
export type CausesAnswer = z.infer<typeof causesSchema>;

export type EventAnswer = z.infer<typeof eventSchema>;
export type HistoryAnswer = z.infer<typeof historySchema>;

/** The selected messages that were changed, and the messages that were left alone, each with the reason. */
export const managedSchema = z.strictObject({
  count,
  /** The first 250, by the numbers that they had before. */
  sequenceNumbers: z.array(count),
  /** The numbers that moved and resubmitted messages have now, in the same order. */
  newSequenceNumbers: z.array(count).optional(),
  skippedCount: count,
  /** The first 250. */
  skipped: z.array(z.strictObject({ sequenceNumber: count, code: z.string(), message: z.string() })),
  /** With `max`: goes on behind what was looked at; missing if that was all. */
  next: z.string().optional(),
});
export const clockSchema = z.strictObject({
  mode: z.enum(['real', 'offset', 'frozen', 'scaled']),
  /** How many milliseconds pass for the broker in one millisecond of the machine. */
  rate: z.number().nonnegative(),
  offsetMs: z.number(),
  /** The broker's time, which decides when locks, schedules and times to live end. All other answers have the machine's time. */
  time,
  realTime: time,
  /** When the next thing is due, in the broker's time. */
  nextDue: time.optional(),
});
export const advancedSchema = z.strictObject({
  from: time,
  to: time,
  /** Everything that fell due on the way, in order; at most the first 10,000. */
  fired: z.array(eventSchema),
  clock: clockSchema,
});
/** The messages that were stored, those that the same copy had brought before, and the last number of the source that it has brought. */
export const importedSchema = z.strictObject({
  count,
  skippedCount: count,
  /** The last number that has come with the importId, of each partition of the source. */
  marks: z.array(count).optional(),
});
/** The number of messages that were removed. */
export const purgedSchema = z.strictObject({ count });
export const restoredSchema = z.strictObject({ count });
/** `ended`: false if there was nothing to end. */
export const endedSchema = z.strictObject({ ended: z.boolean() });

export const connectionsSchema = z.strictObject({
  connections: z.array(
    z.strictObject({
      connectionId: z.int(),
      containerId: z.string(),
      product: z.string().optional(),
      transport: z.enum(['tcp', 'tls', 'websocket', 'websocket-tls', 'http', 'https']),
      /** The client for people: what the program calls itself, else its SDK, and its port. */
      label: z.string(),
      address: z.string().optional(),
      port: z.int().optional(),
      since: time,
      /** How SASL identified the client. */
      mechanism: z.enum(['MSSBCBS', 'ANONYMOUS', 'EXTERNAL', 'PLAIN']).optional(),
      policy: z.string().optional(),
      links: z.array(
        z.strictObject({
          /** Missing for links to `$cbs`, `$management` and the transaction coordinator. */
          linkId: z.int().optional(),
          role: z.enum(['sender', 'receiver', 'browser', 'session-receiver', 'control', 'management']),
          path: z.string(),
          name: z.string(),
          /** The identifier of the sender or receiver. The SDK makes one up if the program gives none. */
          identifier: z.string().optional(),
          since: time,
          credit: count,
          /** Deliveries that the client has not settled; missing for a sender. */
          unsettledCount: count.optional(),
          settleMode: z.enum(['unsettled', 'settled', 'mixed']),
        }),
      ),
    }),
  ),
});

export const filterPartSchema = z
  .strictObject({
    /** The part as SQL. */
    text: z.string(),
    /** `skipped`: an earlier part had already decided the result. */
    outcome: z.enum(['true', 'false', 'unknown', 'error', 'skipped']),
    /** The values that were compared, or the error. */
    because: z.string(),
    get parts() {
      return z.array(filterPartSchema);
    },
  })
  .meta({ id: 'FilterPart', description: 'A part of a filter, and whether it is true for the message.' });

export const testedRulesSchema = z.strictObject({
  rules: z.array(
    z.strictObject({
      subscription: z.string(),
      rule: z.string(),
      outcome: z.enum(['matched', 'not-matched', 'error']),
      filter: filterPartSchema,
      error: z.strictObject({ reason: z.string(), description: z.string() }).optional(),
      /** The changes of the rule's action; null clears or removes a property. */
      changes: z
        .strictObject({
          properties: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
          applicationProperties: z.record(z.string(), typedValueSchema.nullable()),
        })
        .optional(),
    }),
  ),
});

export const addedFaultSchema = z.strictObject({
  id: count,
  /** The fault as it was added. */
  fault: z.record(z.string(), z.unknown()),
  /** The number of operations that match the fault. */
  matchedCount: count,
  /** How often the fault has happened. */
  firedCount: count,
  /** Whether the fault can still happen. */
  isActive: z.boolean(),
  note: z.string().optional().describe('When it is added: says that its entity does not exist yet'),
});
export const faultsSchema = z.strictObject({ faults: z.array(addedFaultSchema) });
export const clearedSchema = z.strictObject({ count });
export const createdSchema = z.strictObject({ created: z.string() });

export const errorSchema = z.strictObject({
  error: z.strictObject({ code: z.string(), message: z.string(), hint: z.string().optional() }),
});

export const namespaceSchema = z.strictObject({
  name: z.string(),
  /** For clients that can reach the host of this request. The key is masked if keys are checked. */
  connectionString: z.string().optional(),
  /** The port of its own. */
  port: z.int().optional(),
  /** Whether a client has made it by the name of its key, so that it is given up when it is no longer used. */
  isMade: z.boolean(),
  entities: count,
  active: count,
  deadLetter: count,
  connections: count,
});
export const namespacesSchema = z.strictObject({ namespaces: z.array(namespaceSchema) });

export type NamespaceAnswer = z.infer<typeof namespaceSchema>;
export type NamespacesAnswer = z.infer<typeof namespacesSchema>;
export type EntityAnswer = z.infer<typeof entitySchema>;
export type EntitiesAnswer = z.infer<typeof entitiesSchema>;
export type QueueAnswer = z.infer<typeof queueSchema>;
export type TopicAnswer = z.infer<typeof topicSchema>;
export type SubscriptionAnswer = z.infer<typeof subscriptionSchema>;
export type ClockAnswer = z.infer<typeof clockSchema>;
export type AdvancedAnswer = z.infer<typeof advancedSchema>;
export type InfoAnswer = z.infer<typeof infoSchema>;
export type LockAnswer = z.infer<typeof lockSchema>;
export type MessageAnswer = z.infer<typeof messageSchema>;
export type MessagesAnswer = z.infer<typeof messagesSchema>;
export type RawMessageAnswer = z.infer<typeof rawMessageSchema>;
export type SearchHitAnswer = z.infer<typeof searchHitSchema>;
export type LocksAnswer = z.infer<typeof locksSchema>;
export type SessionsAnswer = z.infer<typeof sessionsSchema>;
export type SessionAnswer = z.infer<typeof sessionSchema>;
export type ImportedAnswer = z.infer<typeof importedSchema>;
export type PurgedAnswer = z.infer<typeof purgedSchema>;
export type RestoredAnswer = z.infer<typeof restoredSchema>;
export type ManagedAnswer = z.infer<typeof managedSchema>;
export type ConnectionsAnswer = z.infer<typeof connectionsSchema>;
export type ConnectionAnswer = ConnectionsAnswer['connections'][number];
export type AddedFaultAnswer = z.infer<typeof addedFaultSchema>;
export type FaultsAnswer = z.infer<typeof faultsSchema>;
export type CreatedAnswer = z.infer<typeof createdSchema>;
export type ClearedAnswer = z.infer<typeof clearedSchema>;
export type EndedAnswer = z.infer<typeof endedSchema>;
export type SentAnswer = z.infer<typeof sentSchema>;
export type FilterPartAnswer = z.infer<typeof filterPartSchema>;
export type TestedRulesAnswer = z.infer<typeof testedRulesSchema>;
