// Counts all records of a ring, in total and by entity, including records that it no longer has.

import type { Activity } from '../broker/contract/activity.js';
import { storePathOf } from '../broker/contract/entities/entity-path.js';
import type { ActivityKind } from './activity-record.js';
import type { ClientActivity } from './client-activity.js';
import { DurationCounts } from './duration-counts.js';
import { KINDS } from './record-kinds.js';

/** The kinds that are counted by entity. Their path is always the path of a store, never a text from a client. */
const BY_ENTITY = [
  'accepted',
  'enqueued',
  'scheduled',
  'routed',
  'duplicate',
  'locked',
  'consumed',
  'completed',
  'abandoned',
  'deferred',
  'lock-expired',
  'dead-lettered',
  'expired',
  'forwarded',
] satisfies readonly ActivityKind[];

/** In addition to the kinds, counts repeated deliveries of a message, and messages that a receiver dead-lettered. */
export type Counted = ActivityKind | 'redelivered' | 'settled-as-dead';

const COLUMNS: readonly Counted[] = [...KINDS, 'redelivered', 'settled-as-dead'];
const COLUMN_OF = new Map<Counted, number>(COLUMNS.map((counted, column) => [counted, column]));
const REDELIVERED = COLUMNS.indexOf('redelivered');
const SETTLED_AS_DEAD = COLUMNS.indexOf('settled-as-dead');
const IS_BY_ENTITY = Uint8Array.from(KINDS, (kind) =>
  (BY_ENTITY as readonly string[]).includes(kind) ? 1 : 0,
);

/** Enough for 1,000 entities with three sub-queues each. Further paths are counted in the totals only. */
const MAX_PATHS = 4000;
/** The most reasons that are counted by name, because receivers can invent any number. Further reasons are counted as `OTHER`. */
const MAX_REASONS = 50;
const MAX_REASON_LENGTH = 100;
const NO_REASON = 'none';
const REASONS = ['MaxDeliveryCountExceeded', 'TTLExpiredException', 'ContentUnreadable'];
const OTHER = 'other';
const SUB_QUEUES = ['main', 'dead-letter', 'transfer-dead-letter'] as const;

export class Tally {
  readonly #counts = new Float64Array(COLUMNS.length);
  readonly reasons = new Map<string, number>();

  countOf(counted: Counted): number {
    return this.#counts[COLUMN_OF.get(counted) ?? -1] ?? 0;
  }

  add(column: number): void {
    this.#counts[column] = (this.#counts[column] ?? 0) + 1;
  }

  addReason(reason: string): void {
    this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
  }
}

/** The refusals of one command for one reason. Commands and reasons are closed sets. */
export type Refusals = { readonly command: string; readonly reason: string; count: number };

export class ActivityCounts {
  /** The total of everything so far, including entities that are gone. */
  readonly all = new Tally();
  /** How long messages were locked, by the end of the lock. */
  readonly held = {
    completed: new DurationCounts(),
    abandoned: new DurationCounts(),
    deferred: new DurationCounts(),
    released: new DurationCounts(),
    'lock-expired': new DurationCounts(),
  } as const;
  readonly httpRequests = new DurationCounts();
  readonly #refusals = new Map<string, Refusals>();
  readonly #byPath = new Map<string, Tally>();
  /** The reasons that are counted by name. The broker's own are always among them, whatever receivers invent. */
  readonly #reasons = new Set([NO_REASON, ...REASONS]);
  /** The path of the record before, kept because most records have the same path. */
  #lastPath: string | undefined;
  #last: Tally | undefined;

  /** The path of each queue, subscription, topic and dead-letter queue that has a record, with its counts. */
  get byPath(): ReadonlyMap<string, Tally> {
    return this.#byPath;
  }

  get refusals(): readonly Refusals[] {
    return [...this.#refusals.values()];
  }

  /** `code` is the index of the kind in `KINDS`. */
  add(code: number, path: string | undefined): void {
    this.all.add(code);
    if (path !== undefined && IS_BY_ENTITY[code] === 1) this.#tallyOf(path)?.add(code);
  }

  addRedelivered(path: string): void {
    this.all.add(REDELIVERED);
    this.#tallyOf(path)?.add(REDELIVERED);
  }

  /** Counts what a record says in addition to its kind. The ring calls it for all kinds except those that it writes without the table. */
  note(activity: Activity | ClientActivity): void {
    switch (activity.kind) {
      case 'dead-lettered':
        return this.#noteDeadLettered(activity);
      case 'entity-deleted':
        return activity.entity === 'rule' ? undefined : this.#forget(activity.path);
      case 'refused':
        return this.#noteRefused(activity);
      case 'abandoned':
      case 'deferred':
      case 'released':
      case 'lock-expired':
        return this.held[activity.kind].add(activity.heldMs);
      case 'http-request':
        return this.httpRequests.add(activity.durationMs);
      default:
    }
  }

  #noteRefused({ command, reason }: Activity & { readonly kind: 'refused' }): void {
    const key = `${command} ${reason}`;
    const refusals = this.#refusals.get(key) ?? { command, reason, count: 0 };
    refusals.count += 1;
    this.#refusals.set(key, refusals);
  }

  #noteDeadLettered({ path, reason, outcome }: Activity & { readonly kind: 'dead-lettered' }): void {
    const name = this.#nameOf(reason);
    for (const tally of [this.all, this.#tallyOf(path)]) {
      tally?.addReason(name);
      if (outcome !== undefined) tally?.add(SETTLED_AS_DEAD);
    }
  }

  /** The name under which a reason is counted. One that was cut within a character gets its replacement character here: later, it could make two names equal. */
  #nameOf(reason = ''): string {
    const name =
      reason === '' ? NO_REASON : reason.slice(0, MAX_REASON_LENGTH).replaceAll(/\p{Surrogate}/gu, '\ufffd');
    if (this.#reasons.size < MAX_REASONS) this.#reasons.add(name);
    return this.#reasons.has(name) ? name : OTHER;
  }

  /** Forgets a deleted entity, so that a new one with this path begins at 0, as after a restart. */
  #forget(path: string): void {
    for (const kind of SUB_QUEUES) this.#byPath.delete(storePathOf(path, kind));
    this.#lastPath = undefined;
  }

  #tallyOf(path: string): Tally | undefined {
    if (path === this.#lastPath) return this.#last;
    let tally = this.#byPath.get(path);
    if (tally === undefined && this.#byPath.size < MAX_PATHS) {
      tally = new Tally();
      this.#byPath.set(path, tally);
    }
    this.#lastPath = path;
    this.#last = tally;
    return tally;
  }
}
