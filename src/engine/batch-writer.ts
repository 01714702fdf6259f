// Makes turns durable in their order: one batch is written at a time, what comes meanwhile is the next, then all are told.

import type { Effect } from '../broker/effect.js';
import type { Event } from '../broker/event.js';
import type { Result } from '../broker/result.js';
import type { Requester } from './engine.js';
import type { Journal, JournalEvent } from './ports.js';

/** A turn the broker has executed and nobody has heard of. */
export type PendingTurn = {
  readonly result: Result;
  readonly events: readonly Event[];
  readonly effects: readonly Effect[];
  /** Of the contents it stores. */
  readonly contentBytes: number;
  readonly requester: Requester;
  readonly tag: number;
};

/** The engine, as far as its writer needs it. */
export type BatchOwner = {
  /** Adds what goes into a batch besides the events of its turns. */
  closeBatch(events: JournalEvent[]): void;
  /** What the turn changed is durable, and every turn before it has been told. */
  tell(turn: PendingTurn): void;
  /** Turns have been told, among them all of a batch that stored this many contents; `pendingBytes` has fallen. */
  told(contentCount: number): void;
  /** Nothing more will be told. */
  fail(cause: unknown): void;
};

/**
 * A turn takes memory without any content too: its events, its result, its requester. Were it free, commands such as
 * settlements could pile up without end while the disk is slow.
 */
export const TURN_BYTES = 256;

type Batch = {
  readonly turns: readonly PendingTurn[];
  readonly contentCount: number;
};

export class BatchWriter {
  readonly #journal: Pick<Journal, 'append'>;
  readonly #owner: BatchOwner;
  readonly #maxBatchBytes: number;
  #waiting: PendingTurn[] = [];
  #underWay: Batch | undefined;
  #isWakeUpSet = false;
  #isStopped = false;
  #pendingBytes = 0;
  #idleListeners: (() => void)[] = [];

  constructor(journal: Pick<Journal, 'append'>, owner: BatchOwner, maxBatchBytes: number) {
    this.#journal = journal;
    this.#owner = owner;
    this.#maxBatchBytes = maxBatchBytes;
  }

  /** What the turns not yet durable take: their contents, and `TURN_BYTES` for each. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** Tells nobody within this call, and so the turns of one socket read share a batch. */
  add(turn: PendingTurn): void {
    this.#pendingBytes += turn.contentBytes + TURN_BYTES;
    this.#waiting.push(turn);
    if (this.#underWay !== undefined || this.#isWakeUpSet) return;
    this.#isWakeUpSet = true;
    queueMicrotask(this.#wakeUp);
  }

  /** Resolves when every turn has been told; after `stop`, when nothing is being written any more. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idleListeners.push(resolve);
      this.#noticeIdle();
    });
  }

  /** Tells and writes nothing more. */
  stop(): void {
    this.#isStopped = true;
    this.#waiting = [];
  }

  readonly #wakeUp = (): void => {
    this.#isWakeUpSet = false;
    this.#goOn(undefined);
  };

  readonly #written = (): void => {
    const batch = this.#underWay;
    this.#underWay = undefined;
    if (batch !== undefined) this.#noLongerPending(batch.turns);
    this.#goOn(batch);
  };

  readonly #notWritten = (cause: unknown): void => {
    this.#underWay = undefined;
    this.#owner.fail(cause);
    this.#noticeIdle();
  };

  /** The next batch is on its way before the last one is told, so that disk and processor work at once. */
  #goOn(durable: Batch | undefined): void {
    try {
      const eventless = this.#takeEventless();
      this.#noLongerPending(eventless);
      if (this.#waiting.length > 0) this.#write();
      if (durable !== undefined) this.#tell(durable.turns, durable.contentCount);
      this.#tell(eventless, 0);
    } catch (cause) {
      this.#owner.fail(cause);
    }
    this.#noticeIdle();
  }

  #tell(turns: readonly PendingTurn[], contentCount: number): void {
    for (const turn of turns) {
      if (this.#isStopped) return;
      this.#owner.tell(turn);
    }
    if (turns.length > 0) this.#owner.told(contentCount);
  }

  #noLongerPending(turns: readonly PendingTurn[]): void {
    for (const { contentBytes } of turns) this.#pendingBytes -= contentBytes + TURN_BYTES;
  }

  /** The turns at the front that wait for nothing but those before them. */
  #takeEventless(): PendingTurn[] {
    const count = this.#waiting.findIndex((turn) => turn.events.length > 0); // SND-01: the others are written first
    return this.#take(count === -1 ? this.#waiting.length : count);
  }

  #write(): void {
    const turns = this.#take(this.#batchLength());
    const events: JournalEvent[] = [];
    let contentCount = 0;
    for (const turn of turns) {
      for (const event of turn.events) {
        if (event.kind === 'content-stored') contentCount++;
        if (event.kind !== 'content-released') events.push(event);
      }
    }
    this.#owner.closeBatch(events);
    const writing = this.#journal.append(events);
    this.#underWay = { turns, contentCount };
    writing.then(this.#written, this.#notWritten);
  }

  /** At least one turn, and no more content than fits. */
  #batchLength(): number {
    let contentBytes = 0;
    const end = this.#waiting.findIndex((turn, index) => {
      contentBytes += turn.contentBytes;
      return index > 0 && contentBytes > this.#maxBatchBytes;
    });
    return end === -1 ? this.#waiting.length : end;
  }

  #take(count: number): PendingTurn[] {
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
