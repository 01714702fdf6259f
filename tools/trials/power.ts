// Cuts the power of the built product with `--durability fsync`: records its calls under load, replays them on a disk in memory up to a
// moment, starts on what that disk may have then, and compares: what clients were told before that moment is there. Linux with strace.

import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Jitney } from '../../compat-tests/support/jitney.js';
import { type Delivered, Ledger } from '../../compat-tests/support/ledger.js';
import { drainQueue, runLoad } from '../../compat-tests/support/load.js';
import { type Random, seededRandom } from '../../compat-tests/support/seeded-random.js';
import { temporaryDirectory } from '../../compat-tests/support/temporary-directory.js';
import { JITNEY } from '../bench/built-programs.js';
import { type DiskState, PowerDisk } from './power-disk.js';
import type { TrialOptions } from './run.js';
import { readTrace, straceTo, type TraceEvent } from './trace.js';

const LOCK_MS = 5000;
const QUEUE = 'ledger';
const QUEUE_SPEC = `${QUEUE}?lockDuration=PT5S&maxDeliveryCount=10000`;
const CUTS_PER_RECORDING = 10;
/** Starts on one data directory. The first of them makes it. */
const RUNS_PER_DIRECTORY = 8;
const LOAD_MS = 700;
/** No lock outlives a power cut, so a message comes at once; on a busy machine it may take several tries. */
const QUIET_MS = 500;
const MOST_DRAINS = 20;
const REPORTED_PROBLEMS = 5;
const KEPT = 'jitney-power-cuts';

/** What the client told the ledger, and when, in microseconds after 1970. */
type Note = { readonly at: number; tell(ledger: Ledger): void };

/** One data directory, with everything that happened to it since it was made. */
class History {
  /** The only folder that the disk has from the beginning. */
  readonly root: string;
  readonly disk: PowerDisk;
  readonly ledger = new Ledger(LOCK_MS - 500);
  readonly #notes: Note[] = [];
  readonly #options: ReturnType<typeof optionsOf>;
  #isKilled = false;
  runCount = 0;

  constructor(root: string, durability: string) {
    mkdirSync(root);
    this.root = root;
    this.disk = new PowerDisk(root);
    this.#options = optionsOf(root, durability);
  }

