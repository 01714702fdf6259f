// Steers the broker's clock: it can be frozen, ahead, or run at another pace. An advance goes from one deadline to the next, in order, and
// clients can receive their messages and answer in between.

import { setImmediate as nextLoop, setTimeout as sleep } from 'node:timers/promises';
import { type Instant, LAST_INSTANT } from '../broker/contract/instant.js';
import { formatDuration } from '../description/duration.js';
import type { ClockSetting } from '../engine/client-times.js';
import { REST_MS } from '../engine/clock.js';
import type { Engine, Traffic } from '../engine/engine.js';
import type { StoredClock } from './clock-file.js';

export type ClockMode = 'real' | 'offset' | 'frozen' | 'scaled';

export type EmulatorClockState = {
  /** `real`: the machine's time. `offset`: ahead of it. `frozen`: time is stopped. `scaled`: time runs at another pace. */
  readonly mode: ClockMode;
  /** How many milliseconds pass for the broker in one millisecond of the machine; 0 while time is frozen. */
  readonly rate: number;
  /** How far the broker's time is ahead of the machine's. */
  readonly offsetMs: number;
  /** The broker's time. */
  readonly time: Date;
  readonly realTime: Date;
  /** When something is due next, in the broker's time; undefined if nothing is due. */
  readonly nextDue: Date | undefined;
};

/** The broker's time before and after. */
export type ClockMove = { readonly from: Date; readonly to: Date };

type SteeredEngine = Pick<Engine, 'clock' | 'ask' | 'nextDue' | 'traffic' | 'isRunning'>;

export type ClockControlOptions = {
  /** Keeps the setting for the next start. Default: it ends with the process. */
  readonly save?: (stored: StoredClock | undefined) => Promise<void>;
  /** Waits until clients that have received something since `before` have had time to answer. */
  readonly quiet?: (engine: Pick<Engine, 'traffic'>, before: Traffic) => Promise<void>;
};

/** The error of an advance if the clock was frozen or reset before its end. */
export class AdvanceEnded extends Error {
  constructor() {
    super('The clock was frozen or reset before the advance was complete.');
    this.name = 'AdvanceEnded';
  }
}

/** The error of an advance beyond the last time of the service. */
export class AdvanceTooFar extends RangeError {
  constructor(byMs: number, now: number) {
    const most = formatDuration(Math.max(0, LAST_INSTANT - now));
    const last = new Date(LAST_INSTANT).toISOString();
    super(
      `The time to advance by must be at most ${most}, because ${last} is the latest possible time; ${byMs} ms is more.`,
    );
    this.name = 'AdvanceTooFar';
  }
}

export class ClockControl {
  readonly #engine: SteeredEngine;
  readonly #save: NonNullable<ClockControlOptions['save']>;
  readonly #quiet: NonNullable<ClockControlOptions['quiet']>;
  /** After a reset, how far the broker's time is ahead of the time that is shown. */
  #hiddenMs: number;
  /** The traffic that clients have had time to answer; undefined if they have had time for all of it. */
  #answeredUntil: Traffic | undefined;
  /** Ends the advances that are under way or wait for their turn. */
  #advances = new AbortController();
  /** The last change. Changes run one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(engine: SteeredEngine, hiddenMs: number, options: ClockControlOptions = {}) {
    this.#engine = engine;
    this.#hiddenMs = hiddenMs;
    this.#save = options.save ?? (async () => {});
    this.#quiet = options.quiet ?? quiet;
  }

  get state(): EmulatorClockState {
    const now = this.#engine.clock.now();
    const { real } = this.#engine.clock;
    const rate = this.#rate;
    const next = this.#engine.nextDue;
    const offsetMs = now - this.#hiddenMs - real;
    return {
      mode: modeOf(rate, offsetMs),
      rate,
      offsetMs,
      time: this.#shown(now),
      realTime: new Date(real),
      nextDue: next > LAST_INSTANT ? undefined : this.#shown(next),
    };
  }

  /** Stops time, and ends an advance that is under way. */
  freeze(): Promise<void> {
    this.#endAdvances();
    return this.#inTurn(() => this.#setRate(0));
  }

  /** Lets time run on from where it is, as fast as the machine's clock. */
  resume(): Promise<void> {
    return this.#inTurn(() => this.#setRate(1));
  }

  /** `rate`: how many milliseconds pass for the broker in one millisecond of the machine; above 0. */
  scale(rate: number): Promise<void> {
    return this.#inTurn(() => this.#setRate(rate));
  }

