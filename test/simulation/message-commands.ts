// Makes up commands about locks and messages that a workload has heard of, in sessions with the claim that they need.

import type { Command, Outcome, SessionClaim } from '../../src/broker/command.js';
import type { PropertyChange } from '../../src/broker/message/message-properties.js';
import { drawHabits, type Weighted } from './habits.js';
import type { Pace } from './pace.js';
import type { Picks } from './picks.js';
import type { Random } from './random.js';

export type KindAboutMessages =
  | ('settle' | 'settle-many' | 'renew-lock')
  | ('peek' | 'receive-deferred' | 'cancel-scheduled' | 'delete-messages');

const OUTCOMES: Weighted<Outcome['kind']> = [
  ['complete', 3],
  ['abandon', 3],
  ['release', 1],
  ['dead-letter', 2],
  ['defer', 2],
];

export class MessageCommands {
  readonly #random: Random;
  readonly #pace: Pace;
  readonly #picks: Picks;
  readonly #outcomes: Weighted<Outcome['kind']>;

  constructor(random: Random, pace: Pace, picks: Picks) {
    this.#random = random;
    this.#pace = pace;
    this.#picks = picks;
    this.#outcomes = drawHabits(random, OUTCOMES);
  }

  next(kind: KindAboutMessages, now: number): Command {
    switch (kind) {
      case 'settle':
        return this.#settle();
      case 'settle-many': {
        const { session, ...locks } = this.#picks.tokensOfOneStore();
        return { kind, ...locks, outcome: this.#outcome(), session: this.#maybeClaim(session) };
      }
      case 'renew-lock': {
        const { entityPath, lockTokens } = this.#picks.tokensOfOneStore();
        return { kind, entityPath, lockTokens };
      }
      case 'peek':
        return this.#peek();
      case 'receive-deferred':
        return this.#receiveDeferred();
      case 'cancel-scheduled': {
        const { entityPath, sequenceNumbers } = this.#picks.numbers('scheduled');
        return { kind, entityPath, sequenceNumbers };
      }
      case 'delete-messages':
        return this.#deleteMessages(now);
    }
  }

  #settle(): Command {
    const token = this.#picks.tokenToSettle();
    const { lockToken } = token;
    return { kind: 'settle', entityPath: this.#picks.pathOf(token), lockToken, outcome: this.#outcome() };
  }

  #peek(): Command {
    const isFromStart = this.#random.chance(0.6);
    const entityPath = this.#picks.path();
    const isBySession = this.#random.chance(this.#picks.isOfSessions(entityPath) ? 0.4 : 0.02);
    return {
      kind: 'peek',
      entityPath,
      sessionId: isBySession ? this.#picks.anyClaim().sessionId : undefined,
      fromSequenceNumber: isFromStart ? this.#random.pick([0, 1, 1, 5]) : this.#picks.number(),
      maxCount: this.#random.pick([-1, 0, 1, 2, 10, 10, 1_000_000]),
    };
  }

  #receiveDeferred(): Command {
    const { session, ...numbers } = this.#picks.numbers('deferred');
    const receiveMode = this.#picks.receiveMode();
    return { kind: 'receive-deferred', ...numbers, receiveMode, session: this.#maybeClaim(session) };
  }

  #deleteMessages(now: number): Command {
    const entityPath = this.#picks.path();
    const hasClaim = this.#picks.isOfSessions(entityPath) && this.#random.chance(0.5);
    return {
      kind: 'delete-messages',
      entityPath,
      maxCount: this.#random.pick([0, 1, 2, 5, 1000]),
      enqueuedBefore: this.#pace.cutoff(now),
      session: this.#maybeClaim(
        hasClaim ? this.#picks.claim({ entityPath, sessionId: undefined }) : undefined,
      ),
    };
  }

  /** Now and then one is missing, or too much. */
  #maybeClaim(claim: SessionClaim | undefined): SessionClaim | undefined {
    const given = this.#random.chance(0.97) ? claim : this.#random.pick([undefined, this.#picks.anyClaim()]);
    if (given === undefined) return undefined;
    const { sessionId, connectionId } = given;
    return this.#picks.bent({ sessionId, connectionId });
  }

  #outcome(): Outcome {
    const kind = this.#random.pickWeighted(this.#outcomes);
    if (kind === 'complete' || kind === 'release') return { kind };
    return { kind, changes: this.#changes() };
  }

  #changes(): readonly PropertyChange[] {
    if (this.#random.chance(0.6)) return [];
    return Array.from({ length: 1 + this.#random.integer(2) }, () => ({
      name: this.#random.pick(['attempt', 'by', 'DeadLetterReason']),
      value: this.#random.chance(0.5)
        ? `value ${this.#random.integer(3)}`
        : Uint8Array.of(this.#random.integer(256), 1),
    }));
  }
}
