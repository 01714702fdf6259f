// The clock for tests and front ends: it takes durations as people write them, and returns everything that fell due.

import { NEVER } from '../broker/contract/instant.js';
import { formatDuration, parseDuration } from '../description/duration.js';
import { shown } from '../description/value-error.js';
import type { ActivityRecord } from '../watch/activity-record.js';
import type { ActivityStream } from '../watch/activity-stream.js';
import type { ClockControl, ClockMove, EmulatorClockState } from './clock-control.js';

/** A duration as `'PT1H'`, `'P2D'` or `'00:05:00'`, or a number of milliseconds. */
export type ClockDuration = string | number;

export type AdvanceOptions = { readonly signal?: AbortSignal };

export type ClockAdvance = ClockMove & {
  /** Everything that fell due on the way, in order: locks and schedules, times to live, idle entities. At most the first 10,000. */
  readonly fired: readonly ActivityRecord[];
};

/**
 * The broker's clock, with which a test can skip an hour at once. Locks, schedules, times to live, duplicate windows and idle entities
 * follow it; tokens, certificates, heartbeats and the waits of clients stay on real time.
 *
 * Times that clients read and write still fit the machine's clock: see docs/clock.md.
 */
export interface EmulatorClock {
  readonly state: EmulatorClockState;
  /** The broker's time. */
  now(): Date;
  /**
   * Moves time forward. Everything that falls due happens in order, and in between clients receive and settle their messages. Resolves
   * when all of it is done.
   *
   * Rejects with a TypeError or RangeError for a wrong duration, such as one that ends after the year 9999, and with an Error when the
   * emulator stops. `freeze`, `reset` and the signal end it on the way: time stays where it is at that moment, and the promise rejects
   * with an Error or the reason of the signal.
   */
  advance(duration: ClockDuration, options?: AdvanceOptions): Promise<ClockAdvance>;
  /** Moves time forward to the next thing that is due, like `advance`. Resolves with undefined if nothing is due. */
  advanceToNext(options?: AdvanceOptions): Promise<ClockAdvance | undefined>;
  /** Stops time. Then only `advance` moves it, except for a millisecond when a large piece of work needs several turns. */
  freeze(): Promise<void>;
  /** Lets time run on from where it is, as fast as the machine's. */
  resume(): Promise<void>;
  /** Lets time run on from where it is, `rate` times as fast as the machine's: from 0.001 to 1,000,000. */
  scale(rate: number): Promise<void>;
  /** Goes back to the machine's time. Everything that is due later stays as far away as it is now. */
  reset(): Promise<void>;
}

const FIRED: ReadonlySet<string> = new Set([
  'activated',
  'dead-lettered',
  'entity-deleted',
  'expired',
  'forwarded',
  'lock-expired',
  'session-lost',
]);
const MOST_FIRED = 10_000;
export const LEAST_RATE = 0.001;
export const GREATEST_RATE = 1_000_000;

export function emulatorClock(control: ClockControl, activity: ActivityStream): EmulatorClock {
  const recording = async <Result>(move: (fired: ActivityRecord[]) => Promise<Result>): Promise<Result> => {
    const fired: ActivityRecord[] = [];
    const end = activity.watch((kind, read) => {
      if (FIRED.has(kind) && fired.length < MOST_FIRED) fired.push(read());
    });
    try {
      return await move(fired);
    } finally {
      end();
    }
  };
  return {
    get state() {
      return control.state;
    },
    now: () => control.state.time,
    advance: async (duration, { signal } = {}) => {
      const byMs = advanceMs(duration);
      return recording(async (fired) => ({ ...(await control.advance(byMs, signal)), fired }));
    },
    advanceToNext: ({ signal } = {}) =>
      recording(async (fired) => {
        const moved = await control.advanceToNext(signal);
        return moved && { ...moved, fired };
      }),
    freeze: () => control.freeze(),
    resume: () => control.resume(),
    scale: async (rate) => control.scale(checkedRate(rate)),
    reset: () => control.reset(),
  };
}

/** Throws a TypeError or RangeError. */
function advanceMs(duration: ClockDuration): number {
  try {
    return millisecondsOf(duration);
  } catch (error) {
    const text = `The time to advance by ${(error as Error).message}.`;
    throw error instanceof TypeError ? new TypeError(text) : new RangeError(text);
  }
}

/** Throws an Error if it is not a duration or is too long. The text starts with "must", so that a name can go before it. */
export function millisecondsOf(duration: ClockDuration, longestMs = NEVER): number {
  if (typeof duration === 'string') {
    const milliseconds = parseDuration(duration, longestMs);
    if (milliseconds !== NEVER) return milliseconds;
    throw new RangeError(`must have an end, but ${shown(duration)} means "never"`);
  }
  if (typeof duration !== 'number') {
    throw new TypeError(`must be a text such as 'PT1H' or a number of milliseconds, not ${shown(duration)}`);
  }
  if (!Number.isFinite(duration) || duration < 0) {
    throw new RangeError(`must be 0 ms or more, not ${shown(duration)}`);
  }
  if (duration <= longestMs) return Math.round(duration);
  throw new RangeError(`must not be longer than ${formatDuration(longestMs)}, but ${duration} ms is`);
}

function checkedRate(rate: number): number {
  if (typeof rate === 'number' && rate >= LEAST_RATE && rate <= GREATEST_RATE) return rate;
  throw new RangeError(
    `The pace must be from ${LEAST_RATE} to ${GREATEST_RATE} times the machine's, not ${String(rate)}; freeze() stops time.`,
  );
}
