// Who holds what, as one sees it from outside: the invariants of semantics D.5 on tokens, deliveries and their order.

import type { Command } from '../../src/broker/contract/command.js';
import type { Delivery } from '../../src/broker/contract/effect.js';
import type { MessageRecord } from '../../src/broker/contract/event.js';
import { MESSAGE_STATE } from '../../src/broker/contract/message-properties.js';
import type { FoundMessage } from '../../src/broker/contract/result.js';
import type { DurableRows } from './durable-rows.js';
import { PARTITION_SIZE } from './reference-state.js';
import { isSelected, type Selectable } from './selectors.js';
import { type SessionHold, SessionWatch } from './session-watch.js';
import { check } from './simulation-failure.js';
import type { Enlisted, Part, Step } from './steps.js';

/** One delivery under a lock. */
type Hold = {
  /** Of the message. */
  readonly key: string;
  /** Undefined when it was asked for by number. */
  readonly linkId: number | undefined;
  /** Of the session's holder, whose lock is the umbrella of this one (SES-04). */
  readonly session: SessionHold | undefined;
  until: number;
  isOver: boolean;
  /** It is settled in an open transaction: it does not run out (TXN-06). */
  isPinned: boolean;
  /** It was, when its link went. */
  isKept: boolean;
};

type HandedOut = {
  readonly message: Delivery | FoundMessage;
  readonly storeId: number;
  readonly linkId: number | undefined;
  readonly session: SessionHold | undefined;
};

export class DeliveryWatch {
  readonly #rows: DurableRows;
  readonly #maxDeliveryCounts: ReadonlyMap<number, number>;
  readonly #releaseLocksOnDetach: boolean;
  readonly #sessions: SessionWatch;
  /** Every token ever seen. */
  readonly #holds = new Map<string, Hold>();
  /** By message. */
  readonly #lastTokens = new Map<string, string>();
  /** Of main stores: deliveries under a lock, without the released ones; by message. */
  readonly #deliveryCounts = new Map<string, number>();
  /** The store each receiver is attached to; its path as long as there has been nothing to put into it (DLQ-02). */
  readonly #storeOfLink = new Map<number, number | string>();
  readonly #browsers = new Set<number>();
  readonly #selectors = new Map<number, string>();
  readonly #goneLinks = new Set<number>();
  /** Links whose locks run on when they are gone. */
  readonly #lockKeepers = new Set<number>();

  constructor(
    rows: DurableRows,
    maxDeliveryCounts: ReadonlyMap<number, number>,
    releaseLocksOnDetach: boolean,
  ) {
    this.#rows = rows;
    this.#maxDeliveryCounts = maxDeliveryCounts;
    this.#releaseLocksOnDetach = releaseLocksOnDetach;
    this.#sessions = new SessionWatch(rows);
  }

  noteRestored(storeId: number, { sequenceNumber, deliveryCount }: MessageRecord): void {
    const key = this.#rows.keyOf(storeId, sequenceNumber);
    this.#deliveryCounts.set(key, deliveryCount);
  }

  afterTurn(step: Step): void {
    const { parts } = step;
    for (const part of parts) this.#noteLinks(part);
    for (const one of step.rolledBack) this.#unpin(one, step.now);
    for (const effect of step.turn.effects) if (effect.kind === 'detach') this.#goneLinks.add(effect.linkId);
    // A later command of a step may have ended the session of what an earlier one settled.
    const isStep = step.command.kind === 'step';
    if (isStep) for (const part of parts) this.#checkTokensUsed(part, step.now);
    this.#sessions.afterTurn(step);
    this.#endOfSessions(step);
    this.#releaseOfGone(step.now);
    if (!isStep) for (const part of parts) this.#checkTokensUsed(part, step.now);
    for (const token of tokensOf(step.enlisted?.command)) this.#validHold(token, step.now).isPinned = true;
    const handedOut = this.#handedOut(parts, step);
    for (const one of handedOut) {
      this.#checkHandedOut(one, step);
      this.#endOfSessions(step); // it may have been given and given up in the same turn
    }
    this.#releaseOfGone(step.now);
    if (step.command.kind === 'tick' || step.command.kind === 'set-credit') {
      for (const one of handedOut) this.#checkOrder(one, step);
    }
  }

