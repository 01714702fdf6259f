// Kills the built product with SIGKILL, over and over on one data directory: under load, at its start, and while it stops. What clients
// were told must be there in the end. With `--namespaces N`, each of N namespaces is under a load of its own, and must have nothing of another.

import { setTimeout as delay } from 'node:timers/promises';
import { Jitney, type JitneyOptions } from '../../compat-tests/support/jitney.js';
import { Ledger } from '../../compat-tests/support/ledger.js';
import { drainQueue, runLoad } from '../../compat-tests/support/load.js';
import { LAST_LIMIT_MS } from '../../compat-tests/support/running-process.js';
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

/** A load on one namespace, with its account of it. The id of each of its messages begins with its user, so one that has strayed is not in another account. */
type Crowd = { readonly user: string; readonly ledger: Ledger };

type Trial = {
  readonly directory: string;
  readonly namespaces: readonly string[];
  readonly crowds: readonly Crowd[];
  readonly random: Random;
};

/** Returns the number of violations. */
export async function runKills({ rounds = 300, seed, namespaceCount }: TrialOptions): Promise<number> {
  await using directory = await temporaryDirectory();
  const random = seededRandom(seed);
  const namespaces = Array.from({ length: namespaceCount }, (_, index) => `tests-${index + 1}`);
  let trial: Trial = { directory: directory.path, namespaces, crowds: newCrowds(namespaces), random };
  let violations = 0;
  for (let round = 1; round <= rounds; round++) {
    await killOnce(trial, round);
    const isCompared = round % COMPARED_ROUNDS === 0 || round === rounds;
    if (isCompared) await compare(trial);
    for (const { user, ledger } of trial.crowds) {
      for (const problem of ledger.problems.splice(0)) {
        violations += 1;
        console.log(`round ${round}, seed ${seed}, ${user}: ${problem}`);
      }
    }
    if (round % REPORTED_ROUNDS === 0 || isCompared) {
      const counts = trial.crowds.map(
        ({ user, ledger }) => `${user} ${ledger.acceptedCount} accepted, ${ledger.completedCount} completed`,
      );
      console.log(`${round} of ${rounds} rounds: ${counts.join('; ')}; ${violations} violations`);
    }
    // Everything was received: the next rounds begin with empty queues.
    if (isCompared) trial = { ...trial, crowds: newCrowds(namespaces) };
  }
  return violations;
}

/** One for each namespace; without any, one for the namespace that is always there. */
function newCrowds(namespaces: readonly string[]): readonly Crowd[] {
  const users = namespaces.length === 0 ? ['crowd'] : namespaces.map((name) => `crowd@${name}`);
  return users.map((user) => ({ user, ledger: new Ledger(LOCK_MS - 500) }));
}

async function killOnce({ directory, namespaces, crowds, random }: Trial, round: number): Promise<void> {
  const durability = random.chance(0.3) ? ['--durability', 'fsync'] : [];
  const options = optionsOf({ directory, namespaces }, durability);
  if (random.chance(0.3)) return Jitney.killAtStart(options, random.between(0, LONGEST_START_MS));
  const jitney = await Jitney.start(options);
  const counts = crowds.map(({ ledger }) => ledger.acceptedCount);
  const loads = crowds.map(({ user, ledger }) =>
    runLoad({ ...jitney.address, user, queue: QUEUE, ledger, random, name: `${user} ${round}` }),
  );
  await delay(random.between(0, LONGEST_LOAD_MS));
  await Promise.all(crowds.map(({ ledger }, index) => untilAccepted(ledger, counts[index] ?? 0)));
  if (random.chance(0.2)) {
    jitney.process.signal('SIGTERM');
    await delay(random.between(0, 100));
  }
  await jitney.killNine();
  await Promise.all(loads);
  for (const { ledger } of crowds) ledger.crashed();
}

/** A busy machine may need longer for a load that is one. */
async function untilAccepted(ledger: Ledger, countBefore: number): Promise<void> {
  const deadline = Date.now() + LAST_LIMIT_MS;
  while (ledger.acceptedCount === countBefore) {
    if (Date.now() > deadline) return void ledger.problems.push('no message was accepted in time');
    await delay(10);
  }
}

async function compare({ directory, namespaces, crowds }: Trial): Promise<void> {
  await using jitney = await Jitney.start(optionsOf({ directory, namespaces }));
  const drained = crowds.map(async ({ user, ledger }) =>
    ledger.compare(await drainQueue({ ...jitney.address, user, queue: QUEUE, quietMs: LOCK_MS + 1000 })),
  );
  await Promise.all(drained);
}

function optionsOf(
  { directory, namespaces }: Pick<Trial, 'directory' | 'namespaces'>,
  further: readonly string[] = [],
): JitneyOptions {
  const named = namespaces.length === 0 ? [] : ['--namespaces', namespaces.join(',')];
  return { queues: [QUEUE_SPEC], dataDirectory: directory, extraArguments: [...named, ...further] };
}
