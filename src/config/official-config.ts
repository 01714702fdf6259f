// The official emulator's Config.json as data: its shape, its defaults, and the queues and topics it describes.

import { describeQueue, type QueueDescription } from '../broker/contract/entities/queue-description.js';
import { describeSubscription, describeTopic } from '../broker/contract/entities/topic-description.js';
import { DEFAULT_RULE } from '../broker/contract/rule-description.js';
import {
  QUEUE_PROPERTIES,
  SUBSCRIPTION_PROPERTIES,
  TOPIC_PROPERTIES,
} from '../description/entity-properties.js';
import { readOfficial } from '../description/entity-property.js';
import type { ConfiguredSubscription, ConfiguredTopic } from './configured-topic.js';
import { type OfficialRule, ruleOf } from './official-rule.js';

/** A checked Config.json. `null` means a missing value, as .NET writes it. */
export type OfficialConfig = {
  readonly UserConfig: { readonly Namespaces: readonly OfficialNamespace[] };
};

export type OfficialNamespace = {
  readonly Name?: string | null | undefined;
  readonly Queues?: readonly OfficialQueue[] | null | undefined;
  readonly Topics?: readonly OfficialTopic[] | null | undefined;
};

export type OfficialQueue = {
  readonly Name: string;
  readonly Properties?: Readonly<Record<string, unknown>> | null | undefined;
};

export type OfficialTopic = OfficialQueue & {
  readonly Subscriptions?: readonly OfficialSubscription[] | null | undefined;
};

export type OfficialSubscription = OfficialQueue & {
  readonly Rules?: readonly OfficialRule[] | null | undefined;
};

const SECOND = 1000;
const MINUTE = 60 * SECOND;

const EXPIRY_DEFAULTS = { defaultMessageTimeToLiveMs: 60 * MINUTE };
const SENDING_DEFAULTS = { duplicateDetectionHistoryTimeWindowMs: 20 * SECOND };
const RECEIVING_DEFAULTS = { maxDeliveryCount: 3, lockDurationMs: MINUTE };

/** The defaults in which the official emulator differs from Azure. */
export const OFFICIAL_DEFAULTS = {
  queue: { ...EXPIRY_DEFAULTS, ...SENDING_DEFAULTS, ...RECEIVING_DEFAULTS },
  topic: { ...EXPIRY_DEFAULTS, ...SENDING_DEFAULTS },
  subscription: { ...EXPIRY_DEFAULTS, ...RECEIVING_DEFAULTS },
} as const;

/** `index` is that of the namespace. The first one is `default`, whatever its name. */
export function queuesOf({ UserConfig }: OfficialConfig, index = 0): QueueDescription[] {
  return (UserConfig.Namespaces[index]?.Queues ?? []).map(({ Name, Properties }) =>
    describeQueue(Name, {
      ...OFFICIAL_DEFAULTS.queue,
      ...readOfficial(Properties ?? {}, QUEUE_PROPERTIES),
    }),
  );
}

export function topicsOf({ UserConfig }: OfficialConfig, index = 0): ConfiguredTopic[] {
  return (UserConfig.Namespaces[index]?.Topics ?? []).map(({ Name, Properties, Subscriptions }) => ({
    description: describeTopic(Name, {
      ...OFFICIAL_DEFAULTS.topic,
      ...readOfficial(Properties ?? {}, TOPIC_PROPERTIES),
    }),
    subscriptions: (Subscriptions ?? []).map(subscriptionOf),
  }));
}

function subscriptionOf({ Name, Properties, Rules }: OfficialSubscription): ConfiguredSubscription {
  const description = describeSubscription(Name, {
    ...OFFICIAL_DEFAULTS.subscription,
    ...readOfficial(Properties ?? {}, SUBSCRIPTION_PROPERTIES),
  });
  if (Rules === undefined || Rules === null) return { description, rules: undefined };
  // Tools write an empty list for a subscription that takes every message.
  return { description, rules: Rules.length === 0 ? [DEFAULT_RULE] : Rules.map(ruleOf) };
}
