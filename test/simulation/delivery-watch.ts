// Who holds what, as one sees it from outside: the invariants of semantics D.5 on tokens, deliveries and their order.

import type { Delivery } from '../../src/broker/effect.js';
import type { MessageRecord } from '../../src/broker/event.js';
import { MESSAGE_STATE } from '../../src/broker/message/message-properties.js';
import type { FoundMessage } from '../../src/broker/result.js';
import { check } from './check.js';
import type { DurableRows } from './durable-rows.js';
import type { Step } from './invariants.js';
import { PARTITION_SIZE } from './reference-turn.js';

/** One delivery under a lock. A content stands for its message. */
type Hold = {
  readonly contentId: number;
  /** Undefined when it was asked for by number. */
  readonly linkId: number | undefined;
  until: number;
  isOver: boolean;
};

type HandedOut = {
  readonly message: Delivery | FoundMessage;
  readonly storeId: number;
  readonly linkId: number | undefined;
};

export class DeliveryWatch {
  readonly #rows: DurableRows;
  readonly #maxDeliveryCounts: ReadonlyMap<number, number>;
  readonly #releaseLocksOnDetach: boolean;
  /** Every token ever seen. */
  readonly #holds = new Map<string, Hold>();
  readonly #lastTokens = new Map<number, string>();
  /** Of main stores: deliveries under a lock, without the released ones, less the deferrals; by content. */
  readonly #deliveryCounts = new Map<number, number>();
  /** The store each receiver is attached to. */
  readonly #storeOfLink = new Map<number, number>();
  readonly #goneLinks = new Set<number>();

  constructor(
    rows: DurableRows,
    maxDeliveryCounts: ReadonlyMap<number, number>,
    releaseLocksOnDetach: boolean,
  ) {
    this.#rows = rows;
    this.#maxDeliveryCounts = maxDeliveryCounts;
    this.#releaseLocksOnDetach = releaseLocksOnDetach;
  }

  /** One that is deferred may be had once more, however often it was deferred. */
  noteRestored({ contentId, deliveryCount, state }: MessageRecord): void {
    this.#deliveryCounts.set(contentId, state === MESSAGE_STATE.deferred ? 0 : deliveryCount);
  }

  afterTurn(step: Step): void {
    this.#noteLinks(step);
    this.#releaseOfGone(step.now);
    this.#checkTokensUsed(step);
    const handedOut = this.#handedOut(step);
    for (const one of handedOut) this.#checkHandedOut(one, step);
    this.#releaseOfGone(step.now);
    if (step.command.kind === 'tick' || step.command.kind === 'set-credit') {
      for (const one of handedOut) this.#checkOrder(one, step);
    }
  }