  /** Ends an advance that is under way, and shows the machine's time again. Everything that is due later stays as far away as it is now. */
  reset(): Promise<void> {
    this.#endAdvances();
    return this.#inTurn(async () => {
      if (this.#engine.clock.setting === undefined) return;
      const brokerTime = this.#engine.clock.now();
      const realTime = this.#engine.clock.real;
      this.#hiddenMs = brokerTime - realTime;
      await this.#set({ brokerTime, realTime, rate: 1 });
    });
  }

  /**
   * Moves time forward by 0 ms or more. Resolves when everything that fell due is done, in order, and clients have answered. Rejects with
   * an AdvanceTooFar. If it is ended on the way, time stays where it is at that moment, and it rejects with the reason of the signal or
   * an AdvanceEnded.
   */
  advance(byMs: number, signal?: AbortSignal): Promise<ClockMove> {
    const ended = this.#endOfAdvance(signal);
    return this.#inTurn(() => {
      const now = this.#engine.clock.now();
      if (now + byMs > LAST_INSTANT) throw new AdvanceTooFar(byMs, now);
      return this.#walk(now + byMs, ended);
    });
  }

  /** Moves time forward to the next deadline, like `advance`. If there is none, time does not move and it resolves with undefined. */
  advanceToNext(signal?: AbortSignal): Promise<ClockMove | undefined> {
    const ended = this.#endOfAdvance(signal);
    return this.#inTurn(async () => {
      const next = this.#engine.nextDue;
      return next > LAST_INSTANT ? undefined : this.#walk(next, ended);
    });
  }

  #endOfAdvance(signal: AbortSignal | undefined): AbortSignal {
    const { signal: own } = this.#advances;
    return signal === undefined ? own : AbortSignal.any([own, signal]);
  }

  #endAdvances(): void {
    this.#advances.abort(new AdvanceEnded());
    this.#advances = new AbortController();
  }

  /** Runs the change after all earlier ones, even if one of those has failed. */
  #inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(change);
    this.#last = result.catch(() => {});
    return result;
  }

  get #rate(): number {
    return this.#engine.clock.setting?.rate ?? 1;
  }

  #setRate(rate: number): Promise<void> {
    return this.#set(this.#settingAt(this.#engine.clock.now(), rate));
  }

  async #set(setting: ClockSetting): Promise<void> {
    this.#engine.clock.steer(orReal(setting));
    await this.#keep(setting);
  }

  /** The setting with which the broker's time is now `brokerTime`. */
  #settingAt(brokerTime: Instant, rate = this.#rate): ClockSetting {
    return { brokerTime, realTime: this.#engine.clock.real, rate };
  }

  async #walk(to: Instant, ended: AbortSignal): Promise<ClockMove> {
    ended.throwIfAborted();
    const from = this.#engine.clock.now();
    // Saved first: if the process is killed on the way, everything falls due at the next start.
    await this.#keep(this.#settingAt(to));
    for (let time = from; time < to && !ended.aborted; ) {
      time = Math.max(time, Math.min(to, this.#engine.nextDue));
      await this.#moveTo(time);
    }
    while (this.#isRestDue && !ended.aborted) {
      await this.#moveTo(this.#engine.clock.now() + REST_MS);
    }
    if (ended.aborted) await this.#setRate(this.#rate); // the next start goes on from here
    ended.throwIfAborted();
    return { from: this.#shown(from), to: this.#shown(to) };
  }

  async #moveTo(time: Instant): Promise<void> {
    if (!this.#engine.isRunning) {
      throw new Error('The emulator is no longer running, so its clock cannot be set.');
    }
    const now = this.#engine.clock.now(); // may be later: time goes on unless it is frozen
    this.#engine.clock.steer(this.#settingAt(Math.max(now, time)));
    this.#answeredUntil ??= this.#engine.traffic;
    await this.#engine.ask({ kind: 'tick' });
    await nextLoop(); // with a journal in memory, other work could otherwise never run
    // If work is left over, continue at once; do not wait for clients first.
    if (this.#isRestDue) return;
    const before = this.#answeredUntil;
    this.#answeredUntil = undefined;
    await this.#quiet(this.#engine, before);
  }

  /** Whether a turn has left work for the next one. */
  get #isRestDue(): boolean {
    return this.#engine.nextDue <= this.#engine.clock.now() + REST_MS;
  }

  #shown(time: Instant): Date {
    return new Date(time - this.#hiddenMs);
  }

  #keep(setting: ClockSetting): Promise<void> {
    const kept = orReal(setting);
    return this.#save(kept && { ...kept, hiddenMs: this.#hiddenMs });
  }
}

/** Undefined if the setting follows the machine's time without a change. */
function orReal(setting: ClockSetting): ClockSetting | undefined {
  return setting.rate === 1 && setting.brokerTime === setting.realTime ? undefined : setting;
}

function modeOf(rate: number, offsetMs: number): ClockMode {
  if (rate === 0) return 'frozen';
  if (rate !== 1) return 'scaled';
  return offsetMs === 0 ? 'real' : 'offset';
}

const STEP_MS = 2;
/** A client on this machine answers within this time. */
const QUIET_MS = 24;
/** A client that never stops sending holds the clock up for at most this time. */
const LONGEST_MS = 1000;

/** Resolves at once if nothing was sent to a client since `before`; otherwise when clients have sent nothing for 24 ms. */
async function quiet(engine: Pick<Engine, 'traffic'>, before: Traffic): Promise<void> {
  let last = engine.traffic;
  if (last.effectCount === before.effectCount) return;
  let quietMs = 0;
  for (let waitedMs = 0; quietMs < QUIET_MS && waitedMs < LONGEST_MS; waitedMs += STEP_MS) {
    await sleep(STEP_MS);
    const { commandCount, effectCount } = engine.traffic;
    const isSame = commandCount === last.commandCount && effectCount === last.effectCount;
    quietMs = isSame ? quietMs + STEP_MS : 0;
    last = { commandCount, effectCount };
  }
}
