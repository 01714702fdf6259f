// Seeded runs of everything the broker can do, against the reference model. A failure tells the seed and the turn;
// `npm run simulate` runs one seed again, or new ones for ever.

import { describe, expect, it } from 'vitest';
import { countFor, IS_THOROUGH } from '../support/thorough.js';
import { BROKEN_BROKERS } from './broken-brokers.js';
import { simulateBroker } from './simulate-broker.js';
import { simulateEngine } from './simulate-engine.js';
import { SimulationFailure } from './simulation-failure.js';
import { MUST_HAPPEN, MUST_HAPPEN_AROUND_THE_ENGINE, MUST_HAPPEN_WITH_SELECTORS, Tally } from './tally.js';

/**
 * `npm test` tries these alone, in which each transition happens: of the remembered ones, of those with fan-outs in pieces, and of those
 * in which receivers have selectors.
 */
const SHORT_SEEDS = {
  remembered: [148, 5_000_499],
  inPieces: [6, 8, 12, 16, 18, 26],
  selecting: [12, 13, 23],
};
/** `npm run simulate` runs as many more as one likes. */
const BROKER_SEEDS = 100;
/** They meet what the others do not, such as a list of sessions that is too long for an answer. */
const RARE_SEEDS = [30, 32, 34, 47, 56, 66, 97, 98, 128, 148, 232, 252, 399];
/** A reset discards what due work of the same turn has delivered. */
const RESET_SEEDS = [1819, 2064, 2134];
/** They end at a full turn: forwarded copies come round to their own topic, and messages expire in many partitions. */
const FULL_TURN_SEEDS = [4134, 606_539_372];
/** Idle entities are deleted while messages expire in them, and while rows of others wait for their removal. */
const IDLE_SEEDS = [5_000_328, 5_000_499];
/** A message is forwarded in the turn whose command then ends the forwarding. */
const LAST_FORWARD_SEED = 7_000_022;
/** A transfer expires that filled the queue to which others are forwarded in the same turn. */
const EXPIRING_TRANSFER_SEED = 7_000_087;
/** A purge comes between two operations of a transaction that set the state of one session. */
const PURGED_STATE_SEED = 9_300_379;
/** With this, remembered seeds do what they did before fan-outs went on in pieces and receivers had selectors. */
const AS_BEFORE = { maxFanOutCost: 20_000, hasSelectors: false };
const SELECTING_SEEDS = 40;
const ENGINE_SEEDS = countFor(5, 80);
/** A link is closed while a delivery to it is being written. */
const CLOSED_LINK_SEED = 26;
/** A client would enlist a lock token that its link was never given, if it learnt tokens before they are written. */
const UNWRITTEN_TOKEN_SEED = 2002;
/** The power fails while a batch is synced by a thread and the table is written that has its rows. */
const ROWS_AHEAD_OF_THE_LOG_SEEDS = [241, 400];
const SEEDS_TO_FIND_A_FLAW = 100;
/** `npm test` tries each third of the broken brokers. */
const TRIED_BROKERS = BROKEN_BROKERS.filter((_, index) => index % countFor(3, 1) === 0);
/** Seeds that find at once what the first seeds do not. They only save time: all the others are tried after them. */
const TELLING_SEEDS: Readonly<Record<string, number>> = {
  'believes any claim': 29,
  'changes what is only to be created': 26,
  'clears the state of a session with the messages': 54,
  'commits what is to be rolled back': 18,
  'completes what is deferred': 6,
  'counts a release': 6,
  'counts what was out when a session is given up': 12,
  'deletes as many messages as one wants': 12,
  'does not count an abandon': 6,
  'does not say that a session is lost': 3,
  'creates what is only to be changed': 4,
  'does not say from which dead-letter queue a message comes': 60,
  'forgets in a restart how far a message has come': 58,
  'forgets in a restart what it does not understand': 21,
  'forgets in a restart which contents are shared': 10,
  'forgets in a restart which copies are made': 4,
  'forgets in a restart who may do what': 5,
  'forgets message-ids in a restart': 12,
  'forgets session states in a restart': 32,
  'forgets why a message was dead-lettered': 13,
  'frees the locks of a receiver that keeps them': 2,
  'gives a changed rule another time': 8,
  'gives a new subscription no rule': 4,
  'keeps a session for one who waits no more': 24,
  'keeps locks when it is to free them': 2,
  'keeps what it has forwarded': 42,
  'leaves an old rule in the journal when rules are set': 7,
  'leaves out of a list what was listed before it': 7,
  'leaves pinned what was rolled back': 9,
  'leaves shared contents in the journal': 2,
  'lets a message that a selector skips hold up those behind it': 13,
  'lets a lock run out while it is enlisted': 5,
  'lets messages expire when nobody listens': 5,
  'lets messages live as long as the queue says': 6,
  'lets the messages of a session expire one by one': 11,
  'lets two hold one session': 20,
  'lists rules backwards': 24,
  'lists sessions backwards': 37,
  'looks for the destination of a transfer that was checked before': 3,
  'loses in a restart what waits for another entity': 26,
  'never looks again at a message that comes back to a selector': 13,
  'purges the dead letters with the queue': 16,
  'serves first who has come last': 29,
  'shows a rule that is not there': 7,
  'shows all messages where those of one session are asked for': 6,
  'shows as many messages as one wants': 6,
  'shows in a list what it has counted before': 35,
  'shows the latest message first': 19,
  'takes a message of which a selector does not know whether it is meant': 13,
  'takes any number of messages in a transaction': 5,
  'takes ids of any length': 17,
  'takes operations on any entity': 2,
  'takes session ids for the same that differ in case': 19,
};
/** For machines that have much else to do. */
const PATIENCE_MS = 600_000;

