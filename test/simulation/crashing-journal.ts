// The real journal, until the process dies: from then on nothing is written, and nobody hears anything any more.

import type { Event } from '../../src/broker/event.js';
import type { Journal, JournalEvent } from '../../src/engine/ports.js';

export type CrashPlan = {
  /** Batches that are still written and told. */
  readonly afterBatches: number;
  /** Whether the batch after those is written as well, though nobody is told. */
  readonly isLastWritten: boolean;
};

export class CrashingJournal implements Journal {
  /** Events of turns that are durable. */
  durableCount = 0;
  /** The contents that have a row. */
  readonly contentIds: Set<number>;
  readonly #journal: Journal;
  #plan: CrashPlan | undefined;
  #appendCount = 0;
  #isDead = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(journal: Journal, contentIds: ReadonlySet<number>) {
    this.#journal = journal;
    this.contentIds = new Set(contentIds);
  }

  planCrash(plan: CrashPlan): void {
    this.#plan = plan;
    this.#appendCount = 0;
  }

  /** Resolves when nothing is being written any more. */
  async crash(): Promise<void> {
    this.#isDead = true;
    await this.#writing;
  }

  append(events: readonly JournalEvent[]): Promise<void> {
    if (this.#isDead) return never();
    if (this.#plan === undefined || this.#appendCount < this.#plan.afterBatches) {
      this.#appendCount += 1;
      this.#writing = this.#write(events);
      return this.#unlessDead(this.#writing);
    }
    this.#isDead = true;
    if (this.#plan.isLastWritten) this.#writing = this.#write(events);
    return never();
  }

  recover(restore: Parameters<Journal['recover']>[0]): ReturnType<Journal['recover']> {
    return this.#journal.recover(restore);
  }

  readContent(contentId: number): Promise<Uint8Array> {
    return this.#isDead ? never() : this.#unlessDead(this.#journal.readContent(contentId));
  }

  readContentNow(contentId: number): Uint8Array {
    return this.#journal.readContentNow(contentId);
  }

  async sweepContents(isNeeded: (contentId: number) => boolean): Promise<number> {
    const sweptCount = await this.#journal.sweepContents(isNeeded);
    for (const contentId of this.contentIds) if (!isNeeded(contentId)) this.contentIds.delete(contentId);
    return sweptCount;
  }

  /** The rows stay: the next process opens them again. */
  close(): Promise<void> {
    return this.#writing;
  }

  async #write(events: readonly JournalEvent[]): Promise<void> {
    await this.#journal.append(events);
    for (const event of events) {
      if (event.kind === 'content-stored') this.contentIds.add(event.contentId);
      if (event.kind === 'content-deleted') this.contentIds.delete(event.contentId);
    }
    this.durableCount += countOfTurns(events);
  }

  async #unlessDead<T>(work: Promise<T>): Promise<T> {
    const done = await work;
    return this.#isDead ? never() : done;
  }
}

/** How many of the events come from turns, and reach the journal; the engine adds others and keeps some back. */
export function countOfTurns(events: readonly (Event | JournalEvent)[]): number {
  const others = ['content-released', 'content-deleted', 'time-put'];
  return events.filter((event) => !others.includes(event.kind)).length;
}

function never(): Promise<never> {
  return new Promise(() => {});
}
