// An emulator and its entities as matchers see them. They find them by a symbol on a handle and not by a class, because a process may have
// the package twice: by `import` and by `require`, or in two versions.

import type { InspectedEntity } from '../broker/contract/inspection.js';
import type { SentMessageView } from '../content/shown-message.js';
import type { StartTimer } from '../engine/timer.js';
import type { EmulatorClockState } from '../steer/clock-control.js';
import type { ActivityRecord } from '../watch/activity-record.js';
import type { EmulatorCounts, EmulatorMessages } from './emulator-entities.js';

/** The key under which a handle has its EntityLook. */
export const LOOK: unique symbol = Symbol.for('jitney.look');

export type EntityLook = {
  readonly kind: InspectedEntity['kind'];
  /** The path of the entity, and of the store with the handle's messages. */
  readonly entityPath: string;
  readonly path: string;
  readonly emulator: EmulatorLook;
  counts(): Promise<EmulatorCounts>;
  messages: EmulatorMessages['messages'];
  /** Undefined for a topic, and for a dead-letter queue itself. */
  readonly deadLetters: EmulatorMessages['messages'] | undefined;
};

export type EmulatorLook = {
  readonly startTimer: StartTimer;
  /** The machine's time in milliseconds since 1970, which no fake timers change. */
  readonly now: () => number;
  readonly clock: () => EmulatorClockState;
  /** The broker's time when the emulator started. */
  readonly startedTime: number;
  /** The machine's time from which on nothing is missing in the record: -Infinity if it begins with the start of an empty emulator. */
  readonly recordedSince: number;
  /** All records that are still there, oldest first. */
  records(): readonly ActivityRecord[];
  /** The id of the next record: while it stays, nothing has happened. */
  readonly nextId: number;
  /** The machine's time of a record; 0 if that is not known. */
  machineTimeOf(record: ActivityRecord): number;
  /** The message as its sender set it, also one that is gone; undefined if that is no longer known. */
  messageOf(path: string, sequenceNumber: number): SentMessageView | undefined;
  /** Why the rules of a subscription do not match a message of its topic; undefined if they do, or that is no longer known. */
  whyNotTaken(topicPath: string, sequenceNumber: number, subscription: string): Promise<string | undefined>;
  idle(): Idleness;
  /** Calls `end` with an error when the emulator ends. Throws it if the emulator has ended. Returns a function that takes this back. */
  onEnd(end: (error: Error) => void): () => void;
};

export type Idleness = {
  /** Everything that the last look found in progress, in words. */
  readonly underWay: readonly string[];
  /** `again` is called when it is time for another look, and nothing else has asked for one. */
  isIdle(again: () => void): Promise<boolean>;
  /** Whether nothing has happened for a quarter of a second, also while messages are locked. */
  isQuiet(again: () => void): boolean;
  /** Asks for a look after each change. Returns a function that ends this. */
  observe(again: () => void): () => void;
};
