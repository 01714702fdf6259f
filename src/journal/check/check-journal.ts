// Checks a whole journal: whether an emulator would start with it, every file and row, and every content that is needed. Writes nothing.

import { DirectoryJournal } from '../directory-journal.js';
import { FORMAT_VERSION } from '../format.js';
import { IdSet } from '../id-set.js';
import { isJournalError } from '../journal-error.js';
import { CONTENTS, contentKey, parseContentKey } from '../keys.js';
import { ContentPlaces } from '../log/content-places.js';
import { ContentReader } from '../log/content-reader.js';
import type { Files } from '../log/files.js';
import { readLog } from '../log/read-log.js';
import { chunksOf, type RowStore } from '../row-store.js';
import { checkedContent } from '../row-values.js';
import type { ReadRow } from '../rows.js';
import { RowTable } from '../table/row-table.js';
import { TimeEpochs } from '../time-epochs.js';
import { JournalAccount, type JournalRow, type LostEntry } from './journal-account.js';
import { describeKey } from './row-names.js';
import { salvageRows } from './salvage-rows.js';
import { type CheckedLog, checkLog, type Progress } from './segment-check.js';

/** A journal that nothing else has open. */
export type JournalSource = {
  readonly store: RowStore;
  readonly files: Files;
  /** The directory, for messages. */
  readonly location: string;
  /** Damage to LevelDB's files that was seen before the store was opened. */
  readonly storeDamage: string | undefined;
};

export type CheckReport = {
  readonly location: string;
  readonly queueCount: number;
  readonly topicCount: number;
  readonly subscriptionCount: number;
  readonly messageCount: number;
  readonly messageBytes: number;
  readonly segmentCount: number;
  /** Why an emulator does not start with it; undefined when one does. */
  readonly refusal: string | undefined;
  /** Damage to files and rows: one sentence each, without a full stop. */
  readonly damage: readonly string[];
  /** Leavings of a killed process, which are no damage. */
  readonly notes: readonly string[];
  /** Messages and session states whose contents are missing or damaged. */
  readonly lost: readonly LostEntry[];
};

/** The journal as far as it can be read. */
export type CheckedJournal = {
  readonly report: CheckReport;
  /** Yields all readable rows, those of entities first. */
  readonly rows: () => AsyncGenerator<readonly JournalRow[]>;
  /** Undefined when the bytes are missing or damaged. */
  readonly readContent: (contentId: number) => Promise<Uint8Array | undefined>;
  /** Above the ids of all contents that were found. */
  readonly nextContentId: number;
};

/** Rejects with a JournalError when the journal is of a newer format, or a file cannot be read. */
export async function checkJournal(source: JournalSource, progress: Progress): Promise<CheckedJournal> {
  const { store, files, location, storeDamage } = source;
  progress('reading the rows');
  const refusal = storeDamage ?? (await findRefusal(store, files, location));
  const log = await checkLog(files, { takesRows: refusal !== undefined, progress });
  const earlier = await earlierContents(store);
  const damage: string[] = [];
  const rows = (noteRow: (key: string) => void, noteRest: (sentence: string) => void) =>
    withTimes(
      refusal === undefined
        ? intactRows(source)
        : salvageRows(store, log.changes, {
            hasSeals: !earlier.isEarlierFormat,
            damage: { row: noteRow, rest: noteRest },
          }),
    );
  progress('checking the rows');
  const account = new JournalAccount((contentId) => reasonOf(contentId, log, earlier.intact));
  const damagedRows: string[] = [];
  for await (const chunk of rows(
    (key) => damagedRows.push(key),
    (sentence) => damage.push(sentence),
  )) {
    for (const row of chunk) if (row.kind !== 'time-put') account.note(row);
  }
  const silent = () =>
    rows(
      () => {},
      () => {},
    );
  if (account.lost.length > 0) await nameMessageIds(account, silent());
  damage.push(...damagedRows.map((key) => `${describeKey(key, account.names)} not what was written`));
  const { queueCount, topicCount, subscriptionCount, messageCount, messageBytes } = account;
  return {
    report: {
      ...{ location, queueCount, topicCount, subscriptionCount, messageCount, messageBytes, refusal },
      segmentCount: log.segments.length,
      damage: [...log.damage, ...contentDamage(log, account), ...damage],
      notes: log.notes,
      lost: account.lost,
    },
    rows: silent,
    readContent: contentReader(store, files, log),
    nextContentId: Math.max(account.nextContentId, log.nextContentId),
  };
}

