// The faults as tests and front ends see them.

import type { Fault } from './fault.js';
import type { PresetName, PresetOptions } from './fault-presets.js';

/** A fault that was added. Its counts are those of the moment at which they are read. */
export type AddedFault = {
  readonly id: number;
  readonly fault: Fault;
  /** The operations that it was about, since it was added. */
  readonly matchedCount: number;
  /** How often it has happened. */
  readonly firedCount: number;
  /** Whether it can still happen: it has not happened `times` times, and its time is not over. */
  readonly isActive: boolean;
  /**
   * A sentence if its `entity` is not there when this is read, such as `There is no entity 'ordres' yet; the fault waits for it. Did
   * you mean 'orders'?`; undefined if it is there, or has a `*`. Never rejects.
   */
  readonly note: Promise<string | undefined>;
  /** Ends the fault. */
  remove(): void;
};

/**
 * Faults on demand, for tests of what a program does on a bad day. Each that happens is an event `fault-fired`. They end with the
 * process, with `clear()` and with `reset({ all: true })`. See docs/faults.md.
 */
export interface EmulatorFaults {
  /** Adds a fault behind those that are there: of several that fit an operation, the first happens. Throws a FaultError, also when the emulator has stopped. */
  add(fault: Fault): AddedFault;
  /**
   * Adds the faults of a preset: `flaky` fails 5 % of all operations with a busy server, `slow` delays each by 0.2 to 0.5 s, `throttled`
   * lets only so many pass in a second, `failover` detaches all links and is busy for 2 s, and `blip` resets all connections once.
   * Throws a FaultError.
   */
  addPreset(name: PresetName, options?: PresetOptions): readonly AddedFault[];
  /** All faults in their order. One that has ended by itself stays until it is removed. */
  list(): readonly AddedFault[];
  /** Returns false if there is none with this id. */
  remove(id: number): boolean;
  /** Removes all. Returns how many there were. */
  clear(): number;
}
