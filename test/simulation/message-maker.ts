// Makes up messages. Each seed has its own habits: which properties its senders use, and how often they get one wrong.

import type { Limits } from '../../src/broker/limits.js';
import type { NewMessage } from '../../src/broker/message/message-properties.js';
import { type MessageHead, writeContent } from './message-content.js';
import type { Pace } from './pace.js';
import type { Random } from './random.js';
import { SESSION_IDS } from './session-ids.js';

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
    // Keys that contradict each other are refused where there are partitions.
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
      { unsupportedProperty: { name: 'colours', type: 'list' } },
    ]);
  }
}
