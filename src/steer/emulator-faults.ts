// The faults, as tests and front ends use them.

import type { Fault } from './fault.js';
import type { PresetName, PresetOptions } from './fault-presets.js';

/** A fault that was added. Its counts are always current. */
export type AddedFault = {
  readonly id: number;
  readonly fault: Fault;
  /** The number of operations since it was added that match it. */
  readonly matchedCount: number;
  /** How often it has happened. */
  readonly firedCount: number;
  /** Whether it can still happen. False if it has happened `times` times or its time is over. */
  readonly isActive: boolean;
  /**
   * A sentence if its `entity` does not exist when this is read, such as `There is no entity 'ordres' yet; the fault waits for it. Did
   * you mean 'orders'?`. Undefined if it exists, or has a `*`. Never rejects.
   */
  readonly note: Promise<string | undefined>;
  /** Ends the fault. */
  remove(): void;
};

/**
 * Faults on demand, to test how a program behaves when the service fails. Each time a fault happens, there is an event `fault-fired`.
 * Faults end with the process, with `clear()` and with `reset({ all: true })`. See docs/faults.md.
 */
export interface EmulatorFaults {
  /** Adds a fault after the existing ones: if several fit an operation, the first happens. Throws a FaultError, also if the emulator has stopped. */
  add(fault: Fault): AddedFault;
  /**
   * Adds the faults of a preset: `flaky` fails 5 % of all operations with a busy server, `slow` delays each by 0.2 to 0.5 s, `throttled`
   * lets only so many operations pass in a second, `failover` detaches all links and is busy for 2 s, and `blip` resets all connections once.
   * Throws a FaultError.
   */
  addPreset(name: PresetName, options?: PresetOptions): readonly AddedFault[];
  /** All faults, in order. A fault that has ended by itself stays in the list until it is removed. */
  list(): readonly AddedFault[];
  /** Removes a fault. Returns false if there is none with this id. */
  remove(id: number): boolean;
  /** Removes all faults. Returns how many there were. */
  clear(): number;
}
