// Corrects the times of rows that were written while the machine's clock was ahead, without rewriting the rows.
//
// The times of rows never decrease. If a start finds the machine's clock behind them, it adds an epoch: from then on, a row with a time
// later than `after` is read as `lessMs` earlier, and a new row is written as `lessMs` later. So new rows have later times than all old
// rows, and the time of a row alone decides whether the epoch applies to it.

import type {
  MessageIdRecord,
  MessageRecord,
  SessionStateRecord,
  StoredEvent,
} from '../broker/contract/event.js';
import type { Instant } from '../broker/contract/instant.js';
import type { MessageDetails } from '../broker/contract/message-properties.js';
import type { JournalEvent } from '../engine/ports.js';

export type TimeEpoch = { readonly after: Instant; readonly lessMs: number };

/** The last time of the journal may be this far ahead of the machine's clock, which soon catches up. */
const MOST_AHEAD_MS = 5000;

/** By how much the times of a record are shifted when it is read or written. `time` is the one that decides which epochs apply. */
type ShiftOf = (time: Instant) => number;

export class TimeEpochs {
  #epochs: readonly TimeEpoch[];

  constructor(epochs: readonly TimeEpoch[] = []) {
    this.#epochs = epochs;
  }

  get all(): readonly TimeEpoch[] {
    return this.#epochs;
  }

  /**
   * Adds an epoch if the last time in the journal, as it was written, is too far ahead of the machine's clock. Returns how far ahead it
   * was; undefined if no epoch was added.
   */
  begin(lastTime: Instant, clockTime: Instant): number | undefined {
    const lessMs = lastTime + this.#readShift(lastTime) - clockTime;
    if (lessMs <= MOST_AHEAD_MS) return undefined;
    this.#epochs = [...this.#epochs, { after: clockTime, lessMs }];
    return lessMs;
  }

  /** Returns the event of a row with corrected times. */
  read<Stored extends StoredEvent | TimePut>(stored: Stored): Stored {
    return this.#epochs.length === 0 ? stored : shifted(stored, (time) => this.#readShift(time));
  }

  /** Returns the events with the times that are written. */
  writeAll(events: readonly JournalEvent[]): readonly JournalEvent[] {
    if (this.#epochs.length === 0) return events;
    return events.map((event) => shifted(event, (time) => this.#writeShift(time)));
  }

  #readShift(written: Instant): number {
    let time = written;
    for (const { after, lessMs } of this.#epochs) if (time > after) time -= lessMs;
    return time - written;
  }

  /** The inverse shift, for writing: the last epoch is undone first. */
  #writeShift(time: Instant): number {
    let written = time;
    for (const { after, lessMs } of this.#epochs.toReversed()) {
      if (written + lessMs > after) written += lessMs;
    }
    return written - time;
  }
}

type TimePut = Extract<JournalEvent, { kind: 'time-put' }>;

function shifted<Any extends JournalEvent>(event: Any, shiftOf: ShiftOf): Any;
function shifted(event: JournalEvent, shiftOf: ShiftOf): JournalEvent {
  switch (event.kind) {
    case 'message-put':
    case 'copies-put':
      return { ...event, message: shiftMessage(event.message, shiftOf) };
    case 'message-id-noted':
      return { ...event, noted: shiftMessageId(event.noted, shiftOf) };
    case 'session-state-put':
      return { ...event, state: shiftSessionState(event.state, shiftOf) };
    case 'entity-put':
      return { ...event, entity: { ...event.entity, ...entityTimes(event.entity, shiftOf) } };
    case 'rule-put':
      return {
        ...event,
        rule: { ...event.rule, createdTime: shiftTime(event.rule.createdTime, shiftOf) },
      };
    case 'time-put':
      return { ...event, now: shiftTime(event.now, shiftOf) };
    default:
      return event;
  }
}

/**
 * Shifts the times of a message together with its enqueued time, which for a scheduled message is when it was accepted. It may have
 * become a dead letter after an epoch that it was accepted before, so that time is shifted on its own.
 */
function shiftMessage(message: MessageRecord, shiftOf: ShiftOf): MessageRecord {
  const { enqueuedTime, expiresAt, details } = message;
  const ms = shiftOf(enqueuedTime);
  const shiftedDetails = shiftDetails(details, ms, shiftOf);
  if (ms === 0 && shiftedDetails === details) return message;
  return { ...message, enqueuedTime: enqueuedTime + ms, expiresAt: expiresAt + ms, details: shiftedDetails };
}

function shiftDetails(
  details: MessageDetails | undefined,
  ms: number,
  shiftOf: ShiftOf,
): MessageDetails | undefined {
  const { schedule, deadLetteredAt } = details ?? {};
  if (schedule !== undefined) {
    return { ...details, schedule: { ...schedule, enqueueAt: schedule.enqueueAt + ms } };
  }
  if (deadLetteredAt === undefined) return details;
  const time = shiftTime(deadLetteredAt, shiftOf);
  return time === deadLetteredAt ? details : { ...details, deadLetteredAt: time };
}

function shiftMessageId(noted: MessageIdRecord, shiftOf: ShiftOf): MessageIdRecord {
  return { ...noted, acceptedAt: shiftTime(noted.acceptedAt, shiftOf) };
}

function shiftSessionState(state: SessionStateRecord, shiftOf: ShiftOf): SessionStateRecord {
  return { ...state, updatedTime: shiftTime(state.updatedTime, shiftOf) };
}

/** Shifts each time of an entity on its own: it may have been created before an epoch and updated after it. */
function entityTimes(
  { createdTime, updatedTime }: { readonly createdTime: Instant; readonly updatedTime: Instant },
  shiftOf: ShiftOf,
): { readonly createdTime: Instant; readonly updatedTime: Instant } {
  return { createdTime: shiftTime(createdTime, shiftOf), updatedTime: shiftTime(updatedTime, shiftOf) };
}

function shiftTime(time: Instant, shiftOf: ShiftOf): Instant {
  return time + shiftOf(time);
}