  #noteLinks({ command, turn: { result, effects } }: Step): void {
    if (command.kind === 'attach-receiver' && result.kind === 'entity') {
      const storeId = this.#storeAt(result.path);
      if (storeId !== undefined) this.#storeOfLink.set(command.linkId, storeId);
      this.#goneLinks.delete(command.linkId); // somebody may have detached it before it was there
    }
    if (command.kind === 'detach') this.#goneLinks.add(command.linkId);
    for (const effect of effects) if (effect.kind === 'detach') this.#goneLinks.add(effect.linkId);
  }

  #storeAt(path: string): number | undefined {
    const [name, isDead] = path.toLowerCase().split(/(\/\$deadletterqueue$)/);
    for (const { description, storeId, deadLetterStoreId } of this.#rows.queues()) {
      if (description.name.toLowerCase() !== name) continue;
      return isDead === undefined ? storeId : deadLetterStoreId;
    }
    return undefined;
  }

  /** LNK-04. */
  #releaseOfGone(now: number): void {
    if (!this.#releaseLocksOnDetach || this.#goneLinks.size === 0) return;
    for (const hold of this.#holds.values()) {
      if (!hold.isOver && now < hold.until) this.#endIfReleased(hold);
    }
  }

  #endIfReleased(hold: Hold): void {
    if (!this.#releaseLocksOnDetach || !this.#goneLinks.has(hold.linkId ?? -1)) return;
    hold.isOver = true;
    this.#countDelivery(hold.contentId, -1);
  }

  /** 9: a token settles or renews nothing once it has settled something or has expired. */
  #checkTokensUsed({ command, turn: { result }, now }: Step): void {
    if (command.kind === 'renew-lock' && result.kind === 'renewed') {
      for (const [index, token] of command.lockTokens.entries()) {
        this.#validHold(token, now).until = result.lockedUntil[index] ?? 0;
      }
    }
    if (result.kind !== 'done' || (command.kind !== 'settle' && command.kind !== 'settle-many')) return;
    const tokens = command.kind === 'settle' ? [command.lockToken] : new Set(command.lockTokens);
    const isUncounted = command.outcome.kind === 'release' || command.outcome.kind === 'defer';
    for (const token of tokens) {
      const hold = this.#validHold(token, now);
      hold.isOver = true;
      if (isUncounted) this.#countDelivery(hold.contentId, -1);
    }
  }

  #validHold(token: string, now: number): Hold {
    const hold = this.#holds.get(token);
    check(hold !== undefined, 'invariant 9: a token was accepted that was never given');
    check(!hold.isOver && now < hold.until, 'invariant 9: a token was accepted that is over');
    return hold;
  }

  /** What receivers got, and what was asked for by number. */
  #handedOut({ command, turn: { result, effects } }: Step): readonly HandedOut[] {
    const handedOut: HandedOut[] = [];
    if (command.kind === 'receive-deferred' && result.kind === 'messages') {
      const storeId = this.#storeAt(command.entityPath);
      check(storeId !== undefined, 'messages come from nowhere');
      for (const message of result.messages) handedOut.push({ message, storeId, linkId: undefined });
    }
    for (const effect of effects) {
      if (effect.kind !== 'deliver') continue;
      const storeId = this.#storeOfLink.get(effect.linkId);
      check(storeId !== undefined, 'a link gets messages that is not attached');
      handedOut.push({ message: effect.delivery, storeId, linkId: effect.linkId });
    }
    return handedOut;
  }

  #checkHandedOut({ message, storeId, linkId }: HandedOut, { broker, now }: Step): void {
    const { contentId, lockToken, lockedUntil = 0, properties } = message;
    check(properties.expiresAt > now, 'invariant 6: an expired message was handed out');
    this.#checkNotHeld(contentId, { broker, now });
    if (lockToken === undefined) return;
    check(!this.#holds.has(lockToken), 'RCV-06: a token was given twice');
    // A link that is detached in the same turn has its locks no longer.
    const isHeld = broker.holdsLock(lockToken, now);
    const mayBeReleased = this.#goneLinks.has(linkId ?? -1);
    check(isHeld || mayBeReleased, 'a delivery holds no lock');
    this.#holds.set(lockToken, { contentId, linkId, until: lockedUntil, isOver: false });
    this.#lastTokens.set(contentId, lockToken);
    const max = this.#maxDeliveryCounts.get(storeId);
    if (max === undefined) return;
    const count = this.#countDelivery(contentId, 1);
    check(count <= max, 'invariant 5: a message was delivered too often');
  }

  /** 2: there is one valid token per message at most. */
  #checkNotHeld(contentId: number, { broker, now }: Pick<Step, 'broker' | 'now'>): void {
    const token = this.#lastTokens.get(contentId);
    const hold = token === undefined ? undefined : this.#holds.get(token);
    if (token === undefined || hold === undefined) return;
    check(!broker.holdsLock(token, now), 'invariant 2: a locked message was delivered');
    if (!hold.isOver && now < hold.until) this.#endIfReleased(hold);
    hold.isOver = true;
  }

  /** 3: nothing available with a lower number, in the same partition, was passed over. Commands that free messages at their end are left out. */
  #checkOrder({ storeId, message: { properties } }: HandedOut, { now }: Step): void {
    if (properties.state !== MESSAGE_STATE.active) return;
    for (const { message } of this.#rows.messagesOf(storeId)) {
      if (message.sequenceNumber >= properties.sequenceNumber) continue;
      const isOther = message.sequenceNumber < (properties.partitionId ?? 0) * PARTITION_SIZE;
      if (isOther) continue;
      const isOut = message.state !== MESSAGE_STATE.active || message.expiresAt <= now;
      check(isOut || this.#isHeld(message.contentId, now), 'invariant 3: an earlier message was passed over');
    }
  }

  #isHeld(contentId: number, now: number): boolean {
    const hold = this.#holds.get(this.#lastTokens.get(contentId) ?? '');
    return hold !== undefined && !hold.isOver && now < hold.until;
  }

  #countDelivery(contentId: number, change: 1 | -1): number {
    const count = (this.#deliveryCounts.get(contentId) ?? 0) + change;
    this.#deliveryCounts.set(contentId, count);
    return count;
  }
}
