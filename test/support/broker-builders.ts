// Builders for the broker's tests: a broker with a clock that is moved by hand, and short words for common commands.

import { Broker, type Turn } from '../../src/broker/broker.js';
import { AZURE_BEHAVIOUR, type BehaviourOptions } from '../../src/broker/contract/behaviour-options.js';
import type { Command, Outcome, ReceiveMode } from '../../src/broker/contract/command.js';
import { ContentUnreadable } from '../../src/broker/contract/content-unreadable.js';
import type { Delivery, Effect } from '../../src/broker/contract/effect.js';
import {
  describeQueue,
  type QueueDescription,
} from '../../src/broker/contract/entities/queue-description.js';
import type { Instant } from '../../src/broker/contract/instant.js';
import { LIMITS_OF_TIER, type Limits } from '../../src/broker/contract/limits.js';
import type { NewMessage, PropertyChange } from '../../src/broker/contract/message-properties.js';
import type { EntityInfo, FoundMessage, QueueInfo } from '../../src/broker/contract/result.js';
import type { ErrorReason } from '../../src/broker/contract/service-bus-error.js';
import { BrokerRows } from './broker-rows.js';
import { JsonReader } from './json-reader.js';

export const START: Instant = Date.UTC(2030, 0, 1);

export const COMPLETE: Outcome = { kind: 'complete' };
export const RELEASE: Outcome = { kind: 'release' };
export const ABANDON: Outcome = { kind: 'abandon', changes: [] };
export const DEAD_LETTER: Outcome = { kind: 'dead-letter', changes: [] };
export const DEFER: Outcome = { kind: 'defer', changes: [] };

/** A turn gives at least so many deliveries if there are more. */
const SMALLEST_SHARE = 50;

/** 32 hexadecimal digits, counting up. */
export function countingGuids(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return count.toString(16).padStart(32, '0');
  };
}

export type GivenProperties = Partial<Omit<NewMessage, 'content'>>;

export function messageOf(text: string, given: GivenProperties = {}): NewMessage {
  return newMessage(new TextEncoder().encode(text), { messageId: text, ...given });
}

export function messageOfSize(sizeBytes: number): NewMessage {
  return newMessage(new Uint8Array(sizeBytes));
}

/** As a front end would have read it from a message that says nothing but what is given here. */
export function newMessage(content: Uint8Array, given: GivenProperties = {}): NewMessage {
  return {
    content,
    messageId: 'some-id',
    sessionId: undefined,
    replyToSessionId: undefined,
    partitionKey: undefined,
    viaPartitionKey: undefined,
    timeToLiveMs: undefined,
    scheduledEnqueueTime: undefined,
    headBytes: 0,
    largestPropertyBytes: 0,
    unsupportedProperty: undefined,
    ...given,
  };
}

export type BrokerUnderTestOptions = {
  readonly limits?: Partial<Limits>;
  readonly behaviour?: Partial<BehaviourOptions>;
  readonly rows?: BrokerRows;
  readonly nextGuid?: () => string;
};

export class BrokerUnderTest {
  now = START;
  readonly broker: Broker;
  readonly rows: BrokerRows;
  readonly reader = new JsonReader();
  /** Contents that no turn can read any more. */
  readonly broken = new Set<number>();
  #lastLinkId = 0;

  readonly #options: BrokerUnderTestOptions;

  constructor(options: BrokerUnderTestOptions = {}) {
    const { rows = new BrokerRows(), nextGuid = countingGuids() } = options;
    this.#options = { ...options, rows, nextGuid };
    this.rows = rows;
    this.broker = new Broker({
      limits: { ...LIMITS_OF_TIER.standard, ...options.limits },
      behaviour: { ...AZURE_BEHAVIOUR, ...options.behaviour },
      nextGuid,
      messageReader: this.reader,
    });
    this.broker.readContentsFrom((contentId) => {
      const seen = `content ${contentId} is missing`;
      if (this.broken.has(contentId)) throw new ContentUnreadable(contentId, seen);
      return this.rows.contents.get(contentId) ?? missing(contentId);
    });
    this.broker.restore(rows.stored());
  }

