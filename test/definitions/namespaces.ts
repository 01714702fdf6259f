// Random namespaces: every property at its default or another value, every kind of filter and action.

import fc from 'fast-check';
import { describeAuthorizationRule } from '../../src/broker/contract/entities/authorization-rule.js';
import {
  describeQueue,
  type QueueDescription,
} from '../../src/broker/contract/entities/queue-description.js';
import {
  describeSubscription,
  describeTopic,
  type SubscriptionDescription,
  type TopicDescription,
} from '../../src/broker/contract/entities/topic-description.js';
import { NEVER } from '../../src/broker/contract/instant.js';
import {
  DEFAULT_RULE,
  type ParameterValue,
  type RuleDescription,
} from '../../src/broker/contract/rule-description.js';
import type { Entities } from '../../src/config/configured-entities.js';
import type { ConfiguredSubscription, ConfiguredTopic } from '../../src/config/configured-topic.js';

/** What of it a format holds without a note. */
export type Richness = {
  /** Config.json has what templates lack: parameters, typed values, the difference of a filter and its SQL, any characters in names. */
  readonly isConfig: boolean;
};

const SECOND = 1000;
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 });
const duration = (least: number, most: number) =>
  fc.integer({ min: least, max: most }).map((seconds) => seconds * SECOND);
const orNever = (span: fc.Arbitrary<number>) => fc.oneof(span, fc.constant(NEVER));
const segment = fc.stringMatching(/^[a-z0-9][a-z0-9_.-]{0,10}[a-z0-9]$/);
const innerName = fc.stringMatching(/^[A-Za-z0-9][\w.-]{0,10}[A-Za-z0-9]$/);

