// Crash safety: what was accepted is there after `kill -9`, what was completed stays gone, and nothing comes twice.

import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { countFor } from '../test/support/thorough.js';
import { Jitney } from './support/jitney.js';
import { Ledger } from './support/ledger.js';
import { drainQueue, runLoad } from './support/load.js';
import { seededRandom } from './support/seeded-random.js';
import { connect, takeAll } from './support/service-bus.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const ROUND_COUNT = countFor(2, 20);
const SHORTEST_ROUND_MS = 300;
const LONGEST_ROUND_MS = 1000;
const ROUND_MESSAGES = 10;
const LOCK_MS = 2000;
/** Forgetful receivers and the crash itself use up deliveries; none of it may end in the dead-letter queue. */
const QUEUE = 'ledger';
const QUEUE_SPEC = `${QUEUE}?lockDuration=PT2S&maxDeliveryCount=1000`;

test('after kill -9 under load, again and again, the queue holds exactly what the clients were promised [SND-01, LNK-06]', async () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  const random = seededRandom(seed);
  const ledger = new Ledger(LOCK_MS - 500);
  await using directory = await temporaryDirectory();
  const start = () => Jitney.start({ queues: [QUEUE_SPEC], dataDirectory: directory.path });
  const expectNoProblem = (when: string) =>
    expect(ledger.problems.slice(0, 10), `${when}; repeat with SEED=${seed}`).toEqual([]);

  for (let round = 1; round <= ROUND_COUNT; round++) {
    const jitney = await start();
    const load = runLoad({ ...jitney.address, queue: QUEUE, ledger, random, name: `${round}` });
    await delay(random.between(SHORTEST_ROUND_MS, LONGEST_ROUND_MS));
    // A busy machine may need longer for a load that is one.
    while (Math.min(ledger.acceptedCount, ledger.completedCount) <= round * ROUND_MESSAGES) await delay(50);
    await jitney.killNine();
    await load;
    ledger.crashed();
    expectNoProblem(`round ${round}`);
  }

  await using jitney = await start();
  const remaining = await drainQueue({ ...jitney.address, queue: QUEUE, quietMs: LOCK_MS + 1000 });
  ledger.compare(remaining);
  expectNoProblem(`at the end, with ${remaining.length} messages left`);
  await using client = connect(jitney.connectionString);
  expect(await takeAll(client, QUEUE, 'deadLetter')).toEqual([]);
});
