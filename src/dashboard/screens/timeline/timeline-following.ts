// The messages that a filter of the timeline follows, kept while it is on, even if all others of their time are forgotten.

import { follows, isNarrowing, numberedIn, type TimelineFilter } from './timeline-filter.js';
import type { Mark, Stay } from './timeline-message.js';
import type { TimelineRecord } from './timeline-record.js';

const MAX_MARKS = 5000;

export class TimelineFollowing {
  readonly filter: TimelineFilter;
  readonly #record: TimelineRecord;
  #marks: Mark[] = [];
  #stays = new Set<Stay>();

  constructor(filter: TimelineFilter, record: TimelineRecord) {
    this.filter = filter;
    this.#record = record;
    this.#addOld();
    this.add(record.marks);
  }

  /** Oldest first. */
  get marks(): readonly Mark[] {
    return this.#marks;
  }

  get stays(): ReadonlySet<Stay> {
    return this.#stays;
  }

  add(marks: readonly Mark[]): void {
    const { filter } = this;
    if (filter.key === 'none' || filter.problem !== undefined || isNarrowing(filter)) return;
    const numbered = numberedIn(filter);
    const root = numbered && this.#record.stayAt(numbered.path, numbered.sequenceNumber)?.root;
    for (const mark of marks) {
      const { stay, event } = mark;
      const isFollowed =
        stay === undefined
          ? filter.key === 'session' && event.sessionId === filter.value
          : this.#stays.has(stay) || follows(filter, stay, root);
      if (!isFollowed) continue;
      this.#marks.push(mark);
      if (stay !== undefined) this.#stays.add(stay);
    }
    if (this.#marks.length > MAX_MARKS * 1.1) this.#forget();
  }

  /** Adds the marks that are still known of messages that wait for longer than the marks are kept. */
  #addOld(): void {
    const first = this.#record.marks[0]?.id ?? 0;
    const old: Mark[] = [];
    for (const { arrival, holds, end } of this.#record.stays) {
      for (const mark of [arrival, ...holds.flatMap((hold) => [hold.start, hold.end]), end]) {
        if (mark !== undefined && mark.id < first) old.push(mark);
      }
    }
    this.add(old.sort((a, b) => a.id - b.id));
  }

  #forget(): void {
    this.#marks = this.#marks.slice(-MAX_MARKS);
    this.#stays = new Set(this.#marks.flatMap(({ stay }) => (stay === undefined ? [] : [stay])));
  }
}
