// Makes what matchers see of an emulator, and says whether any are loaded.

import type { EmulatorClockState } from '../steer/clock-control.js';
import type { EmulatorLook } from './entity-look.js';
import { IdleLook } from './idle.js';
import type { LookContext } from './look-context.js';
import { type NotTaken, notTakenBy } from './not-taken.js';
import type { TestRecord } from './test-record.js';

/** While the global object has this, emulators remember from their start on what matchers ask for. */
const MATCHERS = Symbol.for('jitney.matchers');

/** Says that matchers are loaded in this process: emulators that start from now on record for them. */
export function recordForMatchers(): void {
  Object.defineProperty(globalThis, MATCHERS, { value: true, configurable: true });
}

export function areMatchersLoaded(): boolean {
  return MATCHERS in globalThis;
}

type LookParts = {
  /** Whether the emulator had nothing from earlier starts. */
  readonly isEmpty: boolean;
  /** Whether it remembers from its start on what matchers ask for; otherwise from the first question on. */
  readonly isRecording: boolean;
  readonly clock: () => EmulatorClockState;
  readonly now: () => number;
  readonly record: TestRecord;
};

export function emulatorLook(
  context: Omit<LookContext, 'look' | 'arrange'>,
  { isEmpty, isRecording, clock, now, record }: LookParts,
): EmulatorLook {
  const { activity, waits, startTimer } = context;
  const isFromStart = isEmpty && isRecording;
  if (isRecording) record.start();
  return {
    startTimer,
    now,
    clock,
    startedTime: clock().time.getTime(),
    get recordedSince() {
      return isFromStart && record.isWhole ? Number.NEGATIVE_INFINITY : record.since;
    },
    records: () => {
      record.start();
      return [...activity.since(1)];
    },
    get nextId() {
      return activity.nextId;
    },
    machineTimeOf: (one) => record.machineTimeOf(one),
    messageOf: (path, sequenceNumber) => record.messageOf(path, sequenceNumber),
    whyNotTaken: async (topicPath, sequenceNumber, subscription) => {
      const content = record.contentOf(topicPath, sequenceNumber);
      if (content === undefined) return undefined;
      const all = await notTakenBy(context.engine, topicPath, content);
      const isNamed = (each: NotTaken) => each.subscription.toLowerCase() === subscription.toLowerCase();
      return all.find(isNamed)?.why;
    },
    idle: () => new IdleLook(context),
    onEnd: (end) => waits.add(end),
  };
}
