// `jitney check`: damage to any file is found and named, nothing is changed, and what can be read is written into a new directory.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { type CheckReport, checkJournal, isIntact } from '../../../src/journal/check/check-journal.js';
import { withJournalSource } from '../../../src/journal/check/journal-source.js';
import { writeRepaired } from '../../../src/journal/check/repair-directory.js';
import { SealWriter } from '../../../src/journal/log/segment.js';
import { openStore } from '../../../src/journal/open-journal.js';
import { openHistory, readContents, writeHistory } from '../../support/history-journal.js';
import { deleteRow, makeTemporaryDirectory } from '../../support/journal-places.js';
import { digestOf, type MixedHistory, recoverRows } from '../../support/mixed-history.js';

type Kept = { readonly directory: string; readonly journal: string; readonly history: MixedHistory };

async function keep(given: { readonly runs?: number } = {}): Promise<Kept> {
  const directory = await makeTemporaryDirectory();
  const journal = join(directory, 'journal');
  return { directory, journal, history: await writeHistory(journal, { seed: 7, runs: 2, ...given }) };
}

function check(directory: string): Promise<CheckReport> {
  return withJournalSource(directory, async (source) => (await checkJournal(source, () => {})).report);
}

async function repair(directory: string): Promise<{ repaired: string; leftOut: readonly string[] }> {
  const repaired = join(await makeTemporaryDirectory(), 'repaired');
  return withJournalSource(directory, async (source) => {
    const { leftOut } = await writeRepaired(await checkJournal(source, () => {}), repaired);
    return { repaired, leftOut };
  });
}

function segments({ journal }: Kept): string[] {
  return readdirSync(join(journal, 'segments'))
    .sort()
    .map((name) => join(journal, 'segments', name));
}

function flip(path: string, offset: number): void {
  const bytes = readFileSync(path);
  bytes[offset] = (bytes[offset] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

/** Damages the bytes of one content, wherever it lies. */
function flipContent(kept: Kept, content: Uint8Array): void {
  for (const path of segments(kept)) {
    const offset = readFileSync(path).indexOf(content);
    if (offset >= 0) return flip(path, offset + 1);
  }
  throw new Error('the content is in no segment');
}

function neededContent({ history }: Kept, row: RegExp): { contentId: number; content: Uint8Array } {
  for (const [key, text] of history.rows) {
    const contentId = row.test(key)
      ? Number(/contentId":(\d+)|^\d+,(\d+)/.exec(text)?.slice(1).find(Boolean))
      : 0;
    const content = history.contents.get(contentId);
    if (content !== undefined && content.length > 100) return { contentId, content };
  }
  throw new Error('no such row');
}

function digestsIn(directory: string): Record<string, string> {
  const names = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  // LevelDB begins its diary anew when its lock is tried.
  const kept = names.filter(({ name }) => !/^LOG(\.old)?$/.test(name));
  return Object.fromEntries(
    kept.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path, createHash('sha256').update(readFileSync(path)).digest('hex')];
    }),
  );
}

test('an intact journal is called intact, with the counts of what it has, and nothing is changed', async () => {
  const kept = await keep();
  const before = digestsIn(kept.directory);
  const report = await check(kept.directory);
  expect(isIntact(report), JSON.stringify(report)).toBe(true);
  const messages = [...kept.history.rows.keys()].filter((key) => key.startsWith('m'));
  expect(report).toMatchObject({
    queueCount: 2,
    topicCount: 1,
    subscriptionCount: 2,
    messageCount: messages.length,
  });
  expect(digestsIn(kept.directory)).toEqual(before);
});

test('a damaged content names its message, and becomes a dead letter with an empty body in a repaired journal', async () => {
  const kept = await keep();
  flipContent(kept, neededContent(kept, /^m0000000001/).content);
  const report = await check(kept.directory);
  expect(report.refusal).toBeUndefined();
  expect(report.damage).toEqual(['one content in the segments is not what was written; 1 of 1 still needed']);
  const [lost, ...more] = report.lost;
  expect(more).toEqual([]);
  expect(lost).toMatchObject({ entity: 'orders', messageId: `id-${lost?.sequenceNumber}` });

  const { repaired } = await repair(kept.directory);
  expect(isIntact(await check(repaired))).toBe(true);
  const rows = await rowsIn(repaired);
  const number = String(lost?.sequenceNumber).padStart(16, '0');
  expect(rows.get(`m0000000001${number}`)).toBeUndefined();
  expect(rows.get(`m0000000002${number}`)).toContain('ContentUnreadable');
});