  /** The broker that comes back after a crash at this point. */
  restarted(): BrokerUnderTest {
    const restarted = new BrokerUnderTest(this.#options);
    restarted.now = this.now;
    return restarted;
  }

  execute(command: Command): Turn {
    const turn = this.broker.execute(command, this.now);
    this.rows.apply(turn.events);
    return turn;
  }

  passTime(milliseconds: number): void {
    this.now += milliseconds;
  }

  /** Time passes and the tick comes. */
  tickAfter(milliseconds: number): Turn {
    this.passTime(milliseconds);
    return this.execute({ kind: 'tick' });
  }

  putQueue(name: string, given: Partial<Omit<QueueDescription, 'name'>> = {}): Turn {
    return this.execute({ kind: 'put-entity', type: 'queue', description: describeQueue(name, given) });
  }

  /** Reports that the content of a message could not be read, with or without it being removed. */
  reportUnreadable(message: Pick<Delivery, 'contentId' | 'storeId' | 'removed' | 'properties'>): Turn {
    const { contentId, storeId, removed, properties } = message;
    const { sequenceNumber } = properties;
    const seen = `content ${contentId} is missing`;
    return this.execute({ kind: 'content-unreadable', contentId, storeId, sequenceNumber, seen, removed });
  }

  send(entityPath: string, ...messages: (NewMessage | string)[]): Turn {
    const all = messages.map((message) => (typeof message === 'string' ? messageOf(message) : message));
    return this.execute({ kind: 'send', entityPath, messages: all });
  }

  /** A new receiver without credit; answers its link id. */
  attachReceiver(entityPath: string, receiveMode: ReceiveMode = 'peek-lock'): number {
    const linkId = this.nextLinkId();
    const { result } = this.execute({ kind: 'attach-receiver', linkId, entityPath, receiveMode });
    if (result.kind === 'failed') throw result.error;
    return linkId;
  }

  nextLinkId(): number {
    this.#lastLinkId += 1;
    return this.#lastLinkId;
  }

  setCredit(linkId: number, deliveryLimit: number, { drain = false } = {}): Turn {
    return this.execute({ kind: 'set-credit', linkId, deliveryLimit, drain });
  }

  /** Whatever a receiver that comes with this much credit, and goes again, is given at once, or by full turns, one after the other. */
  receive(entityPath: string, count = 1, receiveMode: ReceiveMode = 'peek-lock'): readonly Delivery[] {
    const linkId = this.attachReceiver(entityPath, receiveMode);
    const given = [...deliveriesTo(linkId, this.setCredit(linkId, count))];
    for (let more = given; more.length >= SMALLEST_SHARE && given.length < count; given.push(...more)) {
      more = [...deliveriesTo(linkId, this.tickAfter(1))];
    }
    this.execute({ kind: 'detach', linkId });
    return given;
  }

  /** The one message that is to be had first, under its lock. */
  receiveOne(entityPath: string): LockedDelivery {
    const [delivery] = this.receive(entityPath);
    if (delivery?.lockToken === undefined) throw new Error(`nothing to receive from ${entityPath}`);
    return { ...delivery, lockToken: delivery.lockToken };
  }

  /** The next message of a receiver that stays. */
  receiveOneAs(linkId: number): LockedDelivery {
    const [delivery] = deliveriesTo(linkId, this.setCredit(linkId, 1));
    if (delivery?.lockToken === undefined) throw new Error('nothing to receive');
    return { ...delivery, lockToken: delivery.lockToken };
  }

  settle(entityPath: string, { lockToken }: { readonly lockToken: string }, outcome: Outcome): Turn {
    return this.execute({ kind: 'settle', entityPath, lockToken, outcome });
  }

  renew(entityPath: string, ...lockTokens: string[]): Turn {
    return this.execute({ kind: 'renew-lock', entityPath, lockTokens });
  }

  /** Numbers and states, `locked` ones by their state too, of what is in the store from `fromSequenceNumber` on. */
  peek(entityPath: string, fromSequenceNumber = 0, maxCount = 1000): readonly FoundMessage[] {
    return messagesOf(this.execute({ kind: 'peek', entityPath, fromSequenceNumber, maxCount }));
  }

  receiveDeferred(
    entityPath: string,
    sequenceNumbers: readonly number[],
    receiveMode: ReceiveMode = 'peek-lock',
  ): Turn {
    return this.execute({ kind: 'receive-deferred', entityPath, sequenceNumbers, receiveMode });
  }

  /** Locks one deferred message. */
  receiveOneDeferred(entityPath: string, sequenceNumber: number): LockedMessage {
    const [message] = messagesOf(this.receiveDeferred(entityPath, [sequenceNumber]));
    if (message?.lockToken === undefined) throw new Error(`no deferred message ${sequenceNumber}`);
    return { ...message, lockToken: message.lockToken };
  }

  cancelScheduled(entityPath: string, ...sequenceNumbers: number[]): Turn {
    return this.execute({ kind: 'cancel-scheduled', entityPath, sequenceNumbers });
  }

  deleteMessages(entityPath: string, maxCount: number, enqueuedBefore: Instant = this.now): Turn {
    return this.execute({ kind: 'delete-messages', entityPath, maxCount, enqueuedBefore });
  }

  /** Of the queue, topic or subscription at this path. */
  info(entityPath: string): EntityInfo {
    const { result } = this.execute({ kind: 'get-entity', entityPath });
    if (result.kind !== 'entity-info') throw new Error(`there is no ${entityPath}`);
    return result.entity;
  }

  queueInfo(name: string): QueueInfo {
    const info = this.info(name);
    if (info.type !== 'queue') throw new Error(`no queue ${name}`);
    return info;
  }

  textOf({ contentId }: { readonly contentId: number }): string {
    return new TextDecoder().decode(this.rows.contents.get(contentId));
  }
}

function missing(contentId: number): never {
  throw new Error(`content ${contentId} is not stored`);
}

export type LockedDelivery = Delivery & { readonly lockToken: string };
export type LockedMessage = FoundMessage & { readonly lockToken: string };

/** Of a `peek` or `receive-deferred` that was answered. */
export function messagesOf({ result }: Turn): readonly FoundMessage[] {
  if (result.kind !== 'messages') throw new Error(`no messages but ${result.kind}`);
  return result.messages;
}

/** A broker with one queue, `orders`. */
export function withQueue(
  given: Partial<Omit<QueueDescription, 'name'>> = {},
  options: BrokerUnderTestOptions = {},
): BrokerUnderTest {
  const bus = new BrokerUnderTest(options);
  bus.putQueue('orders', given);
  return bus;
}

export function deliveriesTo(linkId: number, { effects }: Turn): readonly Delivery[] {
  return effects.flatMap((effect) =>
    effect.kind === 'deliver' && effect.linkId === linkId ? [effect.delivery] : [],
  );
}

export function sequenceNumbersTo(linkId: number, turn: Turn): readonly number[] {
  return deliveriesTo(linkId, turn).map((delivery) => delivery.properties.sequenceNumber);
}

export function effectKinds({ effects }: Turn): readonly Effect['kind'][] {
  return effects.map((effect) => effect.kind);
}

/** Of a failed turn: what a front end would tell the client. */
export function failureOf({
  result,
}: Turn): { readonly reason: ErrorReason; readonly message: string } | undefined {
  return result.kind === 'failed'
    ? { reason: result.error.reason, message: result.error.message }
    : undefined;
}

/** What was set on a message since it was sent. */
export function changesOf(delivery: Delivery): Readonly<Record<string, PropertyChange['value']>> {
  const changes = delivery.properties.propertyChanges ?? [];
  return Object.fromEntries(changes.map(({ name, value }) => [name, value]));
}
