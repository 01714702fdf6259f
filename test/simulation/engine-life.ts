// One life of the process in a simulation of the engine: what runs, who waits for what, and how it came to be as it is.

import type { Turn } from '../../src/broker/broker.js';
import type { Result } from '../../src/broker/result.js';
import type { Engine } from '../../src/engine/engine.js';
import type { VirtualClock } from '../../src/engine/virtual-clock.js';
import type { CheckedBroker } from './checked-broker.js';
import type { CheckedLink } from './checked-link.js';
import type { CrashingJournal } from './crashing-journal.js';
import type { ReferenceModel } from './reference-model.js';

export type Life = {
  readonly engine: Engine;
  readonly broker: CheckedBroker;
  readonly journal: CrashingJournal;
  readonly clock: VirtualClock;
  readonly links: Map<number, CheckedLink>;
  /** What was asked and not yet answered, by tag. */
  readonly asked: Map<number, { readonly result: Result; readonly eventCount: number }>;
  /** The model after each turn, with the number of events up to there; from the last moment when all was durable. */
  history: { readonly eventCount: number; readonly model: ReferenceModel }[];
  eventCount: number;
  /** Contents asked for and not yet there. */
  readingCount: number;
  lastTurn: Turn | undefined;
  failure: unknown;
};

export function isQuiet({ asked, readingCount, links, journal, eventCount }: Life): boolean {
  return (
    asked.size === 0 &&
    readingCount === 0 &&
    journal.durableCount === eventCount &&
    [...links.values()].every((link) => link.hasHeardAll)
  );
}

export function wakeLinks({ engine, links }: Life): void {
  for (const [linkId, link] of links) {
    link.rest();
    engine.resumeLink(linkId);
  }
}

export function closeLink({ engine, links }: Life, linkId: number): void {
  links.get(linkId)?.close();
  engine.closeLink(linkId);
}

export function throwFailure({ failure }: Life): void {
  if (failure !== undefined) throw failure;
}
