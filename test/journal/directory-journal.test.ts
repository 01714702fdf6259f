// The journal in a directory: what a stop and a start leave of the segments and say of them, and when they are deleted.

import { MemoryLevel } from 'memory-level';
import { expect, test } from 'vitest';
import type { Journal } from '../../src/engine/ports.js';
import { startJournal } from '../../src/journal/open-journal.js';
import { RowTable } from '../../src/journal/table/row-table.js';
import { reopen, started } from '../support/journal-places.js';
import {
  contentNumber,
  contentStored,
  messagePut,
  messageRecord,
  messageRemoved,
  numbersIn,
  queuePut,
  recover,
  send,
} from '../support/journal-rows.js';
import { killedJournal } from '../support/killed-journal.js';
import { MemoryFiles } from '../support/memory-files.js';
import { storedIn } from '../support/table-rows.js';

const FIRST = '00000001.segment';

class Disk {
  readonly rows = new MemoryLevel<string, string>();
  readonly files = new MemoryFiles();
  readonly warnings: string[] = [];

  async open(options: { isSynced?: boolean; segmentBytes?: number } = {}): Promise<Journal> {
    await this.rows.open();
    const warn = (text: string) => this.warnings.push(text);
    return startJournal(this.rows, this.files, { location: 'memory', warn, ...options });
  }

  async mark() {
    await this.rows.open();
    return (await RowTable.open(this.rows, 'memory')).mark;
  }

  place(options: Parameters<Disk['open']>[0] = {}) {
    return { open: () => this.open(options), withRows: async () => {} };
  }
}

/** Three segments, each with a batch of messages, and a clean stop. */
async function makeSegments(): Promise<Disk> {
  const disk = new Disk();
  const journal = await started(disk.place({ segmentBytes: 100 }));
  await journal.append([queuePut(), ...send(1, 2)]);
  await journal.append(send(3, 4));
  await journal.append(send(5, 6));
  await journal.close();
  expect(disk.files.names).toHaveLength(3);
  return disk;
}

test('a clean stop marks the end of the log, and the first append takes that back before it writes', async () => {
  const disk = await makeSegments();
  expect(await disk.mark()).toMatchObject({ isClean: true, offset: 0 });
  const journal = await started(disk.place());
  disk.files.fail('write', { code: 'ENOSPC' });
  await expect(journal.append(send(7, 7))).rejects.toMatchObject({ kind: 'unwritable' });
  await expect(journal.close()).rejects.toMatchObject({ kind: 'unwritable' });
  expect(await disk.mark()).toMatchObject({ isClean: false });
  expect(numbersIn(await reopen(disk.place()))).toEqual([1, 2, 3, 4, 5, 6]);
});

test('killed while the prepared segments are deleted, the next start finds no gap', async () => {
  const disk = new Disk();
  for (const name of [FIRST, '00000002.segment']) disk.files.put(name, Buffer.alloc(100));
  const journal = await started(disk.place());
  disk.files.fail('remove', { code: 'EIO', after: 1, isDeath: true });
  await expect(journal.append([queuePut()])).rejects.toThrow('EIO');
  const next = await startJournal(disk.rows, disk.files.kill(), { location: 'memory' });
  await expect(recover(next)).resolves.toBeDefined();
});

test('after a failed append nothing more is taken, and the error says that the disk is full', async () => {
  const disk = await makeSegments();
  const journal = await started(disk.place());
  disk.files.fail('write', { code: 'ENOSPC' });
  await expect(journal.append(send(7, 7))).rejects.toThrow('The journal in memory cannot be written: ENOSPC');
  await expect(journal.append(send(8, 8))).rejects.toThrow('ENOSPC');
  await expect(journal.close()).rejects.toThrow('ENOSPC');
});

test('a start that appends nothing changes no byte', async () => {
  const disk = await makeSegments();
  await disk.rows.open();
  const rows = await storedIn(disk.rows);
  const bytes = disk.files.names.map((name) => disk.files.bytesOf(name));
  disk.files.beforeChange = () => {
    throw new Error('changed');
  };
  const journal = await disk.open();
  await recover(journal);
  expect(new Uint8Array(await journal.readContent(3))).toEqual(contentNumber(3));
  await journal.close();
  await disk.rows.open();
  expect(await storedIn(disk.rows)).toEqual(rows);
  expect(disk.files.names.map((name) => disk.files.bytesOf(name))).toEqual(bytes);
  expect(disk.files.openCount).toBe(0);
});

test('a start after a kill that appends nothing changes no byte either', async () => {
  const { place, files } = await killedJournal([[queuePut(), ...send(1, 2)]]);
  const bytes = files.bytesOf(FIRST);
  files.beforeChange = () => {
    throw new Error('changed');
  };
  expect(numbersIn(await reopen(place))).toEqual([1, 2]);
  expect(files.names).toEqual([FIRST]);
  expect(files.bytesOf(FIRST)).toEqual(bytes);
});

