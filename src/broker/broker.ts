// The only door to the broker: a state machine that is handed commands and the time, and hands back what follows.

import { assert } from './assert.js';
import { type BrokerParts, makeParts } from './broker-parts.js';
import { AZURE_CHOICES, type Choices } from './choices.js';
import type { Command } from './command.js';
import { showToBrowsers } from './delivery/browser.js';
import { dispatch } from './delivery/dispatcher.js';
import { expireLocks } from './delivery/lock-expiry.js';
import { grantSessions } from './delivery/session-acceptance.js';
import { expireSessionLocks } from './delivery/session-end.js';
import type { Effect } from './effect.js';
import type { MessageStore } from './entity/message-store.js';
import { performDue } from './entity/passing-time.js';
import type { Event, StoredEvent } from './event.js';
import { asLeft, carryOut } from './execution.js';
import type { Instant } from './instant.js';
import type { Limits } from './limits.js';
import { forwardAvailable } from './message/forwarding.js';
import type { MessageReader } from './message/message-reader.js';
import { expireDue } from './message/time-to-live.js';
import { restore, wake } from './recovery.js';
import type { Result } from './result.js';
import { rollBackDue } from './transactions/discharge.js';
import { TurnInProgress } from './turn-in-progress.js';

/** One executed command: the answer, what must be durable before it is given, and what is to be done then. */
export type Turn = {
  readonly result: Result;
  readonly events: readonly Event[];
  readonly effects: readonly Effect[];
};

export type BrokerOptions = {
  readonly limits: Limits;
  /** 32 random hexadecimal digits, never the same twice. */
  readonly nextGuid: () => string;
  /** Tells what is in a content: for rules, and for what is forwarded. */
  readonly messageReader: MessageReader;
  /** Default: as Azure does. */
  readonly choices?: Choices;
};

type ReadStored = (contentId: number) => Uint8Array;

export class Broker {
  readonly #parts: BrokerParts;
  /** Made when first asked for after a restore, gone with the next command. */
  #neededContents: Set<number> | undefined;
  #lastNow: Instant = 0;
  /** Restored, and not yet gone on with. */
  #isAsleep = false;
  #readStored: ReadStored | undefined;

  constructor({ choices = AZURE_CHOICES, ...given }: BrokerOptions) {
    this.#parts = makeParts({ choices, ...given }, (contentId, turn) => this.#contentOf(contentId, turn));
  }

  /** Where contents are to be had that were stored in earlier turns; to be called before the first command. */
  readContentsFrom(read: ReadStored): void {
    this.#readStored = read;
  }

  /**
   * Executes one command, or several as a step, at `now`, which never falls from call to call. A client's mistake is a
   * `failed` result.
   */
  execute(command: Command, now: Instant): Turn {
    assert(now >= this.#lastNow, 'time has gone back');
    this.#lastNow = now;
    this.#neededContents = undefined;
    const turn = new TurnInProgress(now, this.#parts.choices, this.#parts.references);
    this.#passTime(turn); // as if a tick had come just before: what is due comes first (SCH-07)
    const answer = carryOut(command, this.#parts, turn);
    this.#settleStores(turn);
    const result = asLeft(command, answer, this.#parts);
    for (const [queue, partitionId] of turn.takeCounters()) {
      if (this.#parts.namespace.holds(queue.main)) turn.sequencePut(queue, partitionId);
    }
    return { result, events: turn.events, effects: turn.effects };
  }

  /** When `tick` is due next, or earlier; `NEVER` when nothing waits for time. */
  nextDeadline(): Instant {
    if (this.#isAsleep) return this.#lastNow;
    return Math.min(
      this.#parts.locks.nextDeadline,
      this.#parts.sessionLocks.nextDeadline,
      this.#parts.transactions.nextDeadline,
      this.#parts.storeDeadlines.next,
    );
  }

  /** Whether a delivery made under this token may still be written to its receiver. */
  holdsLock(lockToken: string, now: Instant): boolean {
    return this.#parts.locks.find(lockToken)?.isHeldAt(now) === true;
  }

  /** Takes back what the journal kept; queues first. Before the first command, in as many calls as wanted. */
  restore(stored: readonly StoredEvent[]): void {
    this.#neededContents = undefined;
    this.#isAsleep ||= stored.length > 0;
    restore(stored, this.#parts);
  }

  /** The contents that messages and session states name, to find orphaned rows after recovery. */
  isContentNeeded(contentId: number): boolean {
    this.#neededContents ??= this.#findNeededContents();
    return this.#neededContents.has(contentId);
  }

  #passTime(turn: TurnInProgress): void {
    const { storeDeadlines } = this.#parts;
    if (this.#isAsleep) {
      this.#isAsleep = false;
      wake(this.#parts, turn);
    }
    rollBackDue(this.#parts, turn);
    expireLocks(this.#parts.locks, turn);
    expireSessionLocks(this.#parts, this.#parts.links, turn);
    const due = storeDeadlines.takeDue(turn.now);
    if (due.length > 0) performDue(due, this.#parts, turn);
    this.#settleStores(turn);
  }

  /** Messages and credit meet wherever something has changed, when all that has expired is where it goes. */
  #settleStores(turn: TurnInProgress): void {
    for (let touched = this.#sweepTouched(turn); touched.size > 0; touched = this.#sweepTouched(turn)) {
      for (const store of touched) {
        grantSessions(store, this.#parts.sessionLocks, turn);
        if (store.browsers.length > 0) showToBrowsers(store, turn);
        dispatch(store, this.#parts.locks, turn);
        this.#parts.storeDeadlines.refresh(store, turn);
      }
    }
  }

  /** The stores in which something has changed, dead-letter queues of what expires now included. */
  #sweepTouched(turn: TurnInProgress): ReadonlySet<MessageStore> {
    const swept = new Set<MessageStore>();
    for (let touched = turn.takeTouched(); touched.length > 0; touched = turn.takeTouched()) {
      for (const store of touched) {
        if (!this.#parts.namespace.holds(store)) {
          this.#parts.storeDeadlines.remove(store);
          continue;
        }
        expireDue(store, turn);
        forwardAvailable(store, this.#parts, turn);
        swept.add(store);
      }
    }
    return swept;
  }

  #contentOf(contentId: number, turn: TurnInProgress): Uint8Array {
    const content = turn.storedContent(contentId) ?? this.#readStored?.(contentId);
    assert(content !== undefined, 'the broker was not told where its contents are');
    return content;
  }

  #findNeededContents(): Set<number> {
    const contentIds = new Set<number>();
    for (const { log, sessions } of this.#parts.namespace.stores()) {
      for (const { contentId } of log.from(0)) contentIds.add(contentId);
      for (const { contentId } of sessions?.states() ?? []) contentIds.add(contentId);
    }
    return contentIds;
  }
}