/** Whether nothing at all is the matter. */
export function isIntact({ refusal, damage, lost }: CheckReport): boolean {
  return refusal === undefined && damage.length === 0 && lost.length === 0;
}

/** Starts the journal as an emulator would, which writes nothing before the first batch. */
async function findRefusal(store: RowStore, files: Files, location: string): Promise<string | undefined> {
  try {
    const table = await RowTable.open(store, location);
    await new DirectoryJournal(table, files, { location }).recover(() => {});
    return undefined;
  } catch (error) {
    if (isJournalError(error) && error.kind === 'corrupt') return error.seen;
    throw error;
  }
}

async function* intactRows({ store, files, location }: JournalSource): AsyncGenerator<readonly ReadRow[]> {
  const table = await RowTable.open(store, location);
  const { changes } = await readLog(files, new ContentPlaces(), table.mark);
  yield* table.read(changes);
}

/** The contents that journals of formats up to 7 have in the table. */
async function earlierContents(store: RowStore): Promise<{ isEarlierFormat: boolean; intact: IdSet }> {
  const intact = new IdSet();
  for await (const chunk of chunksOf(store, CONTENTS, { values: false })) {
    for (const [key] of chunk) {
      const contentId = parseContentKey(key);
      const row = contentId === undefined ? undefined : await store.get(key);
      if (contentId !== undefined && row !== undefined && checkedContent(row) !== undefined)
        intact.add(contentId);
    }
  }
  const format = Number(/"format":(\d+)/.exec(String(await store.get('F')))?.[1] ?? FORMAT_VERSION);
  return { isEarlierFormat: format < FORMAT_VERSION, intact };
}

function reasonOf(
  contentId: number,
  { intact, damagedContents }: CheckedLog,
  earlier: IdSet,
): string | undefined {
  if (intact.has(contentId) || earlier.has(contentId)) return undefined;
  return damagedContents.get(contentId) ?? 'its content is missing';
}

function contentDamage({ damagedContents }: CheckedLog, { needed }: JournalAccount): readonly string[] {
  const count = damagedContents.size;
  if (count === 0) return [];
  const neededCount = [...damagedContents.keys()].filter((contentId) => needed.has(contentId)).length;
  const subject = count === 1 ? 'one content in the segments is' : `${count} contents in the segments are`;
  return [`${subject} not what was written; ${neededCount} of ${count} still needed`];
}

/** Message ids are in the history of duplicate detection only, for as long as that lasts. */
async function nameMessageIds(
  account: JournalAccount,
  rows: AsyncGenerator<readonly JournalRow[]>,
): Promise<void> {
  for await (const chunk of rows) {
    for (const row of chunk) if (row.kind === 'message-id-noted') account.noteMessageId(row);
  }
}

function contentReader(store: RowStore, files: Files, { intact }: CheckedLog) {
  const reader = new ContentReader(files);
  return async (contentId: number): Promise<Uint8Array | undefined> => {
    const place = intact.find(contentId);
    if (place !== undefined) return reader.read(place);
    const row = await store.get(contentKey(contentId));
    return row && checkedContent(row);
  };
}

/** The rows with the times that a start reads. */
async function* withTimes(rows: AsyncIterable<readonly ReadRow[]>): AsyncGenerator<readonly JournalRow[]> {
  let epochs = new TimeEpochs();
  for await (const chunk of rows) {
    const corrected: JournalRow[] = [];
    for (const row of chunk) {
      if (row.kind === 'time-epochs') epochs = new TimeEpochs(row.epochs);
      else if (row.kind !== 'format') corrected.push(epochs.read(row));
    }
    yield corrected;
  }
}
