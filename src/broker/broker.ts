// The broker's public API: a state machine that takes a command and the time, and returns a result, events and effects.

import type { Activities } from './contract/activity.js';
import { assert } from './contract/assert.js';
import { AZURE_BEHAVIOUR, type BehaviourOptions } from './contract/behaviour-options.js';
import type { Command } from './contract/command.js';
import { ContentUnreadable } from './contract/content-unreadable.js';
import type { Effect } from './contract/effect.js';
import type { Event, StoredEvent } from './contract/event.js';
import type { Instant } from './contract/instant.js';
import type { Limits } from './contract/limits.js';
import type { Result } from './contract/result.js';
import { restore, startAfterRestart } from './execution/recovery.js';
import { execute, resultAfterTurn } from './execution.js';
import { makeParts } from './make-parts.js';
import { performDue } from './namespace/due-work.js';
import { deadLetterUnreadable } from './namespace/unreadable-contents.js';
import { deleteUnkept } from './namespace/used-entities.js';
import { showToBrowsers } from './queue/browse.js';
import { dispatch } from './queue/dispatcher.js';
import { expireDue } from './queue/time-to-live.js';
import { grantSessions } from './sessions/session-acceptance.js';
import { expireSessionLocks } from './sessions/session-locks.js';
import type { MessageReader } from './store/message-reader.js';
import type { MessageStore } from './store/queue.js';
import type { StoredMessage } from './store/stored-message.js';
import { forwardAvailable } from './topics/forwarding.js';
import { rollBackDue } from './transactions/discharge.js';
import type { BrokerParts } from './turn/broker-parts.js';
import { TurnInProgress } from './turn/turn-in-progress.js';

/** One executed command. Its events must be durable before the result is returned to a client and the effects are performed. */
export type Turn = {
  readonly result: Result;
  readonly events: readonly Event[];
  readonly effects: readonly Effect[];
  /** Undefined unless `recordsActivities` is set. */
  readonly activities?: Activities | undefined;
  /** Faults of the emulator itself, as whole sentences for its log; undefined without any. */
  readonly faults?: readonly string[] | undefined;
};

export type BrokerOptions = {
  readonly limits: Limits;
  /** Returns 32 random hexadecimal digits, different on each call. */
  readonly nextGuid: () => string;
  /** Decodes contents, for rules and for forwarded messages. */
  readonly messageReader: MessageReader;
  /** Default: Azure's behaviour. */
  readonly behaviour?: Partial<BehaviourOptions>;
};

/** Throws ContentUnreadable when the bytes of this content are missing or damaged. */
type ReadStored = (contentId: number) => Uint8Array;

/** After this time any command goes on with what a full turn has left. */
const LEFT_MS = 10;

export class Broker {
  /** Whether turns say what happened in them. */
  recordsActivities = false;
  readonly #parts: BrokerParts;
  #lastNow: Instant = 0;
  /** Whether the last turn was full, and may have left something due. */
  #wasFull = false;
  /** The time of the last turn that did due work, if that alone made it full. */
  #leftDueAt: Instant | undefined;
  /** Whether entities were restored and no command has run since. */
  #isRestored = false;
  #readStored: ReadStored | undefined;

