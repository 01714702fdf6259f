// The engine's time for who sets it, and what is due by it.

import type { Instant } from '../broker/contract/instant.js';
import type { ClockSetting } from './clock-setting.js';
import type { SteeredTime } from './steered-time.js';

/** Times are milliseconds since 1970. */
export type EngineClock = {
  now(): Instant;
  /** The machine's time when `now` was last called. */
  real(): Instant;
  /** Undefined: the time is the machine's. */
  setting(): ClockSetting | undefined;
  steer(setting: ClockSetting | undefined): void;
  /** When something is due; `NEVER` when nothing is. */
  nextDue(): Instant;
  /** Does what is due. Resolves when that is durable, and its effects have been passed on. */
  perform(): Promise<void>;
  /** The commands that came, and the effects that went. */
  traffic(): Traffic;
  isRunning(): boolean;
};

/** Counts since the start. */
export type Traffic = { commandCount: number; effectCount: number };

type Parts = Pick<EngineClock, 'nextDue' | 'perform' | 'isRunning'> & {
  readonly time: SteeredTime;
  readonly traffic: Traffic;
};

export function engineClock({ time, traffic, ...rest }: Parts): EngineClock {
  return {
    now: () => time.now(),
    real: () => time.lastReal,
    setting: () => time.setting,
    steer: (setting) => time.steer(setting),
    traffic: () => ({ ...traffic }),
    ...rest,
  };
}
