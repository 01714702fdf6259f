// Checks a whole journal: every file, row and needed content, and whether an emulator would start with it. Writes nothing.

import type { EntityType } from '../../broker/contract/entities/entity.js';
import { DirectoryJournal } from '../directory-journal.js';
import { isJournalError } from '../journal-error.js';
import { ContentReader } from '../log/content-reader.js';
import type { Files } from '../log/files.js';
import type { StoredRows } from '../table/leveldb/store-files.js';
import { readMark, type Totals } from '../table/mark.js';
import { readOnlyStore } from '../table/row-store.js';
import { RowTable } from '../table/row-table.js';
import { MARK_KEY } from '../table/rows/keys.js';
import { type CheckedLog, checkLog, type Progress } from './check-log.js';
import { describeKey } from './row-names.js';
import { salvageRows } from './salvage-rows.js';
import { type ContentRow, Survey } from './survey.js';

/** A journal that no other process has open. */
export type JournalSource = {
  /** The rows in LevelDB's files. */
  readonly stored: StoredRows;
  readonly files: Files;
  /** The directory, for messages. */
  readonly location: string;
};

/** A message or a session state without its content. */
export type LostEntry = {
  /** The path of its queue, subscription or dead-letter queue. */
  readonly entity: string;
  readonly sequenceNumber?: number;
  readonly messageId?: string;
  readonly sessionId?: string;
  /** Why its content cannot be read. */
  readonly seen: string;
};

export type CheckReport = {
  readonly location: string;
  readonly queueCount: number;
  readonly topicCount: number;
  readonly subscriptionCount: number;
  readonly messageCount: number;
  readonly messageBytes: number;
  readonly segmentCount: number;
  /** Why an emulator does not start with the journal; undefined if it does. */
  readonly refusal: string | undefined;
  /** Damage to files and rows: one sentence each, without a full stop. */
  readonly damage: readonly string[];
  /** Remains of a killed process, which are not damage. */
  readonly notes: readonly string[];
  /** Messages and session states whose contents are missing or damaged. */
  readonly lost: readonly LostEntry[];
};

/** The journal as far as it can be read. */
export type CheckedJournal = {
  readonly report: CheckReport;
  readonly survey: Survey;
  /** Resolves with undefined if the bytes are missing or damaged. */
  readonly readContent: (contentId: number) => Promise<Uint8Array | undefined>;
  /** Larger than the ids of all contents that were found. */
  readonly nextContentId: number;
};

/** Rejects with a JournalError if the journal has another format, or a file cannot be read. */
export async function checkJournal(source: JournalSource, progress: Progress): Promise<CheckedJournal> {
  const { stored, files, location } = source;
  progress('reading the rows');
  const refusal = stored.damage[0] ?? (await findRefusal(source));
  const marked = readMark(stored.rows.get(MARK_KEY) ?? '');
  const log = await checkLog(files, { mark: marked?.mark, isTableWhole: refusal === undefined }, progress);
  progress('checking the rows');
  const { rows, damagedKeys } = salvageRows(stored.rows, log.changes);
  const survey = new Survey(rows, (contentId) => log.intact.has(contentId));
  const messages = [...survey.kept, ...survey.lost].flatMap((row) =>
    row.kind === 'message-put' ? [row.message] : [],
  );
  const count = (type: EntityType) =>
    survey.mainRows.filter((row) => row.kind === 'entity-put' && row.entity.type === type).length;
  return {
    report: {
      location,
      queueCount: count('queue'),
      topicCount: count('topic'),
      subscriptionCount: count('subscription'),
      messageCount: messages.length,
      messageBytes: messages.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      segmentCount: log.segmentCount,
      refusal,
      damage: [
        ...stored.damage,
        ...log.damage,
        ...contentDamage(log, survey),
        ...countDamage(stored, marked?.totals),
        ...damagedKeys.map((key) => `${describeKey(key, survey.stores)} not what was written`),
        ...survey.contradictions,
      ],
      notes: log.notes,
      lost: survey.lost.map((row) => lostEntry(row, survey, log)),
    },
    survey,
    readContent: contentReader(files, log),
    nextContentId: log.nextContentId,
  };
}

/** Whether no damage was found and nothing is lost. */
export function isIntact({ refusal, damage, lost }: CheckReport): boolean {
  return refusal === undefined && damage.length === 0 && lost.length === 0;
}

/** Tries to start the journal as an emulator would. A start writes nothing before the first batch. */
async function findRefusal({ stored, files, location }: JournalSource): Promise<string | undefined> {
  try {
    const table = await RowTable.open(readOnlyStore(stored.rows), location);
    await new DirectoryJournal(table, files, { location }).recover(() => {});
    return undefined;
  } catch (error) {
    if (isJournalError(error) && error.kind === 'corrupt') return error.seen;
    throw error;
  }
}

function lostEntry(row: ContentRow, survey: Survey, { damagedContents }: CheckedLog): LostEntry {
  const entity = survey.stores.pathOf(row.storeId);
  const { contentId } = row.kind === 'message-put' ? row.message : row.state;
  const seen = damagedContents.get(contentId) ?? 'its content is missing';
  if (row.kind === 'session-state-put') return { entity, sessionId: row.state.sessionId, seen };
  const messageId = survey.messageIdOf(row);
  const { sequenceNumber } = row.message;
  return { entity, sequenceNumber, ...(messageId !== undefined && { messageId }), seen };
}

function contentDamage({ damagedContents }: CheckedLog, { stores }: Survey): readonly string[] {
  const count = damagedContents.size;
  if (count === 0) return [];
  const neededCount = [...damagedContents.keys()].filter((id) => stores.namedContents.has(id)).length;
  const subject = count === 1 ? 'one content in the segments is' : `${count} contents in the segments are`;
  return [`${subject} not what was written; ${neededCount} of ${count} still needed`];
}

/** `totals`: undefined if the mark is lost, because the mark has them. */
function countDamage({ rows }: StoredRows, totals: Totals | undefined): readonly string[] {
  const count = rows.size - 1; // the mark does not count
  if (totals === undefined || totals.count === count) return [];
  return [`the table has ${count} rows and pages, and its mark says ${totals.count}`];
}

function contentReader(files: Files, { intact }: CheckedLog) {
  const reader = new ContentReader(files);
  return async (contentId: number): Promise<Uint8Array | undefined> => {
    const place = intact.find(contentId);
    return place && reader.read(place);
  };
}
