// Makes turns durable in their order: one batch is written at a time, and the turns that arrive meanwhile are the next batch.

import type { Turn } from '../broker/broker.js';
import { changeCountOf } from '../broker/contract/event.js';
import type { Instant } from '../broker/contract/instant.js';
import type { ClientTimes } from './client-times.js';
import type { Journal, JournalEvent } from './ports.js';
import type { Requester } from './requester.js';

/** An executed turn whose result and effects are still held back. */
export type PendingTurn = {
  readonly turn: Turn;
  /** The time of the turn. */
  readonly now: Instant;
  /** How its times are converted for clients. */
  readonly clientTimes: ClientTimes | undefined;
  readonly requester: Requester;
  readonly tag: number;
};

/** The functions of the engine that the writer uses. */
export type BatchOwner = {
  /** Adds the events of a batch that come from no turn. */
  completeBatch(events: JournalEvent[]): void;
  /** Publishes a turn, which is durable; every turn before it has been published. */
  publish(turn: PendingTurn): void;
  /** Turns were published, and among them a whole batch that stored this many contents. */
  published(contentCount: number): void;
  /** A write failed; no further turn is published. */
  fail(cause: unknown): void;
};

/** The most changes in a batch, unless a single turn has more: a larger batch would delay all clients. */
const MAX_BATCH_CHANGES = 5000;

type Waiting = PendingTurn & {
  /** The size of the contents that the turn stores. */
  readonly contentBytes: number;
  /** The number of its events, with each copy of a message as one. */
  readonly changeCount: number;
};

type Batch = {
  readonly turns: readonly Waiting[];
  readonly contentCount: number;
};

export class BatchWriter {
  readonly #journal: Pick<Journal, 'append'>;
  readonly #owner: BatchOwner;
  readonly #maxBatchBytes: number;
  #waiting: Waiting[] = [];
  #underWay: Batch | undefined;
  #isWakeUpSet = false;
  #isStopped = false;
  #pendingChangeCount = 0;
  #idleListeners: (() => void)[] = [];

  constructor(journal: Pick<Journal, 'append'>, owner: BatchOwner, maxBatchBytes: number) {
    this.#journal = journal;
    this.#owner = owner;
    this.#maxBatchBytes = maxBatchBytes;
  }

  /** The changes of the turns that are not durable yet. */
  get pendingChangeCount(): number {
    return this.#pendingChangeCount;
  }

  /** Publishes nothing within this call, so that the turns of one socket read share a batch. */
  add({ turn, now, clientTimes, requester, tag }: PendingTurn): void {
    let contentBytes = 0;
    let changeCount = 0;
    for (const event of turn.events) {
      changeCount += changeCountOf(event);
      if (event.kind === 'content-stored') contentBytes += event.content.length;
    }
    this.#pendingChangeCount += changeCount;
    this.#waiting.push({ turn, now, clientTimes, requester, tag, contentBytes, changeCount });
    if (this.#underWay !== undefined || this.#isWakeUpSet) return;
    this.#isWakeUpSet = true;
    queueMicrotask(this.#wakeUp);
  }

  /** Resolves when every turn is published; after `stop`, when no write is under way. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idleListeners.push(resolve);
      this.#noticeIdle();
    });
  }

  /** Ends all publishing and writing. */
  stop(): void {
    this.#isStopped = true;
    this.#waiting = [];
  }

  readonly #wakeUp = (): void => {
    this.#isWakeUpSet = false;
    this.#advance(undefined);
  };

  readonly #written = (): void => {
    const batch = this.#underWay;
    this.#underWay = undefined;
    if (batch !== undefined) this.#subtractPending(batch.turns);
    this.#advance(batch);
  };

  readonly #notWritten = (cause: unknown): void => {
    this.#underWay = undefined;
    this.#owner.fail(cause);
    this.#noticeIdle();
  };

  /** The next batch is on its way before the last one is published, so that disk and processor work at once. */
  #advance(durable: Batch | undefined): void {
    try {
      const eventless = this.#takeEventless();
      this.#subtractPending(eventless);
      if (this.#waiting.length > 0) this.#write();
      if (durable !== undefined) this.#publish(durable.turns, durable.contentCount);
      this.#publish(eventless, 0);
    } catch (cause) {
      this.#owner.fail(cause);
    }
    this.#noticeIdle();
  }

  #publish(turns: readonly PendingTurn[], contentCount: number): void {
    for (const turn of turns) {
      if (this.#isStopped) return;
      this.#owner.publish(turn);
    }
    if (turns.length > 0) this.#owner.published(contentCount);
  }

  #subtractPending(turns: readonly Waiting[]): void {
    for (const { changeCount } of turns) this.#pendingChangeCount -= changeCount;
  }

  /** Takes the turns at the front that have no events: they wait only for the turns before them. */
  #takeEventless(): Waiting[] {
    const count = this.#waiting.findIndex(({ turn }) => turn.events.length > 0); // SND-01: the others are written first
    return this.#take(count === -1 ? this.#waiting.length : count);
  }

  #write(): void {
    const turns = this.#take(this.#batchLength());
    const events: JournalEvent[] = [];
    let contentCount = 0;
    for (const { turn } of turns) {
      for (const event of turn.events) {
        if (event.kind === 'content-stored') contentCount++;
        if (event.kind !== 'content-released') events.push(event);
      }
    }
    this.#owner.completeBatch(events);
    const writing = this.#journal.append(events);
    this.#underWay = { turns, contentCount };
    writing.then(this.#written, this.#notWritten);
  }

  /** The number of turns in the next batch: at least one, and otherwise as many as fit by content and changes. */
  #batchLength(): number {
    let contentBytes = 0;
    let changeCount = 0;
    const end = this.#waiting.findIndex((turn, index) => {
      contentBytes += turn.contentBytes;
      changeCount += turn.changeCount;
      return index > 0 && (contentBytes > this.#maxBatchBytes || changeCount > MAX_BATCH_CHANGES);
    });
    return end === -1 ? this.#waiting.length : end;
  }

  #take(count: number): Waiting[] {
    if (count < this.#waiting.length) return this.#waiting.splice(0, count);
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }

  #noticeIdle(): void {
    if (this.#underWay !== undefined || this.#waiting.length > 0) return;
    const listeners = this.#idleListeners;
    this.#idleListeners = [];
    for (const listener of listeners) listener();
  }
}
