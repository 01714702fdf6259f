// Seeded runs of everything the broker can do, against the reference model. A failure tells the seed and the turn;
// `npm run simulate` runs one seed again, or new ones for ever.

import { describe, expect, it } from 'vitest';
import { simulateBroker } from './simulate-broker.js';
import { simulateEngine } from './simulate-engine.js';
import { Tally } from './tally.js';

const BROKER_SEEDS = 200;
const ENGINE_SEEDS = 150;

/** What has to happen in some run, or the simulation is not worth its name. */
const MUST_HAPPEN = [
  'abandon: done',
  'abandon: entity-disabled',
  'abandon: message-lock-lost',
  'attach-receiver: entity',
  'attach-receiver: entity-disabled',
  'attach-receiver: entity-not-found',
  'attach-sender: entity',
  'attach-sender: not-allowed',
  'complete: done',
  'complete: message-lock-lost',
  'crash',
  'dead-letter: done',
  'dead-letter: not-allowed',
  'defer: not-implemented',
  'deliver',
  'detach',
  'detach: done',
  'drained',
  'find-entity: entity',
  'lock expired',
  'put-queue: argument',
  'put-queue: done',
  'put-queue: not-allowed',
  'put-queue: not-implemented',
  'release: done',
  'renew-lock: message-lock-lost',
  'renew-lock: renewed',
  'send: entity-disabled',
  'send: message-size-exceeded',
  'send: not-allowed',
  'send: quota-exceeded',
  'send: sent',
  'set-credit: done',
  'tick: done',
];
const MUST_HAPPEN_AROUND_THE_ENGINE = [
  'crash before everybody was told',
  'crash before everything was durable',
  'delivery dropped, its lock had ended',
  'delivery given back, its link was closed',
  'delivery written',
];

describe('the simulation', () => {
  it('finds the broker doing what the rules say, also across crashes', () => {
    const tally = new Tally();
    for (let seed = 1; seed <= BROKER_SEEDS; seed++) tally.add(simulateBroker({ seed, turns: 500 }));
    expect(tally.seen()).toEqual(expect.arrayContaining(MUST_HAPPEN));
  });

  it('finds the engine telling only what is durable, and a crash losing nothing that was told', async () => {
    const tally = new Tally();
    for (let seed = 1; seed <= ENGINE_SEEDS; seed++) tally.add(await simulateEngine({ seed, turns: 300 }));
    expect(tally.seen()).toEqual(expect.arrayContaining(MUST_HAPPEN_AROUND_THE_ENGINE));
  });

  it('does the same again for the same seed', async () => {
    const [first, second] = [
      await simulateEngine({ seed: 7, turns: 300 }),
      await simulateEngine({ seed: 7, turns: 300 }),
    ];
    expect(String(second)).toBe(String(first));
    expect(String(simulateBroker({ seed: 7, turns: 300 }))).toBe(
      String(simulateBroker({ seed: 7, turns: 300 })),
    );
  });
});
