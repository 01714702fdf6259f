// Sets the broker's clock: frozen, ahead, at another pace. Moving it on walks from one thing that is due to the next, in their order,
// and lets deliveries and the answers of clients flow between.

import { setImmediate as nextLoop } from 'node:timers/promises';
import { type Instant, LAST_INSTANT } from '../broker/contract/instant.js';
import type { ClockSetting } from '../engine/clock-setting.js';
import type { EngineClock, Traffic } from '../engine/engine-clock.js';
import type { StoredClock } from './clock-file.js';
import { AdvanceEnded, AdvanceTooFar, ClockStopped } from './clock-refusals.js';
import { type Quiet, quiet } from './quiet.js';

export type ClockMode = 'real' | 'offset' | 'frozen' | 'scaled';

/** Times are milliseconds since 1970. */
export type ClockState = {
  /** `offset`: as fast as the machine's, and ahead of it. */
  readonly mode: ClockMode;
  /** Milliseconds of the broker in one of the machine; 0: frozen. */
  readonly rate: number;
  /** How far the broker's time is ahead of the machine's at present. */
  readonly offsetMs: number;
  readonly time: Instant;
  readonly realTime: Instant;
  /** When something falls due; undefined if nothing does before the end of time. */
  readonly nextDue: Instant | undefined;
};

/** The broker's times before and after. */
export type ClockMove = { readonly from: Instant; readonly to: Instant };

export type ClockControlOptions = {
  /** Keeps the setting for the next start. Default: it ends with the process. */
  readonly save?: (stored: StoredClock | undefined) => Promise<void>;
  /** Waits for clients that have got something. */
  readonly quiet?: Quiet;
};

/** Work that a turn has left for the next one is due this soon. */
const REST_MS = 1;

export class ClockControl {
  readonly #engine: EngineClock;
  readonly #save: (stored: StoredClock | undefined) => Promise<void>;
  readonly #quiet: Quiet;
  #hiddenMs: number;
  /** The traffic up to which clients have had their time to answer, while a walk has gone further. */
  #answeredUntil: Traffic | undefined;
  /** Ends the advances that are under way or wait for their turn. */
  #advances = new AbortController();
  /** One change at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(engine: EngineClock, hiddenMs: number, options: ClockControlOptions = {}) {
    this.#engine = engine;
    this.#hiddenMs = hiddenMs;
    this.#save = options.save ?? (async () => {});
    this.#quiet = options.quiet ?? quiet;
  }

  get state(): ClockState {
    const now = this.#engine.now();
    const real = this.#engine.real();
    const rate = this.#rate;
    const next = this.#engine.nextDue();
    const offsetMs = now - this.#hiddenMs - real;
    return {
      mode: modeOf(rate, offsetMs),
      rate,
      offsetMs,
      time: now - this.#hiddenMs,
      realTime: real,
      nextDue: next > LAST_INSTANT ? undefined : next - this.#hiddenMs,
    };
  }

  /** Ends an advance under way. */
  freeze(): Promise<void> {
    this.#endAdvances();
    return this.#inTurn(() => this.#set(0));
  }

  /** Goes on as fast as the machine's clock, from where it is. */
  resume(): Promise<void> {
    return this.#inTurn(() => this.#set(1));
  }

  /** `rate`: milliseconds of the broker in one of the machine; above 0. */
  scale(rate: number): Promise<void> {
    return this.#inTurn(() => this.#set(rate));
  }

  /** Ends an advance under way, and shows the machine's time again. What is due later stays as far away as it is now. */
  reset(): Promise<void> {
    this.#endAdvances();
    return this.#inTurn(async () => {
      if (this.#engine.setting() === undefined) return;
      // Read once: the machine's time goes on between two readings.
      const [brokerTime, realTime] = [this.#engine.now(), this.#engine.real()];
      this.#hiddenMs = brokerTime - realTime;
      await this.#begin({ brokerTime, realTime, rate: 1 });
    });
  }

