// The way of messages from one side of a copy to the other, when an earlier run was killed.

import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../compat-tests/support/temporary-directory.js';
import { copyMessages } from '../../../src/cli/copy/copy-messages.js';
import { CopyNotes } from '../../../src/cli/copy/copy-notes.js';
import type {
  CopiedStore,
  CopyDestination,
  CopySource,
  MessageToCopy,
} from '../../../src/cli/copy/copy-side.js';

const PATH = 'orders/$DeadLetterQueue';
const STORE = { path: PATH, owner: 'orders', count: 0, hasSessions: false };
const IN_PARTITION_5 = 5 * 2 ** 48;

function message(sequenceNumber: number, messageId = 'old'): MessageToCopy {
  return { sequenceNumber, state: 'active', messageId, raw: { base64: '' } };
}

/** Runs a move of dead letters with these numbers, the last of which an earlier run has brought as the marks say. */
async function move(
  there: readonly number[],
  marks: ReadonlyMap<number, number>,
  underWay: readonly number[],
  messageId = 'old',
) {
  const done: string[] = [];
  const source: CopySource = {
    address: 'here',
    stores: async () => [STORE],
    async *messages(_, after) {
      const page = there.filter((number) => number > after);
      yield page.map((number) => message(number, messageId));
    },
    async *sessionStates() {},
    delete: async (_, numbers) => {
      done.push(`deleted ${numbers}`);
    },
    close: async () => {},
  };
  const destination: CopyDestination = {
    address: 'there',
    loss: undefined,
    takes: () => true,
    marks: async () => marks,
    put: async (_, messages) => {
      done.push(`put ${messages.map(({ sequenceNumber }) => sequenceNumber)}`);
      return undefined;
    },
    putState: async () => {},
    end: async () => {},
    close: async () => {},
  };
  const notes = await CopyNotes.open(undefined, '');
  if (underWay.length > 0)
    await notes.begin(
      PATH,
      underWay.map((number) => message(number)),
    );
  const plan = {
    source,
    destination,
    notes,
    stores: [STORE],
    pathOf: ({ path }: CopiedStore) => path,
    isMove: true,
    interrupted: new AbortController().signal,
    onProgress: () => {},
  };
  await copyMessages(plan, { count: 0, earlier: 0, stores: 0 });
  return done;
}

test('a move that was killed deletes what it has brought, and not a dead letter that has come since with a lower number', async () => {
  // 3 has come since; 5 and 6 were brought and not deleted.
  expect(await move([3, 5, 6, 8], new Map([[0, 6]]), [5, 6])).toEqual(['deleted 5,6', 'put 8', 'deleted 8']);
});

test('a batch that had not arrived is brought, and only then deleted', async () => {
  expect(await move([7, 8], new Map([[0, 6]]), [7, 8])).toEqual(['put 7,8', 'deleted 7,8']);
});

test('messages that only have the numbers of those under way have never been brought, so nothing is deleted before all are', async () => {
  expect(await move([3, 5, 6, 8], new Map([[0, 6]]), [5, 6], 'new')).toEqual([
    'put 3,5,6,8',
    'deleted 3,5,6,8',
  ]);
});

test('a batch that was deleted is not under way any more, so a second run deletes nothing by its numbers', async () => {
  const notes = await CopyNotes.open(undefined, '');
  await notes.begin(PATH, [message(5)]);
  expect(notes.isUnderWay(PATH, message(5))).toBe(true);
  await notes.settle();
  expect(notes.underWay(PATH)).toEqual([]);
});

test('each partition of the source goes on behind its own mark', async () => {
  const marks = new Map([[5, IN_PARTITION_5 + 1]]);
  const numbers = [1, IN_PARTITION_5 + 1, IN_PARTITION_5 + 2];
  expect(await move(numbers, marks, [])).toEqual([
    `put 1,${IN_PARTITION_5 + 2}`,
    `deleted 1,${IN_PARTITION_5 + 2}`,
  ]);
});

test('the directory of the notes is for the user alone, because the key of the authority will be in it', async () => {
  await using directory = await temporaryDirectory();
  const userDirectory = join(directory.path, 'jitney');
  const notes = await CopyNotes.open(userDirectory, 'import');
  await notes.mark(PATH, [5]);
  expect(await readdir(join(userDirectory, 'copies'))).toEqual(['import.json']);
  if (process.platform !== 'win32') expect(statSync(userDirectory).mode & 0o777).toBe(0o700);
});