test('a seal that was lost after a clean stop is warned of, and its records are read instead', async () => {
  const disk = await makeSegments();
  const bytes = disk.files.bytesOf(FIRST);
  disk.files.put(FIRST, bytes.subarray(0, bytes.length - 1));
  const journal = await started(disk.place());
  for (const kept of [1, 2, 3, 4, 5, 6])
    expect(new Uint8Array(await journal.readContent(kept))).toEqual(contentNumber(kept));
  await journal.close();
  expect(disk.warnings).toEqual([
    `The journal in memory is damaged: ${FIRST} has lost the list of its contents. 'jitney check' lists the damage.`,
  ]);
});

test('a start with missing contents warns with their number, and everything else is there', async () => {
  const disk = await makeSegments();
  await disk.files.remove(FIRST);
  const journal = await disk.open();
  expect(numbersIn(await recover(journal))).toEqual([1, 2, 3, 4, 5, 6]);
  await expect(journal.readContent(1)).rejects.toThrow('content 1 is missing');
  expect(new Uint8Array(await journal.readContent(3))).toEqual(contentNumber(3));
  await journal.append([messageRemoved(1)]);
  await journal.close();
  await reopen(disk.place());
  const outcome =
    "Such a message goes to the dead-letter queue when it is read. 'jitney check' lists the damage.";
  expect(disk.warnings).toEqual([
    `The journal in memory is damaged: 2 contents of messages or session states are missing. ${outcome}`,
    `The journal in memory is damaged: one content is missing. ${outcome}`,
  ]);
});

test('segments beside an empty table are refused', async () => {
  const { files } = await makeSegments();
  const journal = await startJournal(await openEmpty(), files, { location: 'memory' });
  await expect(recover(journal)).rejects.toThrow('segments has batches, but the table beside it is empty');
  await journal.close();
  expect(files.names).toHaveLength(3);
});

async function openEmpty(): Promise<MemoryLevel<string, string>> {
  const rows = new MemoryLevel<string, string>();
  await rows.open();
  return rows;
}

test('a segment is deleted when the last of its contents is gone and the table has it', async () => {
  const disk = await makeSegments();
  const journal = await started(disk.place());
  await journal.append([
    messageRemoved(3),
    messageRemoved(4),
    contentStored(7),
    messagePut(messageRecord(1, { contentId: 7 })),
  ]);
  for (const contentId of [1, 3, 4]) journal.deleteContent(contentId);
  expect(disk.files.names).toHaveLength(4);
  await journal.close();
  expect(disk.files.names).toEqual([FIRST, '00000003.segment', '00000004.segment']);
  expect(numbersIn(await reopen(disk.place()))).toEqual([1, 2, 5, 6]);
});

test('with fsync a batch is on the disk when its append resolves, and without it need not be', async () => {
  for (const isSynced of [true, false]) {
    const disk = new Disk();
    const journal = await started(disk.place({ isSynced, segmentBytes: 2000 }));
    const syncCount = () => disk.files.syncCounts.now + disk.files.syncCounts.thread;
    await journal.append([queuePut()]);
    const before = syncCount();
    await journal.append(send(1, 1));
    expect(syncCount() - before).toBe(isSynced ? 1 : 0);
    await journal.close();
    expect(numbersIn(await reopen(disk.place()))).toEqual([1]);
  }
});

test('with fsync the folders above are brought to the disk once, before the first segment is made', async () => {
  for (const isSynced of [true, false]) {
    const disk = new Disk();
    const journal = await started(disk.place({ isSynced }));
    await journal.append([queuePut()]);
    await journal.append(send(1, 1));
    await journal.close();
    const synced = disk.files.operations.map(([name]) => name).filter((name) => name === 'syncFoldersAbove');
    expect(synced).toHaveLength(isSynced ? 1 : 0);
    if (isSynced) expect(disk.files.operations[0]?.[0]).toBe('syncFoldersAbove');
  }
});

test('a failed sync fails the append and all after it', async () => {
  const disk = new Disk();
  const journal = await started(disk.place({ isSynced: true, segmentBytes: 2000 }));
  await journal.append([queuePut()]);
  disk.files.fail('sync', { code: 'EIO' });
  await expect(journal.append(send(1, 1))).rejects.toThrow('EIO');
  await expect(journal.append(send(2, 2))).rejects.toThrow('EIO');
  await expect(journal.close()).rejects.toThrow('EIO');
});

test('a content that was read with the one before it is there without a wait', async () => {
  const journal = await new Disk().open();
  await journal.recover(() => {});
  await journal.append([contentStored(1), contentStored(2)]);
  expect(journal.readContentLoaded?.(2)).toBeUndefined();
  await journal.readContent(1);
  expect(journal.readContentLoaded?.(2)).toEqual(Buffer.from(contentNumber(2)));
  expect(journal.readContentLoaded?.(3)).toBeUndefined();
  await journal.close();
});

test('a content that is read when the journal is closed is an error that names the place', async () => {
  const journal = await new Disk().open();
  await journal.recover(() => {});
  await journal.append([contentStored(1)]);
  await journal.close();
  expect(() => journal.readContentNow(1)).toThrow('The journal in memory cannot be read: it is closed');
  await expect(journal.readContent(1)).rejects.toThrow('it is closed');
});

test('a close waits for a batch that is being written', async () => {
  const disk = new Disk();
  const journal = await started(disk.place());
  const appending = journal.append([queuePut(), ...send(1, 3)]);
  await journal.close();
  await appending;
  expect(numbersIn(await recover(await disk.open()))).toHaveLength(3);
});
