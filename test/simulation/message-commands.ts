// Makes up messages, and commands about the messages, locks and sessions that a workload has heard of.

import type { Command, Outcome, ReceiveMode, SessionClaim } from '../../src/broker/contract/command.js';
import type { Limits } from '../../src/broker/contract/limits.js';
import type { NewMessage, PropertyChange } from '../../src/broker/contract/message-properties.js';
import type { Pace } from './conditions.js';
import { type MessageHead, writeContent } from './message-content.js';
import { CONNECTION_IDS, type Picks, SESSION_IDS } from './picks.js';
import { drawHabits, type Random, type Weighted } from './random.js';

/** Three contents with so much in them fill the smallest queue. */
const LARGE_PADDING_BYTES = 400 * 1024;
const KEYS = ['east', 'west', 'north', 'south', ''] as const;

export class MessageMaker {
  readonly #random: Random;
  readonly #pace: Pace;
  readonly #limits: Limits;
  /** How likely a message has the property. */
  readonly #chances: Readonly<Record<'id' | 'timeToLive' | 'schedule' | 'key' | 'size' | 'mistake', number>>;
  readonly #idCount: number;
  readonly #sessionCount: number;
  #sentCount = 0;

  constructor(random: Random, pace: Pace, limits: Limits) {
    this.#random = random;
    this.#pace = pace;
    this.#limits = limits;
    this.#idCount = random.pick([3, 20, 1000]);
    this.#sessionCount = random.pick([1, 2, SESSION_IDS.length]);
    this.#chances = {
      id: random.pick([0.2, 0.8, 1]),
      timeToLive: random.pick([0, 0.2, 0.7]),
      schedule: random.pick([0, 0.1, 0.5]),
      key: random.pick([0, 0.2, 0.7]),
      size: random.pick([0, 0.02, 0.2]),
      mistake: random.pick([0, 0.02, 0.1]),
    };
  }

  messages(now: number, { needsSession }: { readonly needsSession: boolean }): readonly NewMessage[] {
    const count = this.#random.pick([0, 1, 1, 1, 1, 1, 2, 3, 4, 5]);
    return Array.from({ length: count }, () => {
      const message = this.#message(now);
      return this.#written(needsSession && this.#random.chance(0.9) ? this.#ofSession(message) : message);
    });
  }

  #message(now: number): MessageHead {
    const random = this.#random;
    const chances = this.#chances;
    this.#sentCount += 1;
    const usual: MessageHead = {
      messageId: random.chance(chances.id) ? `m${random.integer(this.#idCount)}` : undefined,
      sessionId: random.chance(chances.key / 2) ? random.pick(KEYS) : undefined,
      replyToSessionId: undefined,
      partitionKey: random.chance(chances.key) ? random.pick(KEYS) : undefined,
      viaPartitionKey: undefined,
      timeToLiveMs: random.chance(chances.timeToLive) ? this.#pace.timeToLiveMs() : undefined,
      scheduledEnqueueTime: random.chance(chances.schedule) ? this.#pace.scheduledTime(now) : undefined,
      headBytes: random.integer(random.pick([25, 25, 25, 100])),
      largestPropertyBytes: random.integer(50),
      unsupportedProperty: undefined,
    };
    // Keys that contradict each other are refused.
    const isFitting = usual.sessionId !== undefined && random.chance(0.8);
    const keyed = isFitting ? { ...usual, partitionKey: usual.sessionId } : usual;
    return random.chance(chances.mistake) ? { ...keyed, ...this.#mistake() } : keyed;
  }

  #ofSession(message: MessageHead): MessageHead {
    const sessionId = this.#random.pick(SESSION_IDS.slice(0, this.#sessionCount));
    const isFitting = this.#random.chance(0.9);
    return { ...message, sessionId, partitionKey: isFitting ? undefined : message.partitionKey };
  }

  /** Now and then too large for some queues, or for a batch. */
  #written(head: MessageHead): NewMessage {
    const isLarge = this.#random.chance(this.#chances.size);
    const padding = isLarge ? LARGE_PADDING_BYTES : this.#random.pick([0, 0, 0, 0, 0, 0, 500, 1200]);
    const properties = {
      subject: this.#random.pick([undefined, 'alpha', 'beta']),
      color: this.#random.pick([undefined, 'red', 'red', 'blue']),
      quantity: this.#random.pick([undefined, 0, 1, 2, 5]),
    };
    return { ...head, content: writeContent(this.#sentCount, head, properties, padding) };
  }

  #mistake(): Partial<MessageHead> {
    const { maxIdLength, maxHeadBytes, maxPropertyBytes } = this.#limits;
    const longId = 'x'.repeat(maxIdLength + 1);
    return this.#random.pick<Partial<MessageHead>>([
      { messageId: longId },
      { sessionId: longId, partitionKey: undefined },
      { replyToSessionId: longId },
      { partitionKey: longId, sessionId: undefined },
      { viaPartitionKey: longId },
      { timeToLiveMs: -1 },
      { headBytes: maxHeadBytes + 1 },
      { largestPropertyBytes: maxPropertyBytes + 1 },
      { unsupportedProperty: { name: 'one', type: this.#sentCount % 2 === 0 ? 'list' : 'binary' } },
    ]);
  }
}

