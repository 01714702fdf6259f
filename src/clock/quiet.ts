// Waits for clients that have just got something: what they answer comes before time moves on.

import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineClock, Traffic } from '../engine/engine-clock.js';

export type Quiet = (engine: Pick<EngineClock, 'traffic' | 'perform'>, before: Traffic) => Promise<void>;

const STEP_MS = 2;
/** A client in this machine answers sooner. */
const QUIET_MS = 24;
/** A client that goes on and on does not hold the clock for longer. */
const LONGEST_MS = 1000;

/** Resolves at once if nothing went to a client since `before`, and otherwise when none has sent anything for 24 ms. */
export const quiet: Quiet = async (engine, before) => {
  let last = engine.traffic();
  if (last.effectCount === before.effectCount) return;
  let quietMs = 0;
  for (let waitedMs = 0; quietMs < QUIET_MS && waitedMs < LONGEST_MS; waitedMs += STEP_MS) {
    await sleep(STEP_MS);
    const { commandCount, effectCount } = engine.traffic();
    const isSame = commandCount === last.commandCount && effectCount === last.effectCount;
    quietMs = isSame ? quietMs + STEP_MS : 0;
    last = { commandCount, effectCount };
  }
};