  /** Runs the emulator once more, and returns its calls. */
  async run(random: Random, { hasLoad }: { readonly hasLoad: boolean }): Promise<readonly TraceEvent[]> {
    const trace = `${this.root}.trace`;
    const jitney = await Jitney.start({ ...this.#options, under: straceTo(trace) });
    const ledger = noting(this.ledger, this.#notes);
    const target = { ...jitney.address, queue: QUEUE, name: `${this.runCount}` };
    const load = hasLoad ? runLoad({ ...target, ledger, random }) : undefined;
    if (hasLoad) await delay(random.between(LOAD_MS, 2 * LOAD_MS));
    this.#isKilled = random.chance(0.5);
    if (this.#isKilled) await jitney.killNine();
    else await jitney.stop();
    await load;
    ledger.crashed();
    this.runCount += 1;
    return readTrace(readFileSync(trace, 'latin1'), this.root);
  }

  /** What the client had been told before a moment, at which the power was cut. */
  ledgerBefore(at: number): Ledger {
    const ledger = new Ledger(LOCK_MS - 500);
    for (const note of this.#notes) if (note.at < at) note.tell(ledger);
    ledger.problems.splice(0); // these are the recording's own
    ledger.crashed();
    return ledger;
  }

  /** Whether the replay ends with the files that are there. Without a kill it must: a call that a kill cuts short may have had its effect. */
  get isReplayed(): boolean {
    const isSame = this.#isSame();
    assert(isSame || this.#isKilled, 'the replay of all calls ends with other files than are there');
    return isSame;
  }

  #isSame(): boolean {
    const paths = readdirSync(this.root, { recursive: true }).map((path) => join(this.root, String(path)));
    const replayed = this.disk.whole;
    const isThere = (path: string): boolean | undefined => {
      const content = replayed.get(path);
      return content === 'folder' ? statSync(path).isDirectory() : content?.equals(readFileSync(path));
    };
    return replayed.size === paths.length + 1 && paths.every(isThere);
  }
}

/** Returns the number of violations. */
export async function runPowerCuts({
  rounds = 60,
  seed,
  durability = 'fsync',
}: TrialOptions): Promise<number> {
  if (spawnSync('strace', ['-o', '/dev/null', 'true']).status !== 0) {
    console.error('Power cuts need Linux and strace, which is not installed here or may not trace.');
    process.exit(2);
  }
  await using folder = await temporaryDirectory();
  const random = seededRandom(seed);
  const all: string[] = [];
  let history = new History(join(folder.path, 'disk-0'), durability);
  for (let round = 0; round < rounds; ) {
    const events = await history.run(random, { hasLoad: true });
    const problems = history.ledger.problems.splice(0);
    const moments = momentsIn(events, Math.min(CUTS_PER_RECORDING, rounds - round), random);
    for (const [index, event] of events.entries()) {
      history.disk.note(event);
      for (const _ of moments.filter((moment) => moment === index)) {
        round += 1;
        const ledger = history.ledgerBefore(events[index + 1]?.at ?? Number.POSITIVE_INFINITY);
        const state = history.disk.cut(random);
        const write = (to: string) => writeState(state, history.root, to);
        problems.push(...(await startOn(write, { ledger, durability, folder: join(folder.path, 'cut') })));
        if (problems.length > 0) report(problems, write, { round, seed });
        all.push(...problems.splice(0));
      }
    }
    console.log(`${round} of ${rounds} power cuts, ${all.length} violations`);
    if (round < rounds && !(await canGoOn(history, random))) {
      history = new History(join(folder.path, `disk-${round}`), durability);
    }
  }
  const [lost, returned, refused] = [/^\S+ is lost:/, /after its completion/, /^the start is refused/].map(
    (pattern) => all.filter((problem) => pattern.test(problem)).length,
  ) as [number, number, number];
  const others = all.length - lost - returned - refused;
  console.log(
    `seed ${seed}: ${rounds} power cuts: ${lost} lost, ${returned} came back, ${refused} refused, ${others} otherwise wrong`,
  );
  return all.length;
}

/** Restarts the emulator up to twice. Returns false when another directory must be used. */
async function canGoOn(history: History, random: Random): Promise<boolean> {
  history.disk.processEnded();
  for (let count = random.integer(0, 2); count > 0 && history.isReplayed; count--) {
    for (const event of await history.run(random, { hasLoad: false })) history.disk.note(event);
    history.disk.processEnded();
  }
  if (history.isReplayed) return history.runCount < RUNS_PER_DIRECTORY;
  console.log(
    'The kill cut a call short that had an effect all the same: another directory is used from here on',
  );
  return false;
}

/** The events after which the power is cut: any, after a sync, between a write and its sync, or after a change of names. */
function momentsIn(events: readonly TraceEvent[], count: number, random: Random): readonly number[] {
  const kinds = [/./, /sync/, /write|truncate/, /open|mkdir|rename|unlink/];
  const ends = kinds.map((kind) =>
    [...events.entries()].flatMap(([index, event]) =>
      event.kind === 'end' && kind.test(event.call.name) ? [index] : [],
    ),
  );
  return Array.from({ length: count }, () => {
    const indexes = ends[random.integer(0, ends.length - 1)] ?? [];
    return indexes[random.integer(0, indexes.length - 1)] ?? 0;
  });
}

type Start = { readonly ledger: Ledger; readonly durability: string; readonly folder: string };

/** Checks and starts what the disk has, and returns what is wrong. */
async function startOn(
  write: (to: string) => void,
  { ledger, durability, folder }: Start,
): Promise<readonly string[]> {
  write(folder);
  const options = optionsOf(folder, durability);
  const { messageCount = 0, ...checked } = check(options.dataDirectory);
  const problems = checked.problem === undefined ? [] : [checked.problem];
  try {
    await using jitney = await Jitney.start(options);
    const drained: Delivered[] = [];
    for (let count = 0; count === 0 || (count < MOST_DRAINS && drained.length < messageCount); count++) {
      drained.push(...(await drainQueue({ ...jitney.address, queue: QUEUE, quietMs: QUIET_MS })));
    }
    ledger.compare(drained);
    problems.push(...ledger.problems);
  } catch (error) {
    problems.push(`the start is refused: ${String(error)}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
  return problems;
}

/** `messageCount`: undefined for a directory without a journal, in which a start makes one. */
function check(dataDirectory: string): { readonly messageCount?: number; readonly problem?: string } {
  const words = [JITNEY, 'check', dataDirectory, '--json'];
  const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  if (/no journal in it|ENOENT/.test(stderr)) return {};
  if (stdout === '') return { problem: `check: ${stderr}` };
  const { isIntact, damage, messageCount } = JSON.parse(stdout);
  return isIntact ? { messageCount } : { messageCount, problem: `check: ${damage.join('; ')}` };
}

function report(
  problems: readonly string[],
  write: (to: string) => void,
  { round, seed }: { readonly round: number; readonly seed: number },
): void {
  const where = `round ${round}, seed ${seed}`;
  for (const problem of problems.slice(0, REPORTED_PROBLEMS)) console.log(`${where}: ${problem}`);
  const more = problems.length - REPORTED_PROBLEMS;
  if (more > 0) console.log(`${where}: and ${more} more`);
  const kept = join(tmpdir(), `${KEPT}-${seed}-${round}`);
  rmSync(kept, { recursive: true, force: true });
  write(kept);
  console.log(`${where}: what the disk had is kept in ${kept}`);
}

function writeState(state: DiskState, root: string, to: string): void {
  for (const [path, content] of state) {
    const written = join(to, relative(root, path));
    if (content === 'folder') mkdirSync(written);
    else writeFileSync(written, content);
  }
}

function optionsOf(root: string, durability: string) {
  return {
    queues: [QUEUE_SPEC],
    dataDirectory: join(root, 'data'),
    extraArguments: ['--durability', durability],
  };
}

/** The ledger, which also notes what it is told. */
function noting(ledger: Ledger, notes: Note[]): Ledger {
  const now = preciseClock();
  return new Proxy(ledger, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...values: readonly unknown[]) => {
        notes.push({ at: now(), tell: (other) => void Reflect.apply(value, other, values) });
        return Reflect.apply(value, target, values);
      };
    },
  });
}

/** Microseconds after 1970, as strace counts them: `Date.now` would be up to 1 ms early. */
function preciseClock(): () => number {
  let offset = 0;
  for (const end = performance.now() + 5; performance.now() < end; ) {
    offset = Math.max(offset, Date.now() - performance.now());
  }
  return () => (offset + performance.now()) * 1000;
}