  constructor({ behaviour, ...given }: BrokerOptions) {
    this.#parts = makeParts(
      { ...given, behaviour: { ...AZURE_BEHAVIOUR, ...behaviour } },
      (store, message, turn) => this.#loadContent(store, message, turn),
    );
  }

  /** Sets the reader for contents that were stored in earlier turns. Must be called before the first command. */
  readContentsFrom(read: ReadStored): void {
    this.#readStored = read;
  }

  /**
   * Executes one command, or several as a step, at `now`, which must not decrease from call to call. A client's mistake gives
   * a `failed` result.
   */
  execute(command: Command, now: Instant): Turn {
    assert(now >= this.#lastNow, 'time has gone back');
    this.#lastNow = now;
    const turn = new TurnInProgress(
      now,
      this.#parts.behaviour,
      this.#parts.references,
      this.recordsActivities ? [] : undefined,
      this.#parts.messageReader,
    );
    turn.isTick = command.kind === 'tick';
    rollBackDue(this.#parts, turn);
    if (this.#leavesDueWork(command, now)) turn.leaveDueWork();
    else this.#performDueWork(turn); // as if a tick had run just before: due work comes first, up to a full turn (SCH-07)
    turn.grantShare();
    turn.grantFanOut();
    const commandStart = turn.activities?.length ?? 0;
    const answer = execute(command, this.#parts, turn);
    const commandEnd = turn.activities?.length ?? 0;
    this.#deliverTouched(turn);
    const result = resultAfterTurn(command, answer, this.#parts);
    for (const [queue, partitions] of turn.counters) {
      if (!this.#parts.namespace.holds(queue.main)) continue;
      for (let partitionId = 0; partitions >> partitionId > 0; partitionId++) {
        if ((partitions >> partitionId) & 1) turn.sequencePut(queue, partitionId);
      }
    }
    this.#wasFull = turn.isFull;
    const { events, effects, activities: all, faults } = turn;
    const activities = all === undefined || all.length === 0 ? undefined : { all, commandStart, commandEnd };
    return { result, events, effects, activities, faults };
  }

  /** The time of the next `tick`, or an earlier one; `NEVER` when no work is due. */
  nextDeadline(): Instant {
    if (this.#isRestored) return this.#lastNow;
    if (this.#wasFull) return (this.#leftDueAt ?? this.#lastNow) + 1;
    const next = Math.min(
      this.#parts.locks.nextDeadline,
      this.#parts.sessionLocks.nextDeadline,
      this.#parts.transactions.nextDeadline,
      this.#parts.storeDeadlines.next,
      this.#parts.discarded.dueAt,
    );
    return Math.max(next, this.#lastNow + 1); // what the last turn has left
  }

  /** Whether the delivery with this lock token may still be written to its receiver. */
  holdsLock(lockToken: string, now: Instant): boolean {
    return this.#parts.locks.find(lockToken, now) !== undefined;
  }

  /** Restores the rows of the journal, queues first. May be called several times, before the first command. */
  restore(stored: readonly StoredEvent[]): void {
    this.#isRestored ||= stored.length > 0;
    restore(stored, this.#parts);
  }

  /** Gives out content ids from this one on, or later ones. Call it before the first command. */
  continueContentIds(upcoming: number): void {
    this.#parts.contentIds.continueFrom(upcoming);
  }

  /** A hundred commands that come at once must not do a piece each: the next tick goes on with what a full turn has left. */
  #leavesDueWork({ kind }: Command, now: Instant): boolean {
    return kind !== 'tick' && this.#leftDueAt !== undefined && now < this.#leftDueAt + LEFT_MS;
  }

  #performDueWork(turn: TurnInProgress): void {
    const { storeDeadlines } = this.#parts;
    if (this.#isRestored) {
      this.#isRestored = false;
      startAfterRestart(this.#parts, turn);
    }
    this.#parts.locks.expireDue(turn);
    expireSessionLocks(this.#parts, this.#parts.links, turn);
    this.#parts.discarded.removePiece(turn); // before this turn discards more
    const due = storeDeadlines.takeDue(turn.now);
    if (due.length > 0) performDue(due, this.#parts, turn);
    this.#deliverTouched(turn);
    this.#leftDueAt = turn.isFull ? turn.now : undefined;
  }

  /** Delivers messages in every store that has changed, after expired messages have been moved out of it. */
  #deliverTouched(turn: TurnInProgress): void {
    deleteUnkept(this.#parts, turn);
    while (turn.hasTouched) {
      const swept = this.#sweepTouched(turn);
      turn.grantShare();
      for (const store of swept) {
        const hadTurn = !turn.isShareUsed;
        grantSessions(store, this.#parts.sessionLocks, turn);
        if (store.browsers.size > 0) showToBrowsers(store, this.#parts, turn);
        dispatch(store, this.#parts, turn);
        this.#parts.storeDeadlines.refresh(store, turn, hadTurn);
      }
    }
  }

  /**
   * Expires messages in all changed stores, then forwards those that are left: an expired message fills no destination. Returns
   * these stores and the dead-letter queues that got messages.
   */
  #sweepTouched(turn: TurnInProgress): ReadonlySet<MessageStore> {
    const swept = new Set<MessageStore>();
    for (let touched = this.#takeTouched(turn); touched.size > 0; touched = this.#takeTouched(turn)) {
      for (const store of touched) {
        if (!this.#parts.namespace.holds(store)) {
          this.#parts.storeDeadlines.remove(store);
          continue;
        }
        expireDue(store, turn);
        swept.add(store);
      }
      for (const store of touched) if (swept.has(store)) forwardAvailable(store, this.#parts, turn);
    }
    return swept;
  }

  /** Messages whose contents cannot be read touch the dead-letter queues to which they go. */
  #takeTouched(turn: TurnInProgress): ReadonlySet<MessageStore> {
    deadLetterUnreadable(this.#parts, turn);
    return turn.takeTouched();
  }

  #loadContent(store: MessageStore, message: StoredMessage, turn: TurnInProgress): Uint8Array | undefined {
    const { contentId, sequenceNumber } = message;
    const stored = turn.storedContent(contentId);
    if (stored !== undefined) return stored;
    assert(this.#readStored !== undefined, 'readContentsFrom was not called');
    try {
      return this.#readStored(contentId);
    } catch (error) {
      if (!(error instanceof ContentUnreadable)) throw error;
      turn.contentUnreadable({ contentId, storeId: store.id, sequenceNumber, seen: error.seen });
      return undefined;
    }
  }
}
