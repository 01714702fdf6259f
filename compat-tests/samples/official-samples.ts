// What we know of Microsoft's samples for @azure/service-bus 7: what each needs, how it shows that it worked, and which wait for a feature.

/** Both ends included. */
export type Range = { readonly from: number; readonly to: number };

export type Expectation = {
  /** Lines that must be printed, and how often. */
  readonly prints?: readonly { readonly pattern: RegExp; readonly times: Range }[];
  /** It goes on for ever, and is stopped when it has printed this so often. */
  readonly runsUntil?: { readonly pattern: RegExp; readonly times: number };
  /** Messages in its queue and in the dead-letter queue when it has ended. */
  readonly leaves?: { readonly active: Range; readonly deadLettered: Range };
};

export type RunnableSample = Expectation & {
  readonly kind: 'runs';
  /** Path below `javascript` or `typescript/src`, without its ending. */
  readonly name: string;
  /** Samples that must have run on the same namespace before. */
  readonly after?: readonly string[];
  /** Its queue is the one that requires sessions. */
  readonly usesSessions?: true;
  /** What is in that queue before it: so many messages in each of so many sessions. */
  readonly finds?: { readonly sessionCount: number; readonly messageCount: number };
  /** Uses what only the preview of the SDK has: an operation, or administration over plain HTTP. */
  readonly isPreview?: true;
  /** It goes through a proxy that the runner has for it. */
  readonly usesProxy?: true;
  /** It makes its queue itself, and would mind one that is there. */
  readonly makesQueue?: true;
  readonly timeLimitMs: number;
};

export type WaitingSample = {
  readonly kind: 'waits';
  readonly name: string;
  readonly waitsFor: string;
};

export type OfficialSample = RunnableSample | WaitingSample;

/** The queues of the samples, with Azure's defaults. */
export const QUEUE = 'samples-queue';
export const QUEUE_WITH_SESSIONS = 'samples-queue-with-sessions';

/** Where a Jitney is, and what trusts it. */
export type SamplePlace = {
  readonly connectionString: string;
  readonly host: string;
  readonly port: number;
  /** The file of its certificate authority. */
  readonly caFile: string;
  readonly proxy: string | undefined;
};

/** For every generation: a connection string, or the name of a namespace and a credential that finds its token offline. */
export function sampleEnvironment(place: SamplePlace): Record<string, string> {
  const namespace = `${place.host}:${place.port}`;
  return {
    SERVICEBUS_CONNECTION_STRING: place.connectionString,
    SERVICEBUS_FQDN: namespace,
    SERVICEBUS_HOSTNAME: namespace,
    SERVICEBUS_ENDPOINT: namespace,
    SERVICEBUS_FULLY_QUALIFIED_NAMESPACE: namespace,
    SERVICEBUS_SAS_POLICY: 'RootManageSharedAccessKey',
    SERVICEBUS_SAS_KEY: 'SAS_KEY_VALUE',
    NODE_EXTRA_CA_CERTS: place.caFile,
    IDENTITY_ENDPOINT: `http://${namespace}/msi/token`,
    IDENTITY_HEADER: 'any',
    AZURE_TOKEN_CREDENTIALS: 'ManagedIdentityCredential',
    // Asked for by one sample, and used by nobody.
    AZURE_TENANT_ID: '00000000-0000-0000-0000-000000000001',
    AZURE_CLIENT_ID: '00000000-0000-0000-0000-000000000002',
    AZURE_CLIENT_SECRET: 'none',
    QUEUE_NAME: QUEUE,
    QUEUE_NAME_WITH_SESSIONS: QUEUE_WITH_SESSIONS,
    ...(place.proxy === undefined ? {} : { HTTP_PROXY: place.proxy }),
  };
}

const SECOND = 1000;
/** sendMessages sends ten; its later versions one more. */
const SENT = { from: 10, to: 11 };
const UNLOOPED = { from: 0, to: 1 };
/** Each message is delivered MaxDeliveryCount times, by default 10. */
const DELIVERED = { from: 100, to: 110 };
const NONE = { from: 0, to: 0 };
const ONE = { from: 1, to: 1 };
const FIVE = { from: 5, to: 5 };
const TEN = { from: 10, to: 10 };

