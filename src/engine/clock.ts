// The engine's clock: it says what time it is for the broker, and wakes the engine when something is due.
//
// Its time never falls. It follows the machine's clock, in the way that a setting says. When the machine's clock jumps, the engine's
// goes on at a steady pace instead, and the times that clients read and write are converted by the difference (`client-times.ts`),
// because they have to fit the clock that the clients look at. A jump back stays converted until the next start. A jump forward that
// lasts is accepted after two minutes: the machine's clock had been behind, or the machine was asleep.

import { type Instant, NEVER } from '../broker/contract/instant.js';
import { brokerTimeAt, ClientTimes, type ClockSetting, realTimeAt } from './client-times.js';
import type { Clock } from './ports.js';

/** A smaller difference is not a jump: time follows the clock forward, and waits for a clock that was put back. */
const LEAST_JUMP_MS = 5000;
/** A jump forward that has lasted this long is accepted. */
const JUMP_ACCEPTED_AFTER_MS = 120_000;
/** Work that a turn has left for the next one is due this soon. It is done while time is frozen too, and moves time on by as much. */
export const REST_MS = 1;
/**
 * A timer does not count the hours that a laptop sleeps, nor a change of the time of day, so the alarm rings at least this often.
 * This also keeps a far alarm below the 2^31 ms at which `setTimeout` would fire at once.
 */
const LONGEST_WAIT_MS = 60_000;

export class EngineClock {
  readonly #machine: Clock;
  readonly #ring: () => void;
  #setting: ClockSetting | undefined;
  #last: Instant = 0;
  #real: Instant = 0;
  /** `#real` minus the elapsed milliseconds: without a jump, both go on together. */
  #steadyBase = 0;
  /** How far the machine's clock is ahead of `#real` because it jumped; negative if it was put back. */
  #leadMs = 0;
  /** When the jump forward is accepted, in elapsed milliseconds. */
  #acceptedAt = NEVER;
  #alarmAt: Instant = NEVER;
  /** The alarm in the machine's time without jumps. */
  #realAlarmAt: Instant = NEVER;

  /** `ring` is called when the time of the alarm has come. */
  constructor(machine: Clock, ring: () => void) {
    this.#machine = machine;
    this.#ring = ring;
  }

  /** The latest time that `now` has returned. */
  get last(): Instant {
    return this.#last;
  }

  /** The machine's time at that moment, without jumps of its clock. */
  get real(): Instant {
    return this.#real;
  }

  /** Undefined: the time is the machine's. */
  get setting(): ClockSetting | undefined {
    return this.#setting;
  }

