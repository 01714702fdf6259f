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
  /** All turns of a batch have been told; it stored this many contents. */
  batchTold(contentCount: number): void;
  /** Nothing more will be told. */
  fail(cause: unknown): void;
};

type Batch = {
  readonly turns: readonly PendingTurn[];
  readonly contentBytes: number;
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

  /** Bytes of content that wait to be durable. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** Tells nobody within this call, and so the turns of one socket read share a batch. */
  add(turn: PendingTurn): void {
    this.#pendingBytes += turn.contentBytes;
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
    this.#pendingBytes -= batch?.contentBytes ?? 0;
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
      if (this.#waiting.length > 0) this.#write();
      if (durable !== undefined) {
        this.#tell(durable.turns);
        this.#owner.batchTold(durable.contentCount);
      }
      this.#tell(eventless);
    } catch (cause) {
      this.#owner.fail(cause);
    }
    this.#noticeIdle();
  }

  #tell(turns: readonly PendingTurn[]): void {
    for (const turn of turns) {
      if (this.#isStopped) return;
      this.#owner.tell(turn);
    }
  }

  /** The turns at the front that wait for nothing but those before them. */
  #takeEventless(): PendingTurn[] {
    const count = this.#waiting.findIndex((turn) => turn.events.length > 0);
    return this.#take(count === -1 ? this.#waiting.length : count);
  }

  #write(): void {
    const turns = this.#take(this.#batchLength());
    const events: JournalEvent[] = [];
    let contentBytes = 0;
    let contentCount = 0;
    for (const turn of turns) {
      contentBytes += turn.contentBytes;
      for (const event of turn.events) {
        if (event.kind === 'content-stored') contentCount++;
        if (event.kind !== 'content-released') events.push(event);
      }
    }
    this.#owner.closeBatch(events);
    const writing = this.#journal.append(events);
    this.#underWay = { turns, contentBytes, contentCount };
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
