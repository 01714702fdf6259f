// Output without a reader is dropped; any other failure to write is reported, and ends nothing.

import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { printTo, whenReaderGone, writeTo } from '../../../src/cli/output/output.js';

/** Fails at once, as a pipe without a reader does. */
function failingStream(code: string): Writable & { readonly written: string[] } {
  const written: string[] = [];
  const stream = new Writable({
    autoDestroy: false,
    write: (chunk, _encoding, done) => {
      written.push(String(chunk));
      done(Object.assign(new Error(`write ${code}`), { code }));
    },
  });
  return Object.assign(stream, { written });
}

function unexpected(error: Error): never {
  throw error;
}

async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test.each(['EPIPE', 'EIO'])(
  'when the reader is gone (%s), what follows is dropped without an error',
  async (code) => {
    const stream = failingStream(code);
    const write = writeTo(stream, unexpected);
    write('first');
    await settled();
    write('second');
    await settled();
    expect(stream.written).toEqual(['first']);
  },
);

test('a command can wait until its reader is gone', async () => {
  const stream = failingStream('EPIPE');
  const gone = whenReaderGone(stream);
  writeTo(stream, unexpected)('first');
  await gone;
});

test('a full disk is reported once, and what follows is dropped', async () => {
  const stream = failingStream('ENOSPC');
  const failures: string[] = [];
  const write = writeTo(stream, ({ message }) => failures.push(message));
  write('first');
  await settled();
  write('second');
  await settled();
  expect(stream.written).toEqual(['first']);
  expect(failures).toEqual(['write ENOSPC']);
});

test('data that a full disk does not take is a failure of the command', async () => {
  const stream = failingStream('ENOSPC');
  writeTo(stream, () => {});
  await expect(printTo(stream, ({ message }) => new Error(`taken: ${message}`))('text')).rejects.toThrow(
    'taken: write ENOSPC',
  );
});

test('data is known to be written, or not to be', async () => {
  let finish: () => void = () => {};
  const slow = new Writable({
    write: (_chunk, _encoding, done) => {
      finish = done;
    },
  });
  let isWritten: boolean | undefined;
  const printed = printTo(
    slow,
    unexpected,
  )('text').then((answer) => {
    isWritten = answer;
  });
  await settled();
  expect(isWritten).toBeUndefined();
  finish();
  await printed;
  expect(isWritten).toBe(true);

  const gone = failingStream('EPIPE');
  writeTo(gone, unexpected);
  expect(await printTo(gone, unexpected)('text')).toBe(false);
});
