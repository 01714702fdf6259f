// Damages one file of a journal at random, starts the journal, and compares: everything is as it was, or the damage was told.

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
import type { Journal } from '../../src/engine/ports.js';
import { openJournal } from '../../src/journal/open-journal.js';
import { readContents, writeHistory } from '../../test/support/history-journal.js';
import { digestOf, type MixedHistory, recoverRows } from '../../test/support/mixed-history.js';

/** LevelDB's lock and diary hold nothing that a start needs. */
const WITHOUT_DATA = /^(LOCK|LOG|LOG\.old)$/;

type Original = {
  readonly name: string;
  readonly directory: string;
  readonly history: MixedHistory;
  readonly isClean: boolean;
};

export type Outcome = 'unharmed' | 'told' | 'earlier';
export type DamageTrial = {
  readonly description: string;
  readonly outcome: Outcome;
  readonly problem?: string;
};

/** Journals to damage. Several trials take copies of one. */
export class DamageTrials {
  readonly #folder = mkdtempSync(join(tmpdir(), 'jitney-damage-'));
  readonly #random: Random;
  readonly #originals: Original[] = [];

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
      const result = await compare(directory, original, isLostEnd);
      return { description: `${original.name}: ${what}`, ...result };
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
    const isLast = name === lastSegment;
    const kind = this.#random.integer(1, 5);
    const at = this.#random.integer(0, Math.max(bytes.length - 1, 0));
    if (kind === 1 && bytes.length > 0) {
      bytes[at] = (bytes[at] ?? 0) ^ (1 << this.#random.integer(0, 7));
      writeFileSync(path, bytes);
      return { what: `a bit of byte ${at} of ${name} (${bytes.length} bytes) is flipped`, isLostEnd: isLast };
    }
    if (kind === 2 && bytes.length > 0) {
      truncateSync(path, at);
      return { what: `${name} is cut to ${at} of ${bytes.length} bytes`, isLostEnd: isLast };
    }
    if (kind === 3 && bytes.length > 0) {
      const end = Math.min(bytes.length, at + this.#random.integer(1, 5000));
      bytes.fill(0, at, end);
      writeFileSync(path, bytes);
      return { what: `bytes ${at} to ${end} of ${name} (${bytes.length} bytes) are zero`, isLostEnd: isLast };
    }
    const alike = names.filter((one) => one !== name && kindOf(one) === kindOf(name));
    if (kind === 4 && alike.length > 0) {
      const other = this.#pick(alike);
      writeFileSync(path, readFileSync(join(directory, other)));
      writeFileSync(join(directory, other), bytes);
      return { what: `${name} and ${other} are swapped`, isLostEnd: isLast || other === lastSegment };
    }
    rmSync(path);
    return { what: `${name} is removed`, isLostEnd: isLast };
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

type Compared = { readonly outcome: Outcome; readonly problem?: string };

async function compare(directory: string, original: Original, isLostEnd: boolean): Promise<Compared> {
  const warnings: string[] = [];
  let journal: Journal;
  try {
    journal = await openJournal({ directory, warn: (text) => warnings.push(text) });
  } catch (error) {
    return refused(error);
  }
  try {
    const rows = await recoverRows(journal);
    return await compareState(journal, rows, { original, warnings, isLostEnd });
  } catch (error) {
    return refused(error);
  } finally {
    await journal.close();
  }
}

/** A refusal is told damage; any other error is a fault. */
function refused(error: unknown): Compared {
  const isTold = error instanceof Error && error.name === 'JitneyError';
  return isTold ? { outcome: 'told' } : { outcome: 'told', problem: `a start throws ${String(error)}` };
}

async function compareState(
  journal: Journal,
  rows: ReadonlyMap<string, string>,
  { original, warnings, isLostEnd }: { original: Original; warnings: readonly string[]; isLostEnd: boolean },
): Promise<Compared> {
  const { history, isClean } = original;
  const found = history.digests.lastIndexOf(digestOf(rows));
  const isLatest = found === history.digests.length - 1;
  if (found < 0) return { outcome: 'told', problem: 'the rows are those of no batch' };
  if (!isLatest && (isClean || !isLostEnd)) {
    return {
      outcome: 'told',
      problem: `the rows are those of batch ${found} of ${history.digests.length - 1}`,
    };
  }
  const named = contentIdsIn(rows);
  const contents = await readContents(journal, named);
  let unreadableCount = 0;
  for (const [contentId, content] of contents) {
    if (content === undefined) unreadableCount += 1;
    else if (!isContent(history, contentId, content)) {
      return { outcome: 'told', problem: `content ${contentId} has other bytes` };
    }
  }
  if (!isLatest) return { outcome: 'earlier' };
  return { outcome: unreadableCount > 0 || warnings.length > 0 ? 'told' : 'unharmed' };
}

function contentIdsIn(rows: ReadonlyMap<string, string>): number[] {
  return [...rows].flatMap(([key, text]) => {
    if (!/^[ms]/.test(key)) return [];
    const found = /"contentId":(\d+)/.exec(text)?.[1] ?? text.split(',')[1];
    return [Number(found)];
  });
}

function isContent(history: MixedHistory, contentId: number, content: Uint8Array): boolean {
  const stored = history.stored.get(contentId);
  return stored !== undefined && Buffer.from(stored).equals(content);
}
