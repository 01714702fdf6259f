// Converts between the broker's time and the time of the clients' clocks, which is the machine's. They differ while the broker's clock
// is set (ahead, frozen, at another pace), and after the machine's clock has jumped.
//
// Commands are converted on their way in, and results, effects and activities on their way out. Contents stay as they are.

import type { Instant } from '../broker/contract/instant.js';

/** How the broker's time follows the machine's. */
export type ClockSetting = {
  /** The machine's time when it was set. */
  readonly realTime: Instant;
  /** The broker's time at that moment. */
  readonly brokerTime: Instant;
  /** The broker's milliseconds in one of the machine; 0: frozen. */
  readonly rate: number;
};

/** The broker's time is the machine's. */
const UNSET: ClockSetting = { realTime: 0, brokerTime: 0, rate: 1 };

export function brokerTimeAt(setting: ClockSetting | undefined, real: Instant): Instant {
  const { realTime, brokerTime, rate } = setting ?? UNSET;
  return brokerTime + Math.floor(rate * (real - realTime));
}

/** The first time of the machine at which the broker has reached this time; never if its clock is frozen before. */
export function realTimeAt({ realTime, brokerTime, rate }: ClockSetting, instant: Instant): Instant {
  if (instant <= brokerTime) return realTime;
  return realTime + Math.ceil((instant - brokerTime) / rate); // Infinity at rate 0
}

/** Every field of these that is an instant; a test compares them with the types. */
const TIME_FIELDS: ReadonlySet<string> = new Set([
  'accessedTime',
  'createdTime',
  'deadLetteredAt',
  'enqueueAt',
  'enqueuedBefore',
  'enqueuedTime',
  'expiresAt',
  'lockedUntil',
  'newestTime',
  'oldestActiveTime',
  'oldestTime',
  'scheduledEnqueueTime',
  'startedAt',
  'stateSetAfter',
  'stateSetTime',
  'updatedTime',
]);
const SCHEDULES: ReadonlySet<string> = new Set(['enqueueAt', 'scheduledEnqueueTime']);

type Moment = {
  readonly setting: ClockSetting | undefined;
  readonly broker: Instant;
  /** The machine's time, without jumps of its clock. */
  readonly real: Instant;
  /** How far the machine's clock is ahead of that. */
  readonly leadMs: number;
};

/**
 * Converts the times of one turn.
 *
 * An instant that a client has read and sends back later is the same instant: one before the setting is as far from it as it was, and
 * one after it follows the broker's pace. A schedule counts from now: "in ten minutes" by the client's clock means ten minutes of the
 * broker. The end of a lock is the time that is left, so that a client never believes that its lock is longer than it is.
 */
export class ClientTimes {
  readonly #moment: Moment;
  readonly #setting: ClockSetting;
  /** While the clock is frozen, times are as far apart as always. */
  readonly #pace: number;

  constructor(moment: Moment) {
    this.#moment = moment;
    this.#setting = moment.setting ?? UNSET;
    this.#pace = this.#setting.rate === 0 ? 1 : this.#setting.rate;
  }

  /** The broker's time for the one that a client has written in the field of this name. */
  toBroker(name: string, given: Instant): Instant {
    const { broker, real, leadMs } = this.#moment;
    const { realTime, brokerTime } = this.#setting;
    const time = given - leadMs;
    if (SCHEDULES.has(name)) return broker + (time - real);
    const passed = time - realTime;
    return brokerTime + (passed <= 0 ? passed : Math.round(passed * this.#pace));
  }

  /** The time that a client reads in the field of this name. */
  toClient(name: string, instant: Instant): Instant {
    const { broker, real, leadMs } = this.#moment;
    const { realTime, brokerTime } = this.#setting;
    if (name === 'lockedUntil') return real + (instant - broker) / this.#pace + leadMs;
    if (SCHEDULES.has(name)) return real + (instant - broker) + leadMs;
    const passed = instant - brokerTime;
    return realTime + (passed <= 0 ? passed : passed / this.#pace) + leadMs;
  }
}

/** A copy of a command with the broker's times; the command itself if times need no conversion. */
export function toBroker<Value>(value: Value, times: ClientTimes | undefined): Value {
  return times === undefined ? value : (convert(value, (name, time) => times.toBroker(name, time)) as Value);
}

/** The same for an outcome, with the times of the clients' clocks. */
export function toClient<Value>(value: Value, times: ClientTimes | undefined): Value {
  return times === undefined ? value : (convert(value, (name, time) => times.toClient(name, time)) as Value);
}

type Conversion = (name: string, time: Instant) => Instant;

function convert(value: unknown, conversion: Conversion): unknown {
  if (Array.isArray(value)) return value.map((item) => convert(item, conversion));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      TIME_FIELDS.has(name) ? convertTime(name, inner, conversion) : convert(inner, conversion),
    ]),
  );
}

/** A lock of several messages has an array of times. Absent times stay absent. */
function convertTime(name: string, value: unknown, conversion: Conversion): unknown {
  if (Array.isArray(value)) return value.map((item) => convertTime(name, item, conversion));
  return typeof value === 'number' && Number.isFinite(value) ? Math.floor(conversion(name, value)) : value;
}

/** Bytes and objects with an identity, such as errors, contain no times of the broker. */
function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
