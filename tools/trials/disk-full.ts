// Fills the disk of the built product under load, makes room again, and compares: what clients were told is there. Linux only: a small
// file system in memory is mounted, which needs root.

import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Jitney } from '../../compat-tests/support/jitney.js';
import { Ledger } from '../../compat-tests/support/ledger.js';
import { drainQueue, runLoad } from '../../compat-tests/support/load.js';
import { type Random, seededRandom } from '../../compat-tests/support/seeded-random.js';
import type { TrialOptions } from './run.js';

const DISK = '96m';
const LOCK_MS = 5000;
const QUEUE = 'ledger';
const QUEUE_SPEC = `${QUEUE}?lockDuration=PT5S&maxDeliveryCount=10000`;
const PIECE = Buffer.alloc(64 * 1024, 1);
const LONGEST_LOAD_MS = 1500;
const FULL_MS = 2000;
const END_LIMIT_MS = 15_000;

/** Returns the number of violations. */
export async function runDiskFull({ rounds = 20, seed }: TrialOptions): Promise<number> {
  const random = seededRandom(seed);
  let violations = 0;
  for (let round = 1; round <= rounds; round++) {
    const folder = mkdtempSync(join(tmpdir(), 'jitney-full-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', folder]);
    try {
      const { problems, seen } = await fillOnce(folder, random, round);
      console.log(`round ${round} of ${rounds}: ${seen}`);
      for (const problem of problems) console.log(`round ${round}, seed ${seed}: ${problem}`);
      violations += problems.length;
    } finally {
      execFileSync('umount', [folder]);
      rmdirSync(folder);
    }
  }
  console.log(`seed ${seed}: ${rounds} rounds, ${violations} violations`);
  return violations;
}

async function fillOnce(
  folder: string,
  random: Random,
  round: number,
): Promise<{ problems: readonly string[]; seen: string }> {
  const ledger = new Ledger(LOCK_MS - 500);
  const durability = random.chance(0.5) ? 'os' : 'fsync';
  const options = {
    queues: [QUEUE_SPEC],
    dataDirectory: join(folder, 'data'),
    extraArguments: ['--durability', durability],
  };
  const jitney = await Jitney.start(options);
  const load = runLoad({ ...jitney.address, queue: QUEUE, ledger, random, name: `${round}` });
  await delay(random.between(200, LONGEST_LOAD_MS));
  const ballast = join(folder, 'ballast');
  fill(ballast);
  const before = { accepted: ledger.acceptedCount, completed: ledger.completedCount };
  // The load fills what the emulator frees: so does whoever filled the disk.
  for (let waited = 0; waited < FULL_MS && jitney.process.isRunning; waited += 100) {
    await delay(100);
    fill(ballast);
  }
  const accepted = ledger.acceptedCount - before.accepted;
  const completed = ledger.completedCount - before.completed;
  const isUp = jitney.process.isRunning;
  const filledMb = Math.round(statSync(ballast).size / 1e6);
  rmSync(ballast);
  if (isUp) {
    await delay(500);
    jitney.process.signal('SIGTERM');
  }
  const exit = await jitney.process.endedWithin(END_LIMIT_MS);
  await load;
  ledger.crashed();
  const afterwards = await Jitney.start(options);
  ledger.compare(await drainQueue({ ...afterwards.address, queue: QUEUE, quietMs: LOCK_MS + 1000 }));
  await afterwards.stop();
  const error = jitney.process.stderr.split('\n').find((line) => line.includes('JIT'));
  const end = isUp ? 'goes on' : `ended with ${exit?.code}`;
  return {
    // A send that is refused while the disk is full is no violation.
    problems: ledger.problems.filter((problem) => !problem.endsWith('was rejected')),
    seen: `${durability}, ballast of ${filledMb} MB; while full it accepted ${accepted} and completed ${completed} messages, and ${end}: ${error ?? 'no error'}`,
  };
}

/** Appends until there is no room. */
function fill(path: string): void {
  const file = openSync(path, 'a');
  try {
    for (let length = PIECE.length; length >= 1; ) {
      try {
        writeSync(file, PIECE, 0, length);
      } catch {
        length = Math.floor(length / 4);
      }
    }
  } finally {
    closeSync(file);
  }
}
