// A journal with damage, and the history that was written to it: what a start, a check and a repair make of it.

import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Journal } from '../../src/engine/ports.js';
import { type CheckReport, checkJournal, isIntact } from '../../src/journal/check/check-journal.js';
import { withJournalSource } from '../../src/journal/check/journal-source.js';
import { writeRepaired } from '../../src/journal/check/repair-directory.js';
import { isJournalError } from '../../src/journal/journal-error.js';
import { openJournal } from '../../src/journal/open-journal.js';
import { readContents } from './history-journal.js';
import { contentIdsIn, digestOf, type MixedHistory, recoverRows } from './mixed-history.js';

export type Original = {
  readonly history: MixedHistory;
  /** Whether its process was stopped, and not killed. */
  readonly isClean: boolean;
};

/** `earlier`: the journal is as it was before the last batches. */
export type Outcome = 'unharmed' | 'told' | 'earlier';
export type Started = { readonly outcome: Outcome; readonly isRefused: boolean; readonly problem?: string };
export type Checked = {
  readonly report: CheckReport;
  /** The rows of the repaired journal. */
  readonly rows: ReadonlyMap<string, string>;
  readonly problem?: string;
};

/** Starts the journal. `isLostEnd`: the last batches may be gone without a trace. */
export async function tryStart(
  directory: string,
  { history, isClean }: Original,
  { isLostEnd }: { readonly isLostEnd: boolean },
): Promise<Started> {
  const warnings: string[] = [];
  let journal: Journal | undefined;
  try {
    journal = await openJournal({ directory, warn: (text) => warnings.push(text) });
    const rows = await recoverRows(journal);
    const found = history.digests.lastIndexOf(digestOf(rows));
    const last = history.digests.length - 1;
    if (found < 0 || (found < last && (isClean || !isLostEnd))) {
      const seen = found < 0 ? 'no batch' : `batch ${found} of ${last}`;
      return { outcome: 'told', isRefused: false, problem: `the rows are those of ${seen}` };
    }
    const { wrong, unreadableCount } = await compareContents(journal, rows, history);
    if (wrong !== undefined) return { outcome: 'told', isRefused: false, problem: wrong };
    if (found < last) return { outcome: 'earlier', isRefused: false };
    return { outcome: unreadableCount + warnings.length > 0 ? 'told' : 'unharmed', isRefused: false };
  } catch (error) {
    // A refusal is told damage; any other error is a fault.
    const isTold = isJournalError(error);
    return {
      outcome: 'told',
      isRefused: true,
      ...(!isTold && { problem: `a start throws ${String(error)}` }),
    };
  } finally {
    await journal?.close();
  }
}

/** Checks the journal and repairs it into a directory that is gone afterwards. */
export async function tryCheck(directory: string, { history }: Original): Promise<Checked> {
  const folder = mkdtempSync(join(tmpdir(), 'jitney-repaired-'));
  try {
    const before = digestsIn(directory);
    const repaired = join(folder, 'data');
    const report = await withJournalSource(directory, async (source) => {
      const checked = await checkJournal(source, () => {});
      await writeRepaired(checked, repaired);
      return checked.report;
    });
    if (digestsIn(directory) !== before)
      return { report, rows: new Map(), problem: 'a check changes a file' };
    return { report, ...(await readRepaired(repaired, history)) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a check says must be what a start does. */
export function contradictionOf({ report }: Checked, start: Started): string | undefined {
  if (start.isRefused !== (report.refusal !== undefined)) {
    return `a start is refused: ${start.isRefused}, and the check says: ${report.refusal}`;
  }
  const isTold = start.outcome === 'told' && isIntact(report) && report.notes.length === 0;
  return isTold ? 'a start tells damage, and the check says that the journal is intact' : undefined;
}

async function readRepaired(
  directory: string,
  history: MixedHistory,
): Promise<{ readonly rows: ReadonlyMap<string, string>; readonly problem?: string }> {
  const again = await withJournalSource(directory, (source) => checkJournal(source, () => {}));
  const journal = await openJournal({ directory: join(directory, 'journal') });
  try {
    const rows = await recoverRows(journal);
    if (!isIntact(again.report)) return { rows, problem: 'the repaired journal is not intact' };
    const kept = new Map([...rows].filter(([, text]) => !text.includes('ContentUnreadable')));
    // A counter may have been set behind the messages that are left.
    const made = [...kept].find(
      ([key, text]) => !key.startsWith('S') && !history.written.has(`${key} ${text}`),
    );
    if (made !== undefined) return { rows, problem: `a row was never written: ${made.join(' ')}` };
    const { wrong, unreadableCount } = await compareContents(journal, kept, history);
    if (wrong !== undefined) return { rows, problem: wrong };
    return unreadableCount > 0 ? { rows, problem: 'a repaired content cannot be read' } : { rows };
  } finally {
    await journal.close();
  }
}

async function compareContents(
  journal: Journal,
  rows: ReadonlyMap<string, string>,
  { stored }: MixedHistory,
): Promise<{ readonly wrong: string | undefined; readonly unreadableCount: number }> {
  let unreadableCount = 0;
  for (const [contentId, content] of await readContents(journal, contentIdsIn(rows))) {
    if (content === undefined) unreadableCount += 1;
    else if (!Buffer.from(stored.get(contentId) ?? []).equals(content)) {
      return { wrong: `content ${contentId} has other bytes`, unreadableCount };
    }
  }
  return { wrong: undefined, unreadableCount };
}

/** Of all files but LevelDB's diary, which it begins anew when its lock is tried. */
function digestsIn(directory: string): string {
  const hash = createHash('sha256');
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && !/^LOG(\.old)?$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));
  for (const path of paths.sort()) hash.update(path).update(readFileSync(path));
  return hash.digest('hex');
}
