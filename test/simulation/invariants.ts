// The invariants of semantics D.5, watched from outside and without the reference model.

import type { Broker, Turn } from '../../src/broker/broker.js';
import type { Command } from '../../src/broker/command.js';
import type { Effect } from '../../src/broker/effect.js';
import type { Event, MessageRecord } from '../../src/broker/event.js';
import type { BrokerRows } from '../support/broker-rows.js';
import { check, checkSame } from './check.js';

/** One delivery under a lock. A content stands for its message. */
type Hold = { readonly contentId: number; until: number; isOver: boolean };
/** What was just executed, when, and by whom. */
export type Step = {
  readonly command: Command;
  readonly turn: Turn;
  readonly now: number;
  readonly broker: Broker;
};

export class Invariants {
  readonly #rows: BrokerRows;
  /** Every token ever seen. */
  readonly #holds = new Map<string, Hold>();
  readonly #lastTokens = new Map<number, string>();
  /** Deliveries under a lock from the main store, without the released ones, by content. */
  readonly #deliveryCounts = new Map<number, number>();
  /** The highest number given by each main store. */
  readonly #lastNumbers = new Map<number, number>();
  /** The largest maximum that each main store ever had. */
  readonly #maxDeliveryCounts = new Map<number, number>();
  /** The main store each receiver of one is attached to. */
  readonly #mainStoreOfLink = new Map<number, number>();

  /** `rows` are those of the first turn on, or of a restart: everything durable. */
  constructor(rows: BrokerRows) {
    this.#rows = rows;
    for (const queue of rows.queues()) {
      this.#maxDeliveryCounts.set(queue.storeId, queue.description.maxDeliveryCount);
      this.#lastNumbers.set(queue.storeId, rows.nextNumber(queue.storeId) - 1);
    }
    for (const { storeId, message } of rows.messages()) {
      this.#deliveryCounts.set(message.contentId, message.deliveryCount);
      const max = this.#maxDeliveryCounts.get(storeId) ?? Number.POSITIVE_INFINITY;
      // It has been larger, or this message would not be here any more.
      if (message.deliveryCount >= max) this.#maxDeliveryCounts.set(storeId, message.deliveryCount + 1);
    }
  }

  /** To be called when the events are in the rows. */
  afterTurn(step: Step): void {
    this.#noteQueues(step.turn.events);
    this.#noteReceiver(step);
    this.#checkNumbers(step.turn.events);
    this.#checkTokensUsed(step);
    for (const effect of step.turn.effects) this.#checkEffect(effect, step);
    for (const event of step.turn.events) {
      if (event.kind === 'message-put') this.#checkCount(event.storeId, event.message);
    }
  }

  /** 1 and 8: each message is in one store, with its content; there is no content without a message. */
  checkRows(): void {
    const named = new Set<number>();
    for (const { message } of this.#rows.messages()) {
      check(!named.has(message.contentId), 'invariant 1: a content is in two places');
      check(this.#rows.contents.has(message.contentId), 'invariant 8: a content is missing');
      named.add(message.contentId);
    }
    checkSame(this.#rows.contents.size, named.size, 'invariant 8: there is a content without a message');
  }

  #noteQueues(events: readonly Event[]): void {
    for (const event of events) {
      if (event.kind !== 'queue-put') continue;
      const { storeId, description } = event.queue;
      const before = this.#maxDeliveryCounts.get(storeId) ?? 0;
      this.#maxDeliveryCounts.set(storeId, Math.max(before, description.maxDeliveryCount));
    }
  }

  #noteReceiver({ command, turn: { result } }: Step): void {
    if (command.kind !== 'attach-receiver' || result.kind !== 'entity') return;
    const queue = this.#rows.findQueue(result.path);
    if (queue !== undefined) this.#mainStoreOfLink.set(command.linkId, queue.storeId);
  }

  /** 3: numbers go up by one and are never given again. */
  #checkNumbers(events: readonly Event[]): void {
    const newContents = new Set(
      events.map((event) => (event.kind === 'content-stored' ? event.contentId : -1)),
    );
    for (const event of events) {
      if (event.kind !== 'message-put' || !newContents.has(event.message.contentId)) continue;
      const { sequenceNumber } = event.message;
      const last = this.#lastNumbers.get(event.storeId) ?? 0;
      checkSame(sequenceNumber, last + 1, 'invariant 3: a sequence number is wrong');
      this.#lastNumbers.set(event.storeId, sequenceNumber);
    }
  }

  /** 9: a token settles or renews nothing once it has settled something or has expired. */
  #checkTokensUsed({ command, turn: { result }, now }: Step): void {
    if (command.kind === 'renew-lock' && result.kind === 'renewed') {
      for (const [index, token] of command.lockTokens.entries()) {
        this.#validHold(token, now).until = result.lockedUntil[index] ?? 0;
      }
    }
    if (command.kind === 'settle' && result.kind === 'done') {
      const hold = this.#validHold(command.lockToken, now);
      hold.isOver = true;
      if (command.outcome.kind === 'release') this.#countDelivery(hold.contentId, -1);
    }
  }

  #validHold(token: string, now: number): Hold {
    const hold = this.#holds.get(token);
    check(hold !== undefined, 'invariant 9: a token was accepted that was never given');
    check(!hold.isOver && now < hold.until, 'invariant 9: a token was accepted that is over');
    return hold;
  }

  #checkEffect(effect: Effect, { broker, now }: Step): void {
    if (effect.kind !== 'deliver') return;
    const { contentId, lockToken, lockedUntil = 0 } = effect.delivery;
    this.#checkNotHeld(contentId, { broker, now });
    if (lockToken === undefined) return;
    check(!this.#holds.has(lockToken), 'RCV-06: a token was given twice');
    check(broker.holdsLock(lockToken, now), 'a delivery holds no lock');
    this.#holds.set(lockToken, { contentId, until: lockedUntil, isOver: false });
    this.#lastTokens.set(contentId, lockToken);
    const storeId = this.#mainStoreOfLink.get(effect.linkId);
    if (storeId === undefined) return;
    const count = this.#countDelivery(contentId, 1);
    const max = this.#maxDeliveryCounts.get(storeId) ?? 0;
    check(count <= max, 'invariant 5: a message was delivered too often');
  }

  /** 2: there is one valid token per message at most. */
  #checkNotHeld(contentId: number, { broker, now }: Pick<Step, 'broker' | 'now'>): void {
    const token = this.#lastTokens.get(contentId);
    if (token === undefined) return;
    check(!broker.holdsLock(token, now), 'invariant 2: a locked message was delivered');
    const hold = this.#holds.get(token);
    if (hold !== undefined) hold.isOver = true;
  }

  #countDelivery(contentId: number, change: 1 | -1): number {
    const count = (this.#deliveryCounts.get(contentId) ?? 0) + change;
    this.#deliveryCounts.set(contentId, count);
    return count;
  }

  /** 4: no message of a main store has used up its deliveries. */
  #checkCount(storeId: number, { deliveryCount }: MessageRecord): void {
    const max = this.#maxDeliveryCounts.get(storeId);
    if (max !== undefined) check(deliveryCount < max, 'invariant 4: a message has used up its deliveries');
  }
}
