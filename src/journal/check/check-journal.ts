// Checks a whole journal: whether an emulator would start with it, every file and row, and every content that is needed. Writes nothing.

import { DirectoryJournal } from '../directory-journal.js';
import { isJournalError } from '../journal-error.js';
import { MARK_KEY } from '../keys.js';
import { ContentReader } from '../log/content-reader.js';
import type { Files } from '../log/files.js';
import type { RowStore } from '../row-store.js';
import { readMark, type Totals } from '../table/mark.js';
import { RowTable } from '../table/row-table.js';
import { type CheckedLog, checkLog, type Progress } from './check-log.js';
import { describeKey } from './row-names.js';
import { SalvagedRows } from './salvaged-rows.js';
import { isWithContent, type JournalRow, type LostRow, Survey } from './survey.js';

/** A journal that nothing else has open. */
export type JournalSource = {
  readonly store: RowStore;
  readonly files: Files;
  /** The directory, for messages. */
  readonly location: string;
  /** Damage to LevelDB's files that was seen before the store was opened. */
  readonly storeDamage: string | undefined;
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
  readonly survey: Survey;
  /** All readable rows, those of entities first. */
  readonly rows: () => AsyncIterable<JournalRow>;
  /** Undefined when the bytes are missing or damaged. */
  readonly readContent: (contentId: number) => Promise<Uint8Array | undefined>;
  /** Above the ids of all contents that were found. */
  readonly nextContentId: number;
};

/** Rejects with a JournalError when the journal is of another format, or a file cannot be read. */
export async function checkJournal(source: JournalSource, progress: Progress): Promise<CheckedJournal> {
  const { store, files, location } = source;
  progress('reading the rows');
  const refusal = source.storeDamage ?? (await findRefusal(source));
  const marked = readMark((await store.get(MARK_KEY)) ?? '');
  const log = await checkLog(files, marked?.mark, progress);
  progress('checking the rows');
  const salvaged = new SalvagedRows(store, log.changes);
  const rows = () => salvaged.read();
  const survey = await Survey.of(rows(), (contentId) => log.intact.has(contentId));
  const { lost, contradictions, messageCount, messageBytes } = await judgeAll(survey, rows());
  if (lost.length > 0) await nameLost(survey, rows());
  const count = (kind: JournalRow['kind']) => survey.mainRows.filter((row) => row.kind === kind).length;
  return {
    report: {
      location,
      queueCount: count('queue-put'),
      topicCount: count('topic-put'),
      subscriptionCount: count('subscription-put'),
      messageCount,
      messageBytes,
      segmentCount: log.segmentCount,
      refusal,
      damage: [
        ...log.damage,
        ...contentDamage(log, survey),
        ...tableDamage(salvaged, survey, marked?.totals),
        ...contradictions,
      ],
      notes: log.notes,
      lost: lost.map((row) => lostEntry(row, survey, log)),
    },
    survey,
    rows,
    readContent: contentReader(files, log),
    nextContentId: log.nextContentId,
  };
}

/** Whether nothing at all is the matter. */
export function isIntact({ refusal, damage, lost }: CheckReport): boolean {
  return refusal === undefined && damage.length === 0 && lost.length === 0;
}

/** Starts the journal as an emulator would, which writes nothing before the first batch. */
async function findRefusal({ store, files, location }: JournalSource): Promise<string | undefined> {
  try {
    const table = await RowTable.open(store, location);
    await new DirectoryJournal(table, files, { location }).recover(() => {});
    return undefined;
  } catch (error) {
    if (isJournalError(error) && error.kind === 'corrupt') return error.seen;
    throw error;
  }
}

type Judged = {
  readonly lost: LostRow[];
  readonly contradictions: string[];
  messageCount: number;
  messageBytes: number;
};

async function judgeAll(survey: Survey, rows: AsyncIterable<JournalRow>): Promise<Judged> {
  const judged: Judged = {
    ...{ lost: [], contradictions: [...survey.contradictions], messageCount: 0, messageBytes: 0 },
  };
  for await (const row of rows) {
    // An id that duplicate detection remembers is no message.
    if (!isWithContent(row)) continue;
    const verdict = survey.judge(row);
    if (verdict === 'removed') continue;
    if (row.kind === 'message-put') {
      judged.messageCount += 1;
      judged.messageBytes += row.message.sizeBytes;
    }
    if (typeof verdict === 'object') judged.contradictions.push(verdict.problem);
    else if (verdict === 'lost') judged.lost.push(row);
  }
  return judged;
}

/** Message ids are in the history of duplicate detection only, for as long as that lasts. */
async function nameLost(survey: Survey, rows: AsyncIterable<JournalRow>): Promise<void> {
  for await (const row of rows) if (row.kind === 'message-id-noted') survey.nameLost(row);
}

function lostEntry(row: LostRow, survey: Survey, { damagedContents }: CheckedLog): LostEntry {
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

/** The totals are undefined when the mark, which has them, is lost. */
function tableDamage(
  { damagedKeys, entryCount, failure }: SalvagedRows,
  { stores }: Survey,
  totals: Totals | undefined,
): readonly string[] {
  const damage = [...damagedKeys].map((key) => `${describeKey(key, stores)} not what was written`);
  if (failure !== undefined) damage.push(`the table cannot be read to its end: ${failure}`);
  else if (totals !== undefined && totals.count !== entryCount)
    damage.push(`the table has ${entryCount} rows and pages, and its mark says ${totals.count}`);
  return damage;
}

function contentReader(files: Files, { intact }: CheckedLog) {
  const reader = new ContentReader(files);
  return async (contentId: number): Promise<Uint8Array | undefined> => {
    const place = intact.find(contentId);
    return place && reader.read(place);
  };
}