export const OFFICIAL_SAMPLES: readonly OfficialSample[] = [
  {
    kind: 'runs',
    name: 'sendMessages',
    timeLimitMs: 30 * SECOND,
    prints: [{ pattern: /^Done sending/gm, times: ONE }],
    leaves: { active: SENT, deadLettered: NONE },
  },
  {
    kind: 'runs',
    name: 'receiveMessagesLoop',
    after: ['sendMessages'],
    timeLimitMs: 30 * SECOND,
    prints: [{ pattern: /^ +Message: '.+'/gm, times: TEN }],
    leaves: { active: UNLOOPED, deadLettered: NONE },
  },
  {
    kind: 'runs',
    name: 'receiveMessagesStreaming',
    after: ['sendMessages'],
    timeLimitMs: 45 * SECOND,
    prints: [
      { pattern: /^Received message: /gm, times: SENT },
      { pattern: /^Error from source/gm, times: NONE },
    ],
    leaves: { active: NONE, deadLettered: NONE },
  },
  {
    kind: 'runs',
    name: 'exceedMaxDeliveryCount',
    after: ['sendMessages'],
    timeLimitMs: 60 * SECOND,
    prints: [
      { pattern: /^Picked up message/gm, times: DELIVERED },
      { pattern: /^Deadletter message: /gm, times: SENT },
    ],
    leaves: { active: NONE, deadLettered: NONE },
  },
  {
    kind: 'runs',
    name: 'advanced/movingMessagesToDLQ',
    timeLimitMs: 30 * SECOND,
    prints: [{ pattern: /^>>>>> Deadletter the one message/gm, times: ONE }],
    leaves: { active: NONE, deadLettered: ONE },
  },
  {
    kind: 'runs',
    name: 'advanced/processMessageFromDLQ',
    after: ['advanced/movingMessagesToDLQ'],
    timeLimitMs: 30 * SECOND,
    prints: [{ pattern: /^>>>>> Cloning the message/gm, times: ONE }],
    leaves: { active: ONE, deadLettered: NONE },
  },
  {
    kind: 'runs',
    name: 'browseMessages',
    after: ['sendMessages'],
    timeLimitMs: 30 * SECOND,
    prints: [
      { pattern: /^Got 10 messages\./gm, times: ONE },
      { pattern: /^Peeked message #\d: .+/gm, times: TEN },
    ],
    leaves: { active: SENT, deadLettered: NONE },
  },
  {
    kind: 'runs',
    name: 'scheduledMessages',
    timeLimitMs: 45 * SECOND,
    prints: [
      // Nothing in the first five seconds, everything in the last.
      { pattern: /^Received 0 messages\./gm, times: ONE },
      { pattern: /^Received 10 messages\./gm, times: ONE },
      { pattern: /^Received message: \w+ \w+ - Scientist/gm, times: TEN },
      { pattern: /^Error from error source/gm, times: NONE },
    ],
    leaves: { active: NONE, deadLettered: NONE },
  },
  {
    kind: 'runs',
    name: 'advanced/deferral',
    timeLimitMs: 45 * SECOND,
    prints: [
      { pattern: /^Process (?:received|deferred) message: /gm, times: FIVE },
      { pattern: /^Total number of deferred messages:/gm, times: ONE },
      { pattern: /^No message found for step|^>>>>> Error|^Error while sending/gm, times: NONE },
    ],
    leaves: { active: NONE, deadLettered: NONE },
  },
  {
    kind: 'runs',
    name: 'deleteMessages',
    isPreview: true,
    timeLimitMs: 30 * SECOND,
    prints: [
      { pattern: /^Peeked messages \(1\): 10\./gm, times: ONE },
      { pattern: /^Number of messages deleted: 10\./gm, times: ONE },
      { pattern: /^Peeked messages \(2\): 20\./gm, times: ONE },
      // How many is a matter of luck on a quick machine: its time mark and its sends fall into one millisecond.
      { pattern: /^Number of messages deleted this time: \d+\./gm, times: ONE },
    ],
  },
  {
    kind: 'runs',
    name: 'session',
    usesSessions: true,
    // It listens to each of its two sessions for 20 seconds.
    timeLimitMs: 90 * SECOND,
    prints: [
      { pattern: /^Received: session-1 - (?:.+ )+$/gm, times: FIVE },
      { pattern: /^Received: session-2 - (?:.+ )+$/gm, times: FIVE },
      { pattern: /^>>>>> Error/gm, times: NONE },
    ],
    leaves: { active: NONE, deadLettered: NONE },
  },
  {
    kind: 'runs',
    name: 'advanced/sessionState',
    usesSessions: true,
    timeLimitMs: 60 * SECOND,
    prints: [
      { pattern: /^Received message: Customer '(?:alice|bob)': /gm, times: { from: 7, to: 7 } },
      { pattern: /^Items in cart for alice: \["Milk","Bread"\]$/gm, times: ONE },
      { pattern: /^Items in cart for alice: \[\]$/gm, times: ONE },
      { pattern: /^Items in cart for bob: \["Pencil","Paper","Stapler"\]$/gm, times: ONE },
      { pattern: /^No events were received/gm, times: NONE },
    ],
    leaves: { active: NONE, deadLettered: NONE },
  },
  {
    kind: 'runs',
    name: 'advanced/sessionRoundRobin',
    usesSessions: true,
    // Two more than it takes at a time.
    finds: { sessionCount: 10, messageCount: 3 },
    timeLimitMs: 60 * SECOND,
    runsUntil: { pattern: /^\[.+\] was closed because of idle_timeout/gm, times: 10 },
    prints: [
      { pattern: /^\[.+\] will start processing/gm, times: TEN },
      { pattern: /^\[.+\] received message with body /gm, times: { from: 30, to: 30 } },
      { pattern: /^Error when|was closed because of error/gm, times: NONE },
    ],
    leaves: { active: NONE, deadLettered: NONE },
  },
  {
    kind: 'runs',
    name: 'topicSubscriptionWithRuleOperationsSample',
    isPreview: true,
    timeLimitMs: 30 * SECOND,
    prints: [
      { pattern: /^Received message: test-red3$/gm, times: ONE },
      { pattern: /^Received message: /gm, times: ONE },
    ],
  },
  {
    kind: 'runs',
    name: 'advanced/administrationClient',
    isPreview: true,
    makesQueue: true,
    timeLimitMs: 30 * SECOND,
    prints: [
      { pattern: /^\(Current\)max delivery count = {2}10$/gm, times: ONE },
      { pattern: /^\(Updated\)max delivery count = {2}12$/gm, times: ONE },
      { pattern: /^Number of messages in the queue = {2}0$/gm, times: ONE },
      { pattern: /^Name of the namespace - {2}localhost$/gm, times: ONE },
      { pattern: /^Queue samples-queue has been deleted$/gm, times: ONE },
    ],
  },
  {
    kind: 'runs',
    name: 'advanced/listingEntities',
    isPreview: true,
    timeLimitMs: 30 * SECOND,
    // Seven queues in seven lists.
    prints: [{ pattern: /^Queue \d+: random-queue_\d$/gm, times: { from: 49, to: 49 } }],
  },
  {
    kind: 'runs',
    name: 'advanced/ruleManager',
    isPreview: true,
    timeLimitMs: 30 * SECOND,
    prints: [
      { pattern: /^ {2}page {2}[12]$/gm, times: { from: 2, to: 2 } },
      { pattern: /\[ '\$Default', 'correlationRule' \]/gm, times: ONE },
      { pattern: /^\$Default$/gm, times: ONE },
    ],
  },
  {
    kind: 'runs',
    name: 'useProxy',
    usesProxy: true,
    timeLimitMs: 30 * SECOND,
    prints: [{ pattern: /^Sending message using proxy server http/gm, times: ONE }],
    leaves: { active: ONE, deadLettered: NONE },
  },
  {
    kind: 'runs',
    name: 'usingAadAuth',
    timeLimitMs: 30 * SECOND,
    leaves: { active: ONE, deadLettered: NONE },
  },
  {
    kind: 'runs',
    name: 'usingNamedKeyCredential',
    timeLimitMs: 30 * SECOND,
    leaves: { active: ONE, deadLettered: NONE },
  },
  { kind: 'waits', name: 'batchDeleteMessages', waitsFor: 'a published SDK that has it' },
  { kind: 'waits', name: 'purgeMessagesAdvanced', waitsFor: 'a published SDK that has it' },
];

export function findOfficialSample(name: string): OfficialSample | undefined {
  return OFFICIAL_SAMPLES.find((sample) => sample.name === name);
}
