// Damages one file of a journal at random, and compares what a check says, what a repair saves and what a start does: everything is as
// it was, or the damage is told.

import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Random, seededRandom } from '../../compat-tests/support/seeded-random.js';
import {
  contradictionOf,
  type Original,
  type Outcome,
  tryCheck,
  tryStart,
} from '../../test/support/damaged-journal.js';
import { writeHistory } from '../../test/support/history-journal.js';

/** LevelDB's lock and diary hold nothing that a start needs. */
const WITHOUT_DATA = /^(LOCK|LOG|LOG\.old)$/;
const MAX_ZEROED = 5000;
const MAX_MOVED = 40;

type KeptOriginal = Original & { readonly name: string; readonly directory: string };

export type DamageTrial = {
  readonly description: string;
  readonly outcome: Outcome;
  readonly problem?: string;
};

/** Journals to damage. Several trials take copies of one. */
export class DamageTrials {
  readonly #folder = mkdtempSync(join(tmpdir(), 'jitney-damage-'));
  readonly #random: Random;
  readonly #originals: KeptOriginal[] = [];

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** Writes the journals: one that was stopped, and one whose process was killed. */
  async prepare(seed: number): Promise<void> {
    const stopped = join(this.#folder, 'stopped');
    const killed = join(this.#folder, 'killed');
    const first = await writeHistory(stopped, { seed, runs: 3 });
    this.#originals.push({ name: 'stopped', directory: stopped, history: first, isClean: true });
    const second = await writeHistory(join(this.#folder, 'running'), { seed: seed + 1, runs: 2, killed });
    this.#originals.push({ name: 'killed', directory: killed, history: second, isClean: false });
  }

  async run(): Promise<DamageTrial> {
    const original = this.#pick(this.#originals);
    const directory = join(this.#folder, 'trial');
    cpSync(original.directory, directory, { recursive: true });
    try {
      const { what, isLostEnd } = this.#damage(directory);
      const description = `${original.name}: ${what}`;
      // A start may change the files, and a check does not.
      const checked = await tryCheck(directory, original);
      const started = await tryStart(directory, original, { isLostEnd });
      const problem = started.problem ?? checked.problem ?? contradictionOf(checked, started);
      return { description, outcome: started.outcome, ...(problem !== undefined && { problem }) };
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Returns what was done; `isLostEnd` when the end of the last segment may be gone without a trace. */
  #damage(directory: string): { what: string; isLostEnd: boolean } {
    const names = filesIn(directory);
    const name = this.#pick(names);
    const path = join(directory, name);
    const bytes = readFileSync(path);
    const lastSegment = names.filter((one) => one.endsWith('.segment')).at(-1);
    const isLostEnd = name === lastSegment;
    const kind = this.#random.integer(1, 7);
    const at = this.#random.integer(0, Math.max(bytes.length - 1, 0));
    const where = `byte ${at} of ${name} (${bytes.length} bytes)`;
    if (kind === 1 && bytes.length > 0) {
      bytes[at] = (bytes[at] ?? 0) ^ (1 << this.#random.integer(0, 7));
      writeFileSync(path, bytes);
      return { what: `a bit of ${where} is flipped`, isLostEnd };
    }
    if (kind === 2 && bytes.length > 0) {
      truncateSync(path, at);
      return { what: `all from ${where} on is cut off`, isLostEnd };
    }
    if (kind === 3 && bytes.length > 0) {
      const count = this.#random.integer(1, MAX_ZEROED);
      writeFileSync(path, bytes.fill(0, at, Math.min(at + count, bytes.length)));
      return { what: `${count} bytes from ${where} on are zero`, isLostEnd };
    }
    if (kind === 4 || kind === 5) {
      const count = this.#random.integer(1, MAX_MOVED);
      const added = kind === 4 ? Uint8Array.from({ length: count }, () => this.#random.integer(0, 255)) : [];
      const rest = bytes.subarray(kind === 4 ? at : at + count);
      writeFileSync(path, Buffer.concat([bytes.subarray(0, at), Buffer.from(added), rest]));
      return {
        what: `${count} bytes are ${kind === 4 ? 'put in at' : 'taken out from'} ${where}`,
        isLostEnd,
      };
    }
    const alike = names.filter((one) => one !== name && kindOf(one) === kindOf(name));
    if (kind === 6 && alike.length > 0) {
      const other = this.#pick(alike);
      writeFileSync(path, readFileSync(join(directory, other)));
      writeFileSync(join(directory, other), bytes);
      return { what: `${name} and ${other} are swapped`, isLostEnd: isLostEnd || other === lastSegment };
    }
    rmSync(path);
    return { what: `${name} is removed`, isLostEnd };
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#random.integer(0, items.length - 1)] as Item;
  }
}

function filesIn(directory: string): string[] {
  const own = readdirSync(directory).filter((name) => name !== 'segments' && !WITHOUT_DATA.test(name));
  const folder = join(directory, 'segments');
  const segments = existsSync(folder) ? readdirSync(folder).map((name) => join('segments', name)) : [];
  return [...own.sort(), ...segments.sort()];
}

function kindOf(name: string): string {
  return name.replace(/\d+/g, '');
}