test('a damaged session state is left out of a repaired journal', async () => {
  const kept = await keep();
  flipContent(kept, neededContent(kept, /^s/).content);
  expect((await check(kept.directory)).lost).toMatchObject(
    [{ entity: 'parcels', sessionId: /s\d/ }].map(() => ({ entity: 'parcels' })),
  );
  const { leftOut } = await repair(kept.directory);
  expect(leftOut).toHaveLength(1);
  expect(leftOut[0]).toMatch(/^the state of session "s\d" of parcels: its content is lost$/);
});

test('contents that nothing needs any more are reported, and are no loss', async () => {
  const kept = await keep();
  const report = await check(kept.directory);
  expect(report.damage).toEqual([]);
  const needed = [...kept.history.contents.values()].map((content) => Buffer.from(content));
  const [path = ''] = segments(kept);
  const bytes = readFileSync(path);
  // Behind the last content of the first segment that is needed lies one that is not.
  for (let offset = 2000; offset < bytes.length; offset += 500) {
    const isNeeded = needed.some((content) => content.length > 0 && isWithin(bytes, content, offset));
    if (isNeeded) continue;
    const changed = Buffer.from(bytes);
    changed[offset] = (changed[offset] ?? 0) ^ 1;
    writeFileSync(path, changed);
    const { damage, lost } = await check(kept.directory);
    if (damage.some((each) => each.includes('0 of 1 still needed'))) {
      expect(lost).toEqual([]);
      return;
    }
  }
  throw new Error('the first segment has no content that is not needed');
});

function isWithin(bytes: Buffer, content: Buffer, offset: number): boolean {
  const start = bytes.indexOf(content);
  return start >= 0 && offset >= start && offset < start + content.length;
}

test('a repaired copy of an intact journal has every row and every content', async () => {
  const kept = await keep();
  const { repaired, leftOut } = await repair(kept.directory);
  expect(leftOut).toEqual([]);
  const journal = await openHistory(join(repaired, 'journal'));
  expect(digestOf(await recoverRows(journal))).toBe(kept.history.digests.at(-1));
  expect(await readContents(journal, kept.history.contents.keys())).toEqual(
    new Map([...kept.history.contents].map(([id, content]) => [id, Buffer.from(content)])),
  );
  await journal.close();
});

test('a missing segment is named by the messages whose contents were in it', async () => {
  const kept = await keep();
  const [path = ''] = segments(kept);
  rmSync(path);
  const { lost } = await check(kept.directory);
  expect(lost.length).toBeGreaterThan(0);
  expect(lost.every(({ seen }) => seen === 'its content is missing')).toBe(true);
});

test('a damaged record is named with its place, and those behind it are read', async () => {
  const directory = await makeTemporaryDirectory();
  const killed = join(directory, 'killed');
  const history = await writeHistory(join(directory, 'journal'), { seed: 3, runs: 1, killed });
  const path = segments({ directory, journal: killed, history }).at(-2) ?? '';
  flip(path, 30);
  const report = await check(killed);
  expect(report.refusal).toContain('is not what was written from byte 0 on');
  expect(report.damage.join()).toMatch(/\d+\.segment is not what was written from byte 0 to byte \d+/);
  const { repaired } = await repair(killed);
  expect(isIntact(await check(repaired))).toBe(true);
  const kept = await rowsIn(repaired);
  const same = [...history.rows].filter(([key, text]) => kept.get(key) === text);
  expect(same.length).toBeGreaterThan(history.rows.size * 0.8);
});

async function rowsIn(directory: string): Promise<ReadonlyMap<string, string>> {
  const journal = await openHistory(join(directory, 'journal'));
  try {
    return await recoverRows(journal);
  } finally {
    await journal.close();
  }
}

