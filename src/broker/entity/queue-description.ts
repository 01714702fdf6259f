// What can be said about a queue, with Azure's defaults; the names follow the SDK's CreateQueueOptions.

import { NEVER } from '../instant.js';
import type { AuthorizationRule } from './authorization-rule.js';

export type EntityStatus = 'Active' | 'Disabled' | 'SendDisabled' | 'ReceiveDisabled';

export type QueueDescription = {
  readonly name: string;
  readonly lockDurationMs: number;
  readonly maxDeliveryCount: number;
  readonly maxSizeInMegabytes: number;
  /** undefined: what the tier allows. */
  readonly maxMessageSizeInKilobytes: number | undefined;
  readonly requiresSession: boolean;
  readonly requiresDuplicateDetection: boolean;
  readonly duplicateDetectionHistoryTimeWindowMs: number;
  readonly defaultMessageTimeToLiveMs: number;
  readonly deadLetteringOnMessageExpiration: boolean;
  readonly enableBatchedOperations: boolean;
  readonly enablePartitioning: boolean;
  readonly enableExpress: boolean;
  readonly status: EntityStatus;
  readonly autoDeleteOnIdleMs: number;
  readonly forwardTo: string | undefined;
  readonly forwardDeadLetteredMessagesTo: string | undefined;
  readonly userMetadata: string | undefined;
  readonly authorizationRules: readonly AuthorizationRule[];
  /** What a client has said beyond this, in words that mean nothing to the broker; shown again as it was given. */
  readonly otherProperties: string | undefined;
};

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** A queue as Azure creates it when only the name is given (ENT-10). */
export function describeQueue(
  name: string,
  given: Partial<Omit<QueueDescription, 'name'>> = {},
): QueueDescription {
  return {
    name,
    lockDurationMs: MINUTE,
    maxDeliveryCount: 10,
    maxSizeInMegabytes: 1024,
    maxMessageSizeInKilobytes: undefined,
    requiresSession: false,
    requiresDuplicateDetection: false,
    duplicateDetectionHistoryTimeWindowMs: 10 * MINUTE, // DUP-03
    defaultMessageTimeToLiveMs: NEVER,
    deadLetteringOnMessageExpiration: false,
    enableBatchedOperations: true,
    enablePartitioning: false,
    enableExpress: false,
    status: 'Active',
    autoDeleteOnIdleMs: NEVER,
    forwardTo: undefined,
    forwardDeadLetteredMessagesTo: undefined,
    userMetadata: undefined,
    authorizationRules: [],
    otherProperties: undefined,
    ...given,
  };
}