  /** How the clients' times are converted at the last time; undefined: they are the broker's. */
  get clientTimes(): ClientTimes | undefined {
    if (this.#setting === undefined && this.#leadMs === 0) return undefined;
    const { last: broker, real } = this;
    return new ClientTimes({ setting: this.#setting, broker, real, leadMs: this.#leadMs });
  }

  /** Goes on from the broker's time at which the last run ended. */
  start(lastTime: Instant, setting: ClockSetting | undefined): void {
    const clockTime = this.#machine.now();
    this.#real = setting === undefined ? Math.max(lastTime, clockTime) : clockTime;
    this.#steadyBase = this.#real - this.#machine.elapsed();
    this.#last = lastTime;
    // A frozen clock stays as far ahead of the machine's as it is now.
    this.#setting = setting?.rate === 0 ? { ...setting, realTime: this.#real } : setting;
    this.now();
  }

  now(): Instant {
    this.#look();
    this.#last = Math.max(this.#last, brokerTimeAt(this.#setting, this.#real));
    return this.#last;
  }

  /** Has the time follow the machine's in this way from now on; undefined: it is the machine's. It never falls. */
  steer(setting: ClockSetting | undefined): void {
    this.#setting = setting;
    this.now();
    this.setAlarm(this.#alarmAt);
  }

  /** Replaces an alarm that was set before; `NEVER` clears it. */
  setAlarm(at: Instant): void {
    this.#alarmAt = at;
    const realAlarmAt = this.#realTimeOf(at);
    if (realAlarmAt === this.#realAlarmAt) return;
    this.#realAlarmAt = realAlarmAt;
    this.#wind();
  }

  /** Sees whether the machine's clock has jumped. */
  #look(): void {
    const clockTime = this.#machine.now();
    const elapsed = this.#machine.elapsed();
    const steady = this.#steadyBase + elapsed;
    const leadMs = clockTime - steady;
    const acceptedAt = this.#acceptedAt;
    if (Math.abs(leadMs) <= LEAST_JUMP_MS || elapsed >= acceptedAt) {
      this.#real = Math.max(this.#real, clockTime);
      this.#steadyBase = this.#real - elapsed;
      this.#leadMs = 0;
      this.#acceptedAt = NEVER;
    } else {
      this.#real = Math.max(this.#real, steady);
      this.#leadMs = leadMs;
      this.#acceptedAt = leadMs < 0 ? NEVER : Math.min(acceptedAt, elapsed + JUMP_ACCEPTED_AFTER_MS);
    }
    if (this.#acceptedAt !== acceptedAt) this.#wind();
  }

  #realTimeOf(alarmAt: Instant): Instant {
    if (this.#setting === undefined || alarmAt === NEVER) return alarmAt;
    if (this.#setting.rate === 0) return alarmAt <= this.#last + REST_MS ? this.#real + REST_MS : NEVER;
    return realTimeAt(this.#setting, alarmAt);
  }

  #wind(): void {
    if (this.#realAlarmAt === NEVER) {
      this.#machine.clearAlarm();
      return;
    }
    const base = this.#machine.now() - this.#leadMs - this.#machine.elapsed();
    this.#machine.setAlarm(Math.min(this.#realAlarmAt - base, this.#acceptedAt), this.#wake);
  }

  /** The machine's alarm may come too early: it knows nothing of changes of the time of day. */
  readonly #wake = (): void => {
    const at = this.#alarmAt;
    this.#realAlarmAt = NEVER;
    if (this.#setting?.rate === 0 && at <= this.#last + REST_MS) {
      this.#setting = { ...this.#setting, brokerTime: this.#last + REST_MS };
    }
    if (this.now() < at) {
      this.setAlarm(at);
      return;
    }
    this.#alarmAt = NEVER;
    this.#ring();
  };
}

/** The machine's time and timers; tests have their own. */
export type Timers<Timer> = {
  now(): Instant;
  elapsed(): number;
  set(callback: () => void, delayMs: number): Timer;
  clear(timer: Timer): void;
};

const MACHINE: Timers<unknown> = {
  now: () => Date.now(),
  elapsed: () => Math.floor(performance.now()),
  // A deadline alone does not keep the process alive.
  set: (callback, delayMs) => setTimeout(callback, delayMs).unref(),
  clear: (timer) => clearTimeout(timer as NodeJS.Timeout),
};

/** The machine's clock of a running emulator, with one timer for the alarm. */
export class SystemClock implements Clock {
  readonly #timers: Timers<unknown>;
  #timer: unknown;
  #wakesAt = NEVER;
  #ring: (() => void) | undefined;

  constructor(timers: Timers<unknown> = MACHINE) {
    this.#timers = timers;
  }

  now(): Instant {
    return this.#timers.now();
  }

  elapsed(): number {
    return this.#timers.elapsed();
  }

  /** Called after most turns, so an alarm that is put off keeps its timer, which then rings too early. */
  setAlarm(at: number, ring: () => void): void {
    this.#ring = ring;
    if (at >= this.#wakesAt) return;
    this.#stopTimer();
    const elapsed = this.elapsed();
    const delayMs = Math.min(Math.max(at - elapsed, 1), LONGEST_WAIT_MS);
    this.#wakesAt = elapsed + delayMs;
    this.#timer = this.#timers.set(this.#wake, delayMs);
  }

  clearAlarm(): void {
    this.#ring = undefined;
    this.#stopTimer();
  }

  #stopTimer(): void {
    if (this.#wakesAt === NEVER) return;
    this.#timers.clear(this.#timer);
    this.#wakesAt = NEVER;
  }

  readonly #wake = (): void => {
    this.#wakesAt = NEVER;
    this.#ring?.();
  };
}
