// Attacks on a start: a data directory that leads elsewhere, and a first start that a power cut ended. Nobody works beside them.

import { execFile } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Random } from '../../compat-tests/support/seeded-random.js';
import { temporaryDirectory } from '../bench/brokers.js';
import { JITNEY } from '../bench/built-programs.js';
import { Child } from '../bench/child.js';
import { oneOf, type Told } from './attack.js';

export type StartAttack = { readonly about: string; run(random: Random): Promise<Told> };

const READY = 'Successfully Up';
const REFUSED = 'JIT4007';
const START_LIMIT_MS = 10_000;
const MINE = 'a file of the user';
const LINKED_STARTS = 6;
const FIRST_STARTS = 10;

const startArguments = (data: string) => ['start', '--data', data, '--port', '0', '--http-port', 'off'];

/** A project comes with a link where the emulator writes: the file behind it stays as it is. */
async function links(random: Random): Promise<Told> {
  const problems: string[] = [];
  for (let count = 0; count < LINKED_STARTS; count++) {
    const project = temporaryDirectory();
    const mine = join(project, 'mine');
    writeFileSync(mine, MINE);
    const name = oneOf(
      random,
      ...([
        'clock.json',
        'clock.json.new',
        'journal',
        'journal/CURRENT',
        'journal/LOCK',
        'journal/segments',
      ] as const),
      `journal/00000${random.integer(1, 9)}.dbtmp`,
      `journal/segments/0000000${random.integer(1, 9)}.segment`,
    );
    const link = join(project, '.jitney', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(random.chance(0.2) ? join(project, 'missing') : mine, link);
    const output = await outputOf([...startArguments(join(project, '.jitney')), '--clock', 'virtual']);
    if (!output.includes(REFUSED))
      problems.push(`a link at ${name} was not refused: ${output.slice(0, 200)}`);
    if (readFileSync(mine, 'utf8') !== MINE || readdirSync(project).length > 2)
      problems.push(`a link at ${name} was followed`);
    rmSync(project, { recursive: true, force: true });
  }
  return { text: `${LINKED_STARTS} data directories with a link`, problems };
}

/** What a program printed that has ended, or has run for a while. */
async function outputOf(programArguments: readonly string[]): Promise<string> {
  const running = promisify(execFile)(process.execPath, [JITNEY, ...programArguments], {
    timeout: START_LIMIT_MS,
  });
  const { stdout, stderr }: { stdout: string; stderr: string } = await running.catch((error) => error);
  return stdout + stderr;
}

/** The power fails during a first start: nothing was accepted yet, so that the next one begins with nothing, however torn the files are. */
async function firstStarts(random: Random): Promise<Told> {
  const problems: string[] = [];
  let tornCount = 0;
  for (let count = 0; count < FIRST_STARTS; count++) {
    const data = join(temporaryDirectory(), 'made', 'new');
    const options = [...startArguments(data), '--durability', 'fsync', '--queue', 'orders'];
    const first = new Child(JITNEY, { programArguments: options, isAsked: false });
    while (manifestIn(data) === undefined) await sleep(1);
    await sleep(random.integer(0, 20));
    await first.kill();
    if (!hasStored(data)) tornCount += tearManifest(random, data);
    const second = new Child(JITNEY, { programArguments: options, isAsked: false });
    await second.printed(READY).catch((error: Error) => problems.push(error.message));
    await second.kill();
    rmSync(dirname(dirname(data)), { recursive: true, force: true });
  }
  return { text: `${FIRST_STARTS} first starts were ended, the files of ${tornCount} torn`, problems };
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // it is not made yet
  }
}

function manifestIn(data: string): string | undefined {
  return filesIn(join(data, 'journal')).find((name) => name.startsWith('MANIFEST-'));
}

function hasStored(data: string): boolean {
  const segments = join(data, 'journal', 'segments');
  return filesIn(segments).some((name) => statSync(join(segments, name)).size > 0);
}

/** The count of files that it has torn. */
function tearManifest(random: Random, data: string): number {
  const path = join(data, 'journal', manifestIn(data) ?? '');
  truncateSync(path, random.integer(0, statSync(path).size - 1));
  return 1;
}

export const START_ATTACKS: Readonly<Record<string, StartAttack>> = {
  links: { about: 'a data directory with a link in it', run: links },
  'first-start': { about: 'a first start that a power cut ends', run: firstStarts },
};
