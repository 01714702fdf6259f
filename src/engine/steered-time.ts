// The broker's time as somebody has set it: over the time that follows the machine's clock, which goes on beneath.

import { type Instant, NEVER } from '../broker/contract/instant.js';
import { BrokerTime } from './broker-time.js';
import { aheadBy, type ClientTimes, steered } from './client-times.js';
import { brokerTimeAt, type ClockSetting, realTimeAt } from './clock-setting.js';
import type { Clock } from './ports.js';

/** Work that a turn has left for the next one is due this soon. It is done while time is frozen, too, which moves by so much. */
const REST_MS = 1;

export class SteeredTime {
  readonly #time: BrokerTime;
  readonly #ring: () => void;
  #setting: ClockSetting | undefined;
  #last: Instant = 0;
  #alarmAt: Instant = NEVER;

  /** `ring` is called at the instant of the alarm, or earlier when it is time to look at the clock. */
  constructor(clock: Clock, ring: () => void) {
    this.#ring = ring;
    this.#time = new BrokerTime(clock, () => this.#rung());
  }

  /** The latest time that was handed out. */
  get last(): Instant {
    return this.#last;
  }

  /** The machine's time of that moment, without jumps of its clock. */
  get lastReal(): Instant {
    return this.#time.last;
  }

  get setting(): ClockSetting | undefined {
    return this.#setting;
  }

  /** How the clients' times are converted at the last time; undefined: they are the broker's. */
  get clientTimes(): ClientTimes | undefined {
    const { clockLeadMs } = this.#time;
    if (this.#setting === undefined) return aheadBy(clockLeadMs);
    const moment = { setting: this.#setting, broker: this.#last, real: this.#time.last, leadMs: clockLeadMs };
    return steered(moment);
  }

  /** Continues from the broker time at which the last run ended. */
  continueFrom(instant: Instant): void {
    this.#time.continueFrom(this.#setting === undefined ? instant : 0);
    this.#last = instant;
    // Time that stands still is as far ahead of the machine's as it is now.
    if (this.#setting?.rate === 0) this.#setting = { ...this.#setting, realTime: this.#time.last };
    this.now();
  }

  now(): Instant {
    const real = this.#time.now();
    this.#last = Math.max(this.#last, this.timeAt(real));
    return this.#last;
  }

  /** The broker's time at this time of the machine. */
  timeAt(real: Instant): Instant {
    return this.#setting === undefined ? real : brokerTimeAt(this.#setting, real);
  }

  /** Sets the time to follow the machine's in this way from now on; undefined: it is the machine's. It never falls. */
  steer(setting: ClockSetting | undefined): void {
    this.#setting = setting;
    this.#wind();
  }

  /** Replaces an alarm set before; `NEVER` clears it. */
  setAlarm(at: Instant): void {
    this.#alarmAt = at;
    this.#wind();
  }

  #wind(): void {
    this.#time.setAlarm(this.#realAlarm());
  }

  #realAlarm(): Instant {
    const at = this.#alarmAt;
    if (this.#setting === undefined || at === NEVER) return at;
    if (this.#setting.rate === 0) return at <= this.#last + REST_MS ? this.#time.last + REST_MS : NEVER;
    return realTimeAt(this.#setting, at);
  }

  #rung(): void {
    if (this.#setting?.rate === 0 && this.#alarmAt <= this.#last + REST_MS) {
      this.#setting = { ...this.#setting, brokerTime: this.#last + REST_MS };
    }
    this.#alarmAt = NEVER;
    this.#ring();
  }
}