test('a damaged page of the table is named, and rows of it that the log has come back', async () => {
  const kept = await keep({ runs: 1 });
  const store = await openStore(kept.journal);
  const key = `n0000000001${'0'.repeat(14)}`;
  const page = (await store.get(key)) ?? '';
  const batch = store.batch();
  batch.put(key, page.replace(/.$/, '~'));
  await batch.write({ sync: true });
  await store.close();
  const report = await check(kept.directory);
  expect(report.refusal).toBe(`"${key}" is not what was written`);
  expect(report.damage).toEqual(['the rows of messages 0 to 99 of orders are not what was written']);
  const { repaired } = await repair(kept.directory);
  expect(digestOf(await rowsIn(repaired))).toBe(kept.history.digests.at(-1));
});

test('rows that are gone from the table are counted, and those that the log has come back', async () => {
  const kept = await keep({ runs: 1 });
  const store = await openStore(kept.journal);
  await deleteRow(store, `n0000000001${'0'.repeat(14)}`);
  await store.close();
  const report = await check(kept.directory);
  expect(report.damage).toEqual([
    expect.stringMatching(/^the table has \d+ rows and pages, and its mark says \d+$/),
  ]);
  expect(report.refusal).toMatch(/^it has \d+ rows and pages, and its mark says \d+$/);
  const { repaired } = await repair(kept.directory);
  expect(digestOf(await rowsIn(repaired))).toBe(kept.history.digests.at(-1));
});

test('a journal that an emulator has open is not checked', async () => {
  const kept = await keep({ runs: 1 });
  const journal = await openHistory(kept.journal);
  await expect(check(kept.directory)).rejects.toMatchObject({ kind: 'locked' });
  await journal.close();
});

test('a directory without a journal is refused', async () => {
  await expect(check(await makeTemporaryDirectory())).rejects.toMatchObject({ kind: 'unreadable' });
});

test('a repaired journal is written into no directory that has files', async () => {
  const kept = await keep({ runs: 1 });
  const write = withJournalSource(kept.directory, async (source) =>
    writeRepaired(await checkJournal(source, () => {}), kept.directory),
  );
  await expect(write).rejects.toMatchObject({ kind: 'unwritable' });
});

test('an earlier segment that is all zeros has lost its list, and the last one too after a clean stop', async () => {
  for (const position of [0, -1]) {
    const kept = await keep();
    const path = segments(kept).at(position) ?? '';
    writeFileSync(path, Buffer.alloc(readFileSync(path).length));
    expect((await check(kept.directory)).damage).toEqual([
      `${basename(path)} has lost the list of its contents`,
    ]);
  }
});

test('an earlier segment that is cut has lost its list, and was not being written', async () => {
  const kept = await keep();
  const [first = '', ...others] = segments(kept);
  expect(others).not.toEqual([]);
  truncateSync(first, readFileSync(first).length - 1);
  const { damage, notes } = await check(kept.directory);
  expect(damage).toContain('00000001.segment has lost the list of its contents');
  expect(notes).toEqual([]);
});

test('a list of contents whose end reached the disk before its beginning was being written when the power failed', async () => {
  const directory = await makeTemporaryDirectory();
  const killed = join(directory, 'killed');
  const history = await writeHistory(join(directory, 'journal'), { seed: 3, runs: 1, killed });
  const path = segments({ directory, journal: killed, history }).at(-1) ?? '';
  const records = readFileSync(path);
  const seal = new SealWriter();
  for (let id = 1; id <= 60; id++) seal.add(id, 0, 1, 1);
  const list = Buffer.from(seal.finish(Number.parseInt(basename(path), 10), records.length));
  writeFileSync(path, Buffer.concat([records, list.fill(0, 0, 512)]));
  const { damage, notes, refusal } = await check(killed);
  expect({ damage, refusal }).toEqual({ damage: [], refusal: undefined });
  expect(notes).toEqual([expect.stringContaining(`ends in ${list.length} bytes that are not a whole batch`)]);
});