  #noteLinks({ command, result }: Part): void {
    const isReceiver = command.kind === 'attach-receiver' || command.kind === 'accept-session';
    if (isReceiver && result.kind === 'entity') {
      this.#storeOfLink.set(command.linkId, this.#rows.entities.storeAt(result.path) ?? result.path);
      this.#goneLinks.delete(command.linkId); // somebody may have detached it before it was there
    }
    if (command.kind === 'attach-receiver' && command.selector !== undefined) {
      this.#selectors.set(command.linkId, command.selector);
    }
    if (command.kind === 'attach-receiver' && command.keepsLocks === true) {
      this.#lockKeepers.add(command.linkId);
    }
    if (command.kind === 'attach-browser') this.#browsers.add(command.linkId);
    if (command.kind === 'detach') this.#goneLinks.add(command.linkId);
  }

  /** E.4, 2: what a session's holder has locked is locked no longer than the session (SES-13, SES-14). */
  #endOfSessions({ broker, now }: Step): void {
    if (this.#sessions.endedHolds.length === 0) return;
    for (const [token, hold] of this.#holds) {
      if (hold.isOver || hold.session?.isOver !== true) continue;
      check(!broker.holdsLock(token, now), 'invariant E.4: a message is locked, and its session is not');
      hold.isOver = true;
      if (hold.session.isGivenUp) this.#countDelivery(hold.key, -1);
    }
  }

  /** TXN-05: it is as before, unless its time has come meanwhile or the client has forgotten it. */
  #unpin({ command, isForgotten }: Enlisted, now: number): void {
    for (const token of tokensOf(command)) {
      const hold = this.#holds.get(token);
      if (hold === undefined) continue;
      hold.isPinned = false;
      if (isForgotten || untilOf(hold) <= now) hold.isOver = true;
    }
  }

  /** LNK-04. */
  #releaseOfGone(now: number): void {
    if (!this.#releaseLocksOnDetach || this.#goneLinks.size === 0) return;
    for (const hold of this.#holds.values()) {
      if (!hold.isOver && now < untilOf(hold)) this.#endIfReleased(hold);
    }
  }

  #endIfReleased(hold: Hold): void {
    if (hold.session !== undefined) return;
    if (!this.#releaseLocksOnDetach) return;
    const linkId = hold.linkId ?? -1;
    if (!this.#goneLinks.has(linkId) || this.#lockKeepers.has(linkId)) return;
    hold.isKept ||= hold.isPinned;
    if (hold.isKept) return;
    hold.isOver = true;
    this.#countDelivery(hold.key, -1);
  }

  /** 9: a token settles or renews nothing once it has settled something or has expired. */
  #checkTokensUsed({ command, result }: Part, now: number): void {
    if (command.kind === 'renew-lock' && result.kind === 'renewed') {
      for (const [index, token] of command.lockTokens.entries()) {
        this.#validHold(token, now).until = result.lockedUntil[index] ?? 0;
      }
    }
    if (result.kind !== 'done' || (command.kind !== 'settle' && command.kind !== 'settle-many')) return;
    const isUncounted = command.outcome.kind === 'release';
    for (const token of tokensOf(command)) {
      const hold = this.#validHold(token, now);
      hold.isOver = true;
      if (isUncounted) this.#countDelivery(hold.key, -1);
    }
  }

  #validHold(token: string, now: number): Hold {
    const hold = this.#holds.get(token);
    check(hold !== undefined, 'invariant 9: a token was accepted that was never given');
    check(!hold.isOver && now < untilOf(hold), 'invariant 9: a token was accepted that is over');
    return hold;
  }

  /** What receivers got, and what was asked for by number. */
  #handedOut(parts: readonly Part[], { turn: { effects } }: Step): readonly HandedOut[] {
    const handedOut: HandedOut[] = [];
    for (const { command, result } of parts) {
      if (command.kind !== 'receive-deferred' || result.kind !== 'messages') continue;
      if (result.messages.length === 0) continue;
      const storeId = this.#rows.entities.storeAt(command.entityPath);
      check(storeId !== undefined, 'messages come from nowhere');
      const session =
        command.session === undefined ? undefined : this.#sessions.findHold(storeId, command.session);
      for (const message of result.messages) {
        if (session !== undefined) this.#sessions.checkMessage(message, session);
        handedOut.push({ message, storeId, linkId: undefined, session });
      }
    }
    for (const effect of effects) {
      if (effect.kind !== 'deliver' || this.#browsers.has(effect.linkId)) continue;
      const store = this.#storeOfLink.get(effect.linkId);
      const storeId = typeof store === 'string' ? this.#rows.entities.storeAt(store) : store;
      // A transfer dead-letter queue may be made, delivered from and deleted with its entity in one turn.
      if (storeId === undefined && typeof store === 'string') continue;
      check(storeId !== undefined, 'a link gets messages that is not attached');
      const session = this.#sessions.holdOfDelivery.get(effect.delivery);
      handedOut.push({ message: effect.delivery, storeId, linkId: effect.linkId, session });
    }
    return handedOut;
  }

  #checkHandedOut({ message, storeId, linkId, session }: HandedOut, { command, broker, now }: Step): void {
    const { lockToken, lockedUntil = 0, properties } = message;
    const key = this.#rows.keyOf(storeId, properties.sequenceNumber);
    check(properties.expiresAt > now, 'invariant 6: an expired message was handed out');
    this.#checkNotHeld(key, { broker, now });
    if (lockToken === undefined) return;
    check(!this.#holds.has(lockToken), 'RCV-06: a token was given twice');
    // A link that is detached in the same turn has its locks no longer.
    const isHeld = broker.holdsLock(lockToken, now);
    const mayBeReleased = this.#goneLinks.has(linkId ?? -1);
    // Due work comes first: a reset or purge may then discard what the same turn has delivered.
    const isEmptied =
      (command.kind === 'reset' || command.kind === 'purge') &&
      this.#rows.findMessage(storeId, properties.sequenceNumber) === undefined;
    check(isHeld || mayBeReleased || isEmptied, 'a delivery holds no lock');
    this.#holds.set(lockToken, {
      key,
      linkId,
      session,
      until: lockedUntil,
      isOver: isEmptied,
      isPinned: false,
      isKept: false,
    });
    this.#lastTokens.set(key, lockToken);
    const max = this.#maxDeliveryCounts.get(storeId);
    if (max === undefined) return;
    const count = this.#countDelivery(key, 1);
    check(count <= max, 'invariant 5: a message was delivered too often');
  }

  /** 2: there is one valid token per message at most. */
  #checkNotHeld(key: string, { broker, now }: Pick<Step, 'broker' | 'now'>): void {
    const token = this.#lastTokens.get(key);
    const hold = token === undefined ? undefined : this.#holds.get(token);
    if (token === undefined || hold === undefined) return;
    check(!broker.holdsLock(token, now), 'invariant 2: a locked message was delivered');
    if (!hold.isOver && now < untilOf(hold)) this.#endIfReleased(hold);
    hold.isOver = true;
  }

  /**
   * 3: nothing available with a lower number, in the same partition and session, was passed over that the receiver selects. Commands that
   * free messages at their end are left out.
   */
  #checkOrder({ storeId, linkId, message: { properties }, session }: HandedOut, { now }: Step): void {
    if (properties.state !== MESSAGE_STATE.active) return;
    const selector = this.#selectors.get(linkId ?? -1);
    for (const { message } of this.#rows.messagesOf(storeId)) {
      if (message.sequenceNumber >= properties.sequenceNumber) continue;
      const isOther = message.sequenceNumber < (properties.partitionId ?? 0) * PARTITION_SIZE;
      if (isOther || (session !== undefined && message.sessionId !== session.sessionId)) continue;
      if (selector !== undefined && !isSelected(selector, this.#selectable(message))) continue;
      const isOut = message.state !== MESSAGE_STATE.active || message.expiresAt <= now;
      check(
        isOut || this.#isHeld(this.#rows.keyOf(storeId, message.sequenceNumber), now),
        'invariant 3: an earlier message was passed over',
      );
    }
  }

  #selectable({ contentId, details = {}, deliveryCount }: MessageRecord): Selectable {
    const { propertyChanges = [], systemChanges = {} } = details;
    const content = this.#rows.contents.get(contentId);
    check(content !== undefined, 'a message has no content');
    const changes = Object.fromEntries(propertyChanges.map(({ name, value }) => [name, value]));
    return { content, changes, systemChanges, count: deliveryCount };
  }

  #isHeld(key: string, now: number): boolean {
    const hold = this.#holds.get(this.#lastTokens.get(key) ?? '');
    return hold !== undefined && !hold.isOver && now < untilOf(hold);
  }

  #countDelivery(key: string, change: 1 | -1): number {
    const count = (this.#deliveryCounts.get(key) ?? 0) + change;
    this.#deliveryCounts.set(key, count);
    return count;
  }
}

/** What is settled. */
function tokensOf(command: Command | undefined): readonly string[] {
  if (command?.kind === 'settle') return [command.lockToken];
  return command?.kind === 'settle-many' ? [...new Set(command.lockTokens)] : [];
}

function untilOf({ session, until, isPinned }: Hold): number {
  if (session === undefined) return isPinned ? Number.POSITIVE_INFINITY : until;
  return session.runsOut ? session.until : Number.POSITIVE_INFINITY;
}
