// The conditions of a seed: its limits and behaviour, and how fast time passes in it.

import { AZURE_BEHAVIOUR, type BehaviourOptions } from '../../src/broker/contract/behaviour-options.js';
import { NEVER } from '../../src/broker/contract/instant.js';
import { LIMITS_OF_TIER, type Limits } from '../../src/broker/contract/limits.js';
import { Random } from './random.js';
import type { Conditions } from './reference-state.js';
import type { SimulationOptions } from './simulation-failure.js';

/**
 * Without `maxFanOutCost` it is drawn from numbers of its own: whatever it is, the rest of the conditions is the same. Where selectors are
 * asked for there are no sessions, which would leave them few receivers.
 */
export function drawConditions(random: Random, { seed, maxFanOutCost, hasSelectors }: Seed): Conditions {
  const drawn = drawLimits(random);
  const limits = hasSelectors === true ? { ...drawn, hasSessions: false } : drawn;
  const drawnCost = new Random(seed + FAN_OUT_SEED).pick(FAN_OUT_COSTS);
  return { limits, behaviour: { ...drawBehaviour(random), maxFanOutCost: maxFanOutCost ?? drawnCost } };
}

type Seed = Pick<SimulationOptions, 'seed' | 'maxFanOutCost' | 'hasSelectors'>;

const FAN_OUT_SEED = 0x5eed;
/** From less than a copy to more than any message has. */
const FAN_OUT_COSTS = [0.5, 1.5, 3, 8, 20, AZURE_BEHAVIOUR.maxFanOutCost];

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

function drawBehaviour(random: Random): Omit<BehaviourOptions, 'maxFanOutCost'> {
  return {
    expirySweep: random.chance(0.6) ? 'always' : 'whenListening',
    releaseLocksOnDetach: random.chance(0.3),
    expireWholeSession: random.chance(0.6),
  };
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;

export class Pace {
  readonly #random: Random;
  /** What a lock usually lasts. */
  readonly #usualMs: number;
  readonly #steps: readonly number[];
  readonly #leapChance: number;

  constructor(random: Random) {
    this.#random = random;
    const usualMs = random.pick([2, 20, SECOND, MINUTE]);
    this.#usualMs = usualMs;
    const rareJump = [...Array<number>(30).fill(0), 2 * usualMs];
    this.#steps = random.pick([[0], [0, 0, 0, usualMs / 10], rareJump, [usualMs / 2]]).map(Math.ceil);
    this.#leapChance = random.pick([0, 0, 0.005, 0.03]);
  }

  /** The time of the next command. It may jump to the next deadline, or stop just before it. */
  nextTime(now: number, nextDeadline: number): number {
    if (this.#random.chance(this.#leapChance)) {
      return now + this.#random.pick([5 * SECOND, MINUTE, 5 * MINUTE]);
    }
    const canJump = Number.isFinite(nextDeadline) && this.#random.chance(0.03);
    if (!canJump) return now + this.#random.pick(this.#steps);
    return Math.max(now, nextDeadline - this.#random.integer(2));
  }

  lockDurationMs(): number {
    return this.#random.pick([1, 1, 3, 10].map((factor) => Math.min(factor * this.#usualMs, 5 * MINUTE)));
  }

  timeToLiveMs(): number {
    return this.#random.pick([0, 1, ...this.#spans(), 10_000 * MINUTE, NEVER]);
  }

  /** Around now: the same instants come again and again. */
  scheduledTime(now: number): number {
    const nextRound = (Math.floor(now / this.#usualMs) + 2) * this.#usualMs;
    const spans = this.#spans().map((span) => now + span);
    return this.#random.pick([now - this.#usualMs, now, now + 1, nextRound, nextRound, nextRound, ...spans]);
  }

  duplicateWindowMs(): number {
    return this.#random.pick([5 * SECOND, 5 * SECOND, MINUTE, Math.max(5 * SECOND, 5 * this.#usualMs)]);
  }

  autoDeleteOnIdleMs(): number {
    return this.#random.pick([NEVER, NEVER, NEVER, 5 * MINUTE, 5 * MINUTE + 7]);
  }

  /** Up to which time messages are to be deleted. */
  cutoff(now: number): number {
    return this.#random.pick([now - this.#usualMs, now, now + 1, now + 1]);
  }

  #spans(): readonly number[] {
    return [0.5, 1, 3, 20].map((factor) => Math.ceil(factor * this.#usualMs));
  }
}
