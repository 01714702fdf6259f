// Converts between the broker's time and the time of the clients' clocks, while the two differ: the machine's clock has jumped away
// from the broker's, or somebody has set the broker's clock.
//
// It happens to commands on their way in, and to results, effects and activities on their way out. Contents stay as they are.

import type { Instant } from '../broker/contract/instant.js';
import { SteeredTimes } from './clock-setting.js';

/** Every field of these that is an instant; a test compares them with the types. */
const TIME_FIELDS: ReadonlySet<string> = new Set([
  'accessedTime',
  'createdTime',
  'enqueueAt',
  'enqueuedBefore',
  'enqueuedTime',
  'expiresAt',
  'lockedUntil',
  'oldestActiveTime',
  'scheduledEnqueueTime',
  'startedAt',
  'stateSetAfter',
  'stateSetTime',
  'updatedTime',
]);
const SCHEDULES: ReadonlySet<string> = new Set(['enqueueAt', 'scheduledEnqueueTime']);

/** How times are converted in one turn; undefined: they need not be. */
export type ClientTimes = {
  toBroker(name: string, time: Instant): Instant;
  toClient(name: string, time: Instant): Instant;
};

/** The clients' clocks are this far ahead of the broker's; undefined if they are not. */
export function aheadBy(leadMs: number): ClientTimes | undefined {
  if (leadMs === 0) return undefined;
  return { toBroker: (_name, time) => time - leadMs, toClient: (_name, time) => time + leadMs };
}

/** The broker's clock was set. */
export function steered(moment: ConstructorParameters<typeof SteeredTimes>[0]): ClientTimes {
  const times = new SteeredTimes(moment);
  return {
    toBroker: (name, time) =>
      SCHEDULES.has(name) ? times.scheduleToBroker(time) : times.instantToBroker(time),
    toClient(name, time) {
      if (name === 'lockedUntil') return times.lockToClient(time);
      return SCHEDULES.has(name) ? times.scheduleToClient(time) : times.instantToClient(time);
    },
  };
}

/** A copy of a command with the broker's times; the command itself if times need no conversion. */
export function toBroker<Value>(value: Value, times: ClientTimes | undefined): Value {
  return times === undefined ? value : (convert(value, (name, time) => times.toBroker(name, time)) as Value);
}

/** The same of an outcome, with the times of the clients' clocks. */
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

/** Bytes and objects with an identity, such as errors, have no times of the broker. */
function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
