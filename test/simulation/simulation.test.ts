// Seeded runs of everything the broker can do, against the reference model. A failure tells the seed and the turn;
// `npm run simulate` runs one seed again, or new ones for ever.

import { describe, expect, it } from 'vitest';
import { BROKEN_BROKERS } from './broken-brokers.js';
import { simulateBroker } from './simulate-broker.js';
import { simulateEngine } from './simulate-engine.js';
import { SimulationFailure } from './simulation-failure.js';
import { MUST_HAPPEN, MUST_HAPPEN_AROUND_THE_ENGINE, Tally } from './tally.js';

/** `npm run simulate` runs as many more as one likes. */
const BROKER_SEEDS = 100;
/** They meet what the others do not, such as a list of sessions that is too long for an answer. */
const RARE_SEEDS = [147, 157, 158];
/** A reset discards what due work of the same turn has delivered. */
const RESET_SEEDS = [2064, 2134];
/** Idle entities are deleted while messages expire in them, and while rows of others wait for their removal. */
const IDLE_SEEDS = [5_000_328, 5_000_499];
/** A message is forwarded in the turn whose command then ends the forwarding. */
const LAST_FORWARD_SEED = 7_000_022;
/** A transfer expires that filled the queue to which others are forwarded in the same turn. */
const EXPIRING_TRANSFER_SEED = 7_000_087;
/** A purge comes between two operations of a transaction that set the state of one session. */
const PURGED_STATE_SEED = 9_300_379;
const ENGINE_SEEDS = 80;
/** A client would enlist a lock token that its link was never given, if it learnt tokens before they are written. */
const UNWRITTEN_TOKEN_SEED = 2002;
/** The power fails while a batch is synced by a thread and the table is written that has its rows. */
const ROWS_AHEAD_OF_THE_LOG_SEEDS = [241, 400];
const SEEDS_TO_FIND_A_FLAW = 100;
/** Seeds that find at once what the first seeds do not. They only save time: all the others are tried after them. */
const TELLING_SEEDS: Readonly<Record<string, number>> = {
  'believes any claim': 7,
  'clears the state of a session with the messages': 12,
  'counts what was out when a session is given up': 10,
  'deletes as many messages as one wants': 12,
  'forgets session states in a restart': 10,
  'leaves pinned what was rolled back': 7,
  'lets the messages of a session expire one by one': 7,
  'lists sessions backwards': 21,
  'serves first who has come last': 29,
  'shows in a list what it has counted before': 14,
};
/** For machines that have much else to do. */
const PATIENCE_MS = 600_000;

describe('the simulation', () => {
  it(
    'finds the broker doing what the rules say, also across crashes [M1, M2, M3, M4, M5, M6, M7, M8, M9, M10, M11, ' +
      'M12, M13, M14, M15, M16, M17, M18, M19, M20, M21, M22, M23, M24, M25, M26, M27, M28, M29, M30, M31, M32, ' +
      'M33, M34, M35, M36, M37, M38, M39, ' +
      'X1, X2, X3, X4, X5, X6, X7, X8, X9, X10, X11, X12, X13, X14, X15, X16, X17, X18]',
    () => {
      const tally = new Tally();
      const seeds = [
        ...countTo(BROKER_SEEDS),
        ...RARE_SEEDS,
        ...RESET_SEEDS,
        ...IDLE_SEEDS,
        LAST_FORWARD_SEED,
        EXPIRING_TRANSFER_SEED,
        PURGED_STATE_SEED,
      ];
      for (const seed of seeds) tally.add(simulateBroker({ seed, turns: 1000 }));
      expect(tally.seen()).toEqual(expect.arrayContaining([...MUST_HAPPEN]));
    },
    PATIENCE_MS,
  );

  it(
    'finds the engine telling only what is durable, and a crash at any write losing nothing that was told',
    async () => {
      const tally = new Tally();
      for (const seed of [...countTo(ENGINE_SEEDS), UNWRITTEN_TOKEN_SEED, ...ROWS_AHEAD_OF_THE_LOG_SEEDS]) {
        tally.add(await simulateEngine({ seed, turns: 300 }));
      }
      expect(tally.seen()).toEqual(expect.arrayContaining([...MUST_HAPPEN_AROUND_THE_ENGINE]));
    },
    PATIENCE_MS,
  );

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

  it.each(BROKEN_BROKERS)('finds out a broker that %s', (flaw, makeBroker) => {
    const seeds = [TELLING_SEEDS[flaw] ?? 1, ...countTo(SEEDS_TO_FIND_A_FLAW)];
    expect(() => {
      for (const seed of seeds) simulateBroker({ seed, turns: 1000, makeBroker });
    }).toThrow(SimulationFailure);
  });
});

function countTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}