describe('the simulation', () => {
  it(
    'finds the broker doing what the rules say, also across crashes [M1, M2, M3, M4, M5, M6, M7, M8, M9, M10, M11, ' +
      'M12, M13, M14, M15, M16, M17, M18, M19, M20, M21, M22, M23, M24, M25, M26, M27, M28, M29, M30, M31, M32, ' +
      'M33, M34, M35, M36, M37, M38, M39, JMS-36, JMS-82, JMS-83, ' +
      'X1, X2, X3, X4, X5, X6, X7, X8, X9, X10, X11, X12, X13, X14, X15, X16, X17, X18]',
    () => {
      const tally = new Tally();
      const all = new Set([
        ...RARE_SEEDS,
        ...RESET_SEEDS,
        ...FULL_TURN_SEEDS,
        ...IDLE_SEEDS,
        LAST_FORWARD_SEED,
        EXPIRING_TRANSFER_SEED,
        PURGED_STATE_SEED,
      ]);
      const { remembered, inPieces, selecting } = IS_THOROUGH
        ? {
            remembered: all,
            inPieces: countTo(BROKER_SEEDS),
            selecting: countTo(SELECTING_SEEDS),
          }
        : SHORT_SEEDS;
      for (const seed of inPieces) tally.add(simulateBroker({ seed, turns: 1000 }));
      for (const seed of remembered) tally.add(simulateBroker({ seed, turns: 1000, ...AS_BEFORE }));
      for (const seed of selecting) tally.add(simulateBroker({ seed, turns: 1000, hasSelectors: true }));
      expect(tally.seen()).toEqual(expect.arrayContaining([...MUST_HAPPEN_WITH_SELECTORS]));
      expect(transitionsIn(tally.seen())).toEqual(expect.arrayContaining(transitionsIn(MUST_HAPPEN)));
      if (IS_THOROUGH) expect(tally.seen()).toEqual(expect.arrayContaining([...MUST_HAPPEN]));
    },
    PATIENCE_MS,
  );

  it(
    'finds the engine telling only what is durable, and a crash at any write losing nothing that was told',
    async () => {
      const tally = new Tally();
      const all = [CLOSED_LINK_SEED, UNWRITTEN_TOKEN_SEED, ...ROWS_AHEAD_OF_THE_LOG_SEEDS];
      const remembered = all.slice(0, countFor(1, all.length));
      for (const seed of countTo(ENGINE_SEEDS)) tally.add(await simulateEngine({ seed, turns: 300 }));
      for (const seed of remembered) tally.add(await simulateEngine({ seed, turns: 300, ...AS_BEFORE }));
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

  it.each(TRIED_BROKERS)('finds out a broker that %s', (flaw, makeBroker) => {
    const telling = TELLING_SEEDS[flaw] ?? 1;
    expect(() => {
      simulateBroker({ seed: telling, turns: 1000, ...AS_BEFORE, makeBroker });
      for (const seed of [telling, ...countTo(SEEDS_TO_FIND_A_FLAW)]) {
        simulateBroker({ seed, turns: 1000, makeBroker });
      }
    }).toThrow(SimulationFailure);
  });
});

/** The numbers of the transitions, such as M14 and X3. */
function transitionsIn(happened: readonly string[]): string[] {
  return [...new Set(happened.flatMap((what) => what.match(/\b[MX]\d+\b/g) ?? []))];
}

function countTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}
