// Under which limits and choices a seed runs: those of Azure, or some of them small enough to be met often.

import type { Choices } from '../../src/broker/choices.js';
import { NEVER } from '../../src/broker/instant.js';
import { LIMITS_OF_TIER, type Limits } from '../../src/broker/limits.js';
import type { Random } from './random.js';
import type { Conditions } from './reference-turn.js';

export function drawConditions(random: Random): Conditions {
  return { limits: drawLimits(random), choices: drawChoices(random) };
}

function drawLimits(random: Random): Limits {
  const tier = LIMITS_OF_TIER.premium;
  return {
    maxMessageSizeBytes: 1000,
    maxMessageSizeCeilingBytes: 512 * 1024,
    maxBatchCount: random.pick([4, 4, tier.maxBatchCount]),
    maxIdLength: random.pick([6, tier.maxIdLength]),
    maxHeadBytes: random.pick([25, 100, tier.maxHeadBytes]),
    maxPropertyBytes: random.pick([6, 50, tier.maxPropertyBytes]),
    maxDeleteCount: random.pick([1, 3, tier.maxDeleteCount]),
    maxPeekCount: random.pick([1, 3, tier.maxPeekCount]),
    maxAnswerBytes: random.pick([8, 100, tier.maxAnswerBytes]),
    maxPeekBytes: random.pick([10, 600, tier.maxPeekBytes]),
    maxTimeToLiveMs: random.pick([NEVER, NEVER, 5000]),
    hasSessions: random.chance(0.8),
    hasDuplicateDetection: random.chance(0.9),
    hasTransactions: random.chance(0.95),
    hasOneEntityTransactions: random.chance(0.7),
    maxTransactionMessages: random.pick([3, tier.maxTransactionMessages]),
    hasEntitySizes: random.chance(0.8),
    hasTopics: true,
    hasForwarding: true,
    maxSubscriptionsPerTopic: random.pick([2, 3, tier.maxSubscriptionsPerTopic]),
    maxSqlFiltersPerTopic: random.pick([3, tier.maxSqlFiltersPerTopic]),
    maxCorrelationFiltersPerTopic: random.pick([1, tier.maxCorrelationFiltersPerTopic]),
  };
}

function drawChoices(random: Random): Choices {
  return {
    expirySweep: random.chance(0.6) ? 'always' : 'whenListening',
    releaseLocksOnDetach: random.chance(0.3),
    expireWholeSession: random.chance(0.6),
  };
}