/** Each property is sometimes left at its default. */
function some<T extends object>(
  arbitraries: { readonly [K in keyof T]: fc.Arbitrary<T[K]> },
): fc.Arbitrary<Partial<T>> {
  return fc.record(arbitraries, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>;
}

const authorizationRules = fc.uniqueArray(
  fc
    .record({
      keyName: innerName,
      rights: fc.constantFrom(['Send'], ['Listen'], ['Manage', 'Send', 'Listen'], ['Send', 'Listen']),
    })
    .map(({ keyName, rights }) =>
      describeAuthorizationRule(keyName, {
        rights: rights as QueueDescription['authorizationRules'][0]['rights'],
      }),
    ),
  { selector: ({ keyName }) => keyName.toLowerCase(), maxLength: 2 },
);

const shared = {
  defaultMessageTimeToLiveMs: orNever(duration(1, 1_000_000)),
  autoDeleteOnIdleMs: orNever(duration(300, 1_000_000)),
  enableBatchedOperations: fc.boolean(),
  userMetadata: text,
};
const sending = {
  maxSizeInMegabytes: fc.integer({ min: 1, max: 80 }).map((gigabytes) => gigabytes * 1024),
  maxMessageSizeInKilobytes: fc.integer({ min: 1024, max: 102_400 }),
  requiresDuplicateDetection: fc.boolean(),
  duplicateDetectionHistoryTimeWindowMs: duration(20, 604_800),
  enablePartitioning: fc.boolean(),
  enableExpress: fc.boolean(),
  authorizationRules,
};
const receiving = {
  lockDurationMs: duration(5, 300),
  maxDeliveryCount: fc.integer({ min: 1, max: 2000 }),
  requiresSession: fc.boolean(),
  deadLetteringOnMessageExpiration: fc.boolean(),
};
const queueProperties = some<Partial<QueueDescription>>({
  ...shared,
  ...sending,
  ...receiving,
  status: fc.constantFrom('Active', 'Disabled', 'SendDisabled', 'ReceiveDisabled'),
});
const topicProperties = some<Partial<TopicDescription>>({
  ...shared,
  ...sending,
  supportOrdering: fc.boolean(),
  status: fc.constantFrom('Active', 'Disabled', 'SendDisabled'),
});
const subscriptionProperties = some<Partial<SubscriptionDescription>>({
  ...shared,
  ...receiving,
  deadLetteringOnFilterEvaluationExceptions: fc.boolean(),
  status: fc.constantFrom('Active', 'Disabled', 'ReceiveDisabled'),
});

const typedValue: fc.Arbitrary<ParameterValue> = fc.oneof(
  text,
  fc.boolean(),
  fc
    .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
    .map((value) => ({ type: 'long', value: String(value) }) as const),
  fc.integer().map((value) => ({ type: 'int', value: String(value) }) as const),
  fc.double({ noNaN: true }).map((value) => ({ type: 'double', value: String(value) }) as const),
  fc.integer().map((value) => ({ type: 'timestamp', value }) as const),
  fc.constant({ type: 'duration', value: 'P1DT2H' } as const),
  fc.uuid().map((value) => ({ type: 'uuid', value }) as const),
);
const literal = text.map((value) => `'${value.replaceAll("'", "''")}'`);
const sql = fc.oneof(
  literal.map((value) => `color = ${value} AND [my key] IN (1, 2)`),
  fc.constant('[a] = [b]'),
  fc.constant(`sys.Label LIKE '%\${x}' OR "quoted" IS NULL`),
);

function filterOf({ isConfig }: Richness): fc.Arbitrary<RuleDescription['filter']> {
  const properties = fc.dictionary(text, isConfig ? typedValue : text, { minKeys: 1, maxKeys: 3 });
  const fields = fc.record(
    {
      correlationId: text,
      messageId: text,
      to: text,
      replyTo: text,
      subject: text,
      sessionId: text,
      replyToSessionId: text,
      contentType: text,
      properties,
    },
    { requiredKeys: [] },
  );
  return fc.oneof(
    fc.constant({ kind: 'true' } as const),
    fc.constant({ kind: 'false' } as const),
    sql.map((expression) => ({ kind: 'sql', expression }) as const),
    ...(isConfig
      ? [
          typedValue.map(
            (value) => ({ kind: 'sql', expression: 'color = @c', parameters: { '@c': value } }) as const,
          ),
        ]
      : []),
    fields
      .filter((given) => Object.keys(given).length > 0)
      .map((given) => ({ kind: 'correlation', ...given }) as const),
  );
}

function ruleOf(richness: Richness): fc.Arbitrary<RuleDescription> {
  const action = literal.map((value) => ({ kind: 'sql', expression: `SET sys.Label = ${value}` }) as const);
  return fc.record({
    name: fc.oneof(innerName, fc.constant('$Default')),
    filter: filterOf(richness),
    action: fc.option(action, { nil: undefined }),
  });
}

/** A namespace whose queues and subscriptions forward to queues and topics of its own. */
export function namespaces(richness: Richness): fc.Arbitrary<Entities> {
  const name = fc.array(segment, { minLength: 1, maxLength: 2 }).map((parts) => parts.join('/'));
  const topicTree = fc.record({
    properties: topicProperties,
    subscriptions: fc.uniqueArray(
      fc.record({
        name: innerName,
        properties: subscriptionProperties,
        rules: fc.option(
          fc.uniqueArray(ruleOf(richness), {
            selector: (rule) => rule.name.toLowerCase(),
            minLength: 1,
            maxLength: 3,
          }),
          { nil: undefined },
        ),
      }),
      { selector: (subscription) => subscription.name.toLowerCase(), maxLength: 3 },
    ),
  });
  return fc
    .record({
      names: fc.uniqueArray(name, { minLength: 6, maxLength: 6 }),
      queues: fc.array(queueProperties, { maxLength: 3 }),
      topics: fc.array(topicTree, { maxLength: 3 }),
      targets: fc.array(fc.option(fc.nat(5), { nil: undefined }), { minLength: 12, maxLength: 12 }),
    })
    .map(({ names, queues, topics, targets }) => {
      const named = [
        ...queues.map((_, at) => names[at] ?? ''),
        ...topics.map((_, at) => names[at + 3] ?? ''),
      ];
      const forwardOf = (at: number) => ({
        forwardTo: named[targets[at] ?? -1],
        forwardDeadLetteredMessagesTo: named[targets[at + 6] ?? -1],
      });
      return {
        queues: queues.map((given, at) =>
          describeQueue(names[at] ?? '', { ...given, ...earlier(forwardOf(at), named.slice(0, at)) }),
        ),
        topics: topics.map((topic, at) => topicOf(names[at + 3] ?? '', topic, forwardOf(at + 3))),
      };
    });
}

/** Queues forward to earlier ones alone, so that there is no circle. */
function earlier<T extends Readonly<Record<string, string | undefined>>>(
  targets: T,
  names: readonly string[],
): Partial<T> {
  return Object.fromEntries(
    Object.entries(targets).filter(([, name]) => name !== undefined && names.includes(name)),
  ) as Partial<T>;
}

function topicOf(
  name: string,
  {
    properties,
    subscriptions,
  }: {
    readonly properties: Partial<TopicDescription>;
    readonly subscriptions: readonly {
      readonly name: string;
      readonly properties: Partial<SubscriptionDescription>;
      readonly rules: readonly RuleDescription[] | undefined;
    }[];
  },
  forwarding: Partial<SubscriptionDescription>,
): ConfiguredTopic {
  return {
    description: describeTopic(name, properties),
    subscriptions: subscriptions.map(({ name: own, properties: given, rules }): ConfiguredSubscription => {
      return { description: describeSubscription(own, { ...given, ...forwarding }), rules };
    }),
  };
}

/** A namespace for comparison: a subscription without rules of its own has the one of every new subscription. */
export function comparable({ queues, topics }: Entities): unknown {
  return {
    queues,
    topics: topics.map(({ description, subscriptions }) => ({
      description,
      subscriptions: subscriptions.map((subscription) => ({
        description: subscription.description,
        rules: subscription.rules ?? [DEFAULT_RULE],
      })),
    })),
  };
}