type KindAboutMessages =
  | ('settle' | 'settle-many' | 'renew-lock')
  | ('peek' | 'receive-deferred' | 'cancel-scheduled' | 'delete-messages');

const OUTCOMES: Weighted<Outcome['kind']> = [
  ['complete', 3],
  ['abandon', 3],
  ['release', 1],
  ['dead-letter', 2],
  ['defer', 2],
];

type SessionKind = Extract<
  Command['kind'],
  'accept-session' | 'renew-session-lock' | 'get-session-state' | 'set-session-state' | 'list-sessions'
>;

/** Of the service. */
const MAX_ID_LENGTH = 128;
/** Fits into few queues, and fills the smallest. */
const LARGE_STATE_BYTES = 400 * 1024;

type NewReceiver = {
  readonly linkId: number;
  readonly entityPath: string;
  readonly receiveMode: ReceiveMode;
};

export class MessageCommands {
  readonly #random: Random;
  readonly #pace: Pace;
  readonly #picks: Picks;
  readonly #outcomes: Weighted<Outcome['kind']>;
  readonly #nextChance: number;
  readonly #stateSizes: readonly number[];
  #stateCount = 0;

  constructor(random: Random, pace: Pace, picks: Picks) {
    this.#random = random;
    this.#pace = pace;
    this.#picks = picks;
    this.#nextChance = random.pick([0.2, 0.5, 0.9]);
    this.#stateSizes = random.pick([
      [10, 10, 30],
      [0, 20, 500, 1200],
      [10, 30, LARGE_STATE_BYTES, LARGE_STATE_BYTES],
    ]);
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

  accept(receiver: NewReceiver): Command {
    const { sessionId } = this.#picks.anyClaim();
    const isTooLong = this.#random.chance(0.02);
    const known = this.#random.chance(0.3) ? sessionId : this.#random.pick(SESSION_IDS);
    const id = isTooLong ? 'x'.repeat(MAX_ID_LENGTH + 1) : known;
    return {
      kind: 'accept-session',
      ...receiver,
      connectionId: this.#random.pick(CONNECTION_IDS),
      sessionId: this.#random.chance(this.#nextChance) ? undefined : id,
    };
  }

  nextOfSession(kind: Exclude<SessionKind, 'accept-session'>, now: number): Command {
    if (kind === 'list-sessions') return this.#list(now);
    const { entityPath, sessionId, connectionId } = this.#picks.claim();
    const claimed = {
      entityPath: this.#picks.pathOf({ entityPath }),
      session: this.#picks.bent({ sessionId, connectionId }),
    };
    if (kind === 'set-session-state') return { kind, ...claimed, state: this.#state() };
    return { kind, ...claimed };
  }

  #list(now: number): Command {
    return {
      kind: 'list-sessions',
      entityPath: this.#picks.sessionPath(),
      stateSetAfter: this.#random.pick([undefined, undefined, 0, this.#pace.cutoff(now) - 1]),
      skip: this.#random.pick([0, 0, 0, 0, 1, 2, -1]),
      maxCount: this.#random.pick([1, 2, 100, 100, 100, 0]),
    };
  }

  #state(): Uint8Array | undefined {
    if (this.#random.chance(0.25)) return undefined;
    this.#stateCount += 1;
    const text = `state ${this.#stateCount}`;
    const size = this.#random.pick(this.#stateSizes);
    return size === LARGE_STATE_BYTES
      ? new Uint8Array(LARGE_STATE_BYTES)
      : new TextEncoder().encode(text.padEnd(size, '.').slice(0, size));
  }
}