  /**
   * Moves time on by 0 ms or more. Resolves when all that fell due is done, in its order, and the broker has settled. Rejects with an
   * AdvanceTooFar. When it is ended on the way, time stays where it is by then, and it rejects with the reason of the signal, or an
   * AdvanceEnded.
   */
  advance(byMs: number, signal?: AbortSignal): Promise<ClockMove> {
    const ended = this.#endOfAdvance(signal);
    return this.#inTurn(() => {
      const now = this.#engine.now();
      if (now + byMs > LAST_INSTANT) throw new AdvanceTooFar(byMs, now);
      return this.#walk(now + byMs, ended);
    });
  }

  /** Moves time on to what falls due next, like `advance`; undefined, and no move, if nothing does. */
  advanceToNext(signal?: AbortSignal): Promise<ClockMove | undefined> {
    const ended = this.#endOfAdvance(signal);
    return this.#inTurn(async () => {
      const next = this.#engine.nextDue();
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

  /** A failed change does not stop the ones after it. */
  #inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(change);
    this.#last = result.catch(() => {});
    return result;
  }

  get #rate(): number {
    return this.#engine.setting()?.rate ?? 1;
  }

  #set(rate: number): Promise<void> {
    const brokerTime = this.#engine.now();
    return this.#begin({ brokerTime, realTime: this.#engine.real(), rate });
  }

  async #begin(setting: ClockSetting): Promise<void> {
    this.#engine.steer(this.#orReal(setting));
    await this.#keep(setting);
  }

  async #walk(to: Instant, ended: AbortSignal): Promise<ClockMove> {
    ended.throwIfAborted();
    const from = this.#engine.now();
    // First, so that after a crash on the way everything falls due at the next start.
    await this.#keep({ brokerTime: to, realTime: this.#engine.real(), rate: this.#rate });
    for (let time = from; time < to && !ended.aborted; ) {
      time = Math.max(time, Math.min(to, this.#engine.nextDue()));
      await this.#moveTo(time);
    }
    while (this.#isRestDue && !ended.aborted) {
      await this.#moveTo(this.#engine.now() + REST_MS);
    }
    if (ended.aborted) await this.#set(this.#rate); // the next start goes on from here
    ended.throwIfAborted();
    return { from: from - this.#hiddenMs, to: to - this.#hiddenMs };
  }

  async #moveTo(time: Instant): Promise<void> {
    if (!this.#engine.isRunning()) throw new ClockStopped();
    const now = this.#engine.now(); // which may be later: time goes on unless it is frozen
    const brokerTime = Math.max(now, time);
    this.#engine.steer({ brokerTime, realTime: this.#engine.real(), rate: this.#rate });
    this.#answeredUntil ??= this.#engine.traffic();
    await this.#engine.perform();
    await nextLoop(); // in memory, a walk would otherwise let nobody else have a turn
    // Work in pieces goes on as without a hand on the clock: nobody waits for clients between two of them.
    if (this.#isRestDue) return;
    const before = this.#answeredUntil;
    this.#answeredUntil = undefined;
    await this.#quiet(this.#engine, before);
  }

  /** Whether a turn has left work for the next one. */
  get #isRestDue(): boolean {
    return this.#engine.nextDue() <= this.#engine.now() + REST_MS;
  }

  #keep(setting: ClockSetting): Promise<void> {
    const kept = this.#orReal(setting);
    return this.#save(kept && { ...kept, hiddenMs: this.#hiddenMs });
  }

  /** Undefined if the setting is no other than the machine's time. */
  #orReal(setting: ClockSetting): ClockSetting | undefined {
    return setting.rate === 1 && setting.brokerTime === setting.realTime ? undefined : setting;
  }
}

function modeOf(rate: number, offsetMs: number): ClockMode {
  if (rate === 0) return 'frozen';
  if (rate !== 1) return 'scaled';
  return offsetMs === 0 ? 'real' : 'offset';
}
