// What LevelDB and the file system say, in words that tell the user what to do.

import { expect, test } from 'vitest';
import { journalError, translateError } from '../../src/journal/journal-error.js';

function failedOpen(code: string, message: string): Error {
  const cause = Object.assign(new Error(message), { code });
  return Object.assign(new Error('Database failed to open', { cause }), { code: 'LEVEL_DATABASE_NOT_OPEN' });
}

test.each([
  ['corrupt', failedOpen('LEVEL_CORRUPTION', 'Corruption: bad entry in block')],
  ['unreadable', failedOpen('LEVEL_IO_ERROR', 'IO error: /d/LOCK: Permission denied')],
  ['unreadable', failedOpen('LEVEL_IO_ERROR', 'IO error: /d/LOCK: Read-only file system')],
  ['unreadable', Object.assign(new Error("EACCES: permission denied, mkdir '/d'"), { code: 'EACCES' })],
  ['unwritable', failedOpen('LEVEL_IO_ERROR', 'IO error: /d/000005.ldb: No space left on device')],
  ['unreadable', new Error('something else')],
])('%s: %s', (kind, error) => {
  const translated = translateError(error, '/d', 'unreadable');
  const seen = error.cause instanceof Error ? error.cause.message : error.message;
  expect(translated).toMatchObject({ kind, name: 'JitneyError', cause: error });
  expect(translated.message).toContain(`/d`);
  expect(translated.message).toContain(seen);
});

test.runIf(process.getuid)(
  'refused access names the user of this process, and the directory to give to them',
  () => {
    const error = Object.assign(new Error("EACCES: permission denied, mkdir '/d/journal'"), {
      code: 'EACCES',
    });
    const { message } = translateError(error, '/d/journal', 'unreadable', '/d');
    const uid = process.getuid?.();
    expect(message).toContain(
      `the user with id ${uid}. Make /d for that user or give it to them (chown -R ${uid} /d)`,
    );
  },
);

test("a lock error is told without LevelDB's own words", () => {
  const error = failedOpen('LEVEL_LOCKED', 'IO error: lock /d/LOCK: already held by process');
  const translated = translateError(error, '/d', 'unreadable');
  expect(translated).toMatchObject({ kind: 'locked', cause: error });
  expect(translated.message).toBe(
    'The journal in /d is in use by another process. Stop the other emulator, or give this one a directory of its own.',
  );
});

test('a failed write is an error of writing', () => {
  expect(translateError(new Error('something else'), '/d', 'unwritable').kind).toBe('unwritable');
});

test('an error of a journal stays as it is', () => {
  const error = journalError('newer-format', '/d', 'it has format 2');
  expect(translateError(error, '/d', 'unreadable')).toBe(error);
});
