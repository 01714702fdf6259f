// The properties of topics and subscriptions, with Azure's defaults; the names follow the SDK's options.

import { NEVER } from '../instant.js';
import type { AuthorizationRule } from './authorization-rule.js';
import type { EntityStatus } from './queue-description.js';

export type TopicDescription = {
  readonly name: string;
  readonly maxSizeInMegabytes: number;
  /** Undefined: the tier's limit applies. */
  readonly maxMessageSizeInKilobytes: number | undefined;
  readonly requiresDuplicateDetection: boolean;
  readonly duplicateDetectionHistoryTimeWindowMs: number;
  readonly defaultMessageTimeToLiveMs: number;
  readonly enableBatchedOperations: boolean;
  readonly enablePartitioning: boolean;
  readonly enableExpress: boolean;
  readonly supportOrdering: boolean;
  /** Not `ReceiveDisabled`: clients cannot receive from a topic (ENT-06). */
  readonly status: Exclude<EntityStatus, 'ReceiveDisabled'>;
  readonly autoDeleteOnIdleMs: number;
  readonly userMetadata: string | undefined;
  readonly authorizationRules: readonly AuthorizationRule[];
  /** As in `QueueDescription`. */
  readonly otherProperties: string | undefined;
};

export type SubscriptionDescription = {
  /** The name within its topic. */
  readonly name: string;
  readonly lockDurationMs: number;
  readonly maxDeliveryCount: number;
  readonly requiresSession: boolean;
  readonly defaultMessageTimeToLiveMs: number;
  readonly deadLetteringOnMessageExpiration: boolean;
  readonly deadLetteringOnFilterEvaluationExceptions: boolean;
  readonly enableBatchedOperations: boolean;
  /** Not `SendDisabled`: clients cannot send to a subscription (ENT-06). */
  readonly status: Exclude<EntityStatus, 'SendDisabled'>;
  readonly autoDeleteOnIdleMs: number;
  readonly forwardTo: string | undefined;
  readonly forwardDeadLetteredMessagesTo: string | undefined;
  readonly userMetadata: string | undefined;
  /** As in `QueueDescription`. */
  readonly otherProperties: string | undefined;
};

const MINUTE = 60_000;

/** A topic as Azure creates it when only the name is given (ENT-10), with the name in lower case (ENT-02). */
export function describeTopic(
  name: string,
  properties: Partial<Omit<TopicDescription, 'name'>> = {},
): TopicDescription {
  return {
    maxSizeInMegabytes: 1024,
    maxMessageSizeInKilobytes: undefined,
    requiresDuplicateDetection: false,
    duplicateDetectionHistoryTimeWindowMs: 10 * MINUTE,
    defaultMessageTimeToLiveMs: NEVER,
    enableBatchedOperations: true,
    enablePartitioning: false,
    enableExpress: false,
    supportOrdering: properties.enablePartitioning !== true,
    status: 'Active',
    autoDeleteOnIdleMs: NEVER,
    userMetadata: undefined,
    authorizationRules: [],
    otherProperties: undefined,
    ...properties,
    name: name.toLowerCase(),
  };
}

/** A subscription as Azure creates it when only the name is given (ENT-10); the name keeps its spelling (ENT-02). */
export function describeSubscription(
  name: string,
  properties: Partial<Omit<SubscriptionDescription, 'name'>> = {},
): SubscriptionDescription {
  return {
    name,
    lockDurationMs: MINUTE,
    maxDeliveryCount: 10,
    requiresSession: false,
    defaultMessageTimeToLiveMs: NEVER,
    deadLetteringOnMessageExpiration: false,
    deadLetteringOnFilterEvaluationExceptions: true,
    enableBatchedOperations: true,
    status: 'Active',
    autoDeleteOnIdleMs: NEVER,
    forwardTo: undefined,
    forwardDeadLetteredMessagesTo: undefined,
    userMetadata: undefined,
    otherProperties: undefined,
    ...properties,
  };
}
