// How the broker's time follows the machine's: ahead of it, frozen, or at another pace. And how the times of clients, who look at the
// machine's clock, are converted meanwhile.

import type { Instant } from '../broker/contract/instant.js';

export type ClockSetting = {
  /** When it began, by the machine. */
  readonly realTime: Instant;
  /** The broker's time in that moment. */
  readonly brokerTime: Instant;
  /** The broker's milliseconds in one of the machine; 0: frozen. */
  readonly rate: number;
};

export function brokerTimeAt({ realTime, brokerTime, rate }: ClockSetting, real: Instant): Instant {
  return brokerTime + Math.floor(rate * (real - realTime));
}

/** The first machine time at which the broker has this time; never if it is frozen before. */
export function realTimeAt({ realTime, brokerTime, rate }: ClockSetting, instant: Instant): Instant {
  if (instant <= brokerTime) return realTime;
  return realTime + Math.ceil((instant - brokerTime) / rate); // Infinity at rate 0
}

/** The moment of a turn: its broker time, the machine's, and how far the machine's clock has jumped away from that. */
type Moment = {
  readonly setting: ClockSetting;
  readonly broker: Instant;
  readonly real: Instant;
  readonly leadMs: number;
};

/**
 * Converts single times. An instant that a client has read and sends back is the same instant: what came before the setting is as far
 * away as it was, and what comes later has the pace of the broker.
 */
export class SteeredTimes {
  readonly #setting: ClockSetting;
  readonly #broker: Instant;
  readonly #real: Instant;
  readonly #leadMs: number;

  constructor({ setting, broker, real, leadMs }: Moment) {
    this.#setting = setting;
    this.#broker = broker;
    this.#real = real;
    this.#leadMs = leadMs;
  }

  instantToClient(instant: Instant): Instant {
    const { realTime, brokerTime } = this.#setting;
    const past = instant - brokerTime;
    return realTime + (past <= 0 ? past : past / this.#pace) + this.#leadMs;
  }

  instantToBroker(given: Instant): Instant {
    const { realTime, brokerTime } = this.#setting;
    const past = given - this.#leadMs - realTime;
    return brokerTime + (past <= 0 ? past : Math.round(past * this.#pace));
  }

  /** A client says "in ten minutes" by its own clock: it means ten minutes of the broker. */
  scheduleToBroker(given: Instant): Instant {
    return this.#broker + (given - this.#leadMs - this.#real);
  }

  scheduleToClient(instant: Instant): Instant {
    return this.#real + (instant - this.#broker) + this.#leadMs;
  }

  /** The time left, from now: no client believes its lock longer than it is. */
  lockToClient(instant: Instant): Instant {
    return this.#real + (instant - this.#broker) / this.#pace + this.#leadMs;
  }

  /** While it is frozen, times are as far apart as always. */
  get #pace(): number {
    return this.#setting.rate === 0 ? 1 : this.#setting.rate;
  }
}
