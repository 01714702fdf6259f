// Kills the built product with SIGKILL, over and over on one data directory: under load, at its start, and while it stops. What clients
// were told must be there in the end.

import { setTimeout as delay } from 'node:timers/promises';
import { Jitney } from '../../compat-tests/support/jitney.js';
import { Ledger } from '../../compat-tests/support/ledger.js';
import { drainQueue, runLoad } from '../../compat-tests/support/load.js';
import { type Random, seededRandom } from '../../compat-tests/support/seeded-random.js';
import { temporaryDirectory } from '../../compat-tests/support/temporary-directory.js';
import type { TrialOptions } from './run.js';

const LOCK_MS = 5000;
const QUEUE = 'ledger';
const QUEUE_SPEC = `${QUEUE}?lockDuration=PT5S&maxDeliveryCount=10000`;
const REPORTED_ROUNDS = 20;
const LONGEST_START_MS = 300;
const LONGEST_LOAD_MS = 1200;
/** After so many rounds everything that is left is received and compared. */
const COMPARED_ROUNDS = 100;

type Trial = {
  readonly directory: string;
  readonly ledger: Ledger;
  readonly random: Random;
};

/** Returns the number of violations. */
export async function runKills({ rounds = 300, seed }: TrialOptions): Promise<number> {
  await using directory = await temporaryDirectory();
  const random = seededRandom(seed);
  let trial: Trial = { directory: directory.path, ledger: new Ledger(LOCK_MS - 500), random };
  let violations = 0;
  for (let round = 1; round <= rounds; round++) {
    await killOnce(trial, round);
    const isCompared = round % COMPARED_ROUNDS === 0 || round === rounds;
    if (isCompared) await compare(trial);
    for (const problem of trial.ledger.problems.splice(0)) {
      violations += 1;
      console.log(`round ${round}, seed ${seed}: ${problem}`);
    }
    if (round % REPORTED_ROUNDS === 0 || isCompared) {
      const { acceptedCount, completedCount } = trial.ledger;
      console.log(
        `${round} of ${rounds} rounds: ${acceptedCount} accepted, ${completedCount} completed, ${violations} violations`,
      );
    }
    // Everything was received: the next rounds begin with an empty queue.
    if (isCompared) trial = { ...trial, ledger: new Ledger(LOCK_MS - 500) };
  }
  return violations;
}

async function killOnce(trial: Trial, round: number): Promise<void> {
  const { directory, ledger, random } = trial;
  const durability = random.chance(0.3) ? ['--durability', 'fsync'] : [];
  const options = { queues: [QUEUE_SPEC], dataDirectory: directory, extraArguments: durability };
  if (random.chance(0.3)) return Jitney.killAtStart(options, random.between(0, LONGEST_START_MS));
  const jitney = await Jitney.start(options);
  const load = runLoad({ ...jitney.address, queue: QUEUE, ledger, random, name: `${round}` });
  await delay(random.between(0, LONGEST_LOAD_MS));
  if (random.chance(0.2)) {
    jitney.process.signal('SIGTERM');
    await delay(random.between(0, 100));
  }
  await jitney.killNine();
  await load;
  ledger.crashed();
}

async function compare({ directory, ledger }: Trial): Promise<void> {
  await using jitney = await Jitney.start({ queues: [QUEUE_SPEC], dataDirectory: directory });
  ledger.compare(await drainQueue({ ...jitney.address, queue: QUEUE, quietMs: LOCK_MS + 1000 }));
}
