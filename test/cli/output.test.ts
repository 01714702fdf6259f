// Output that nobody reads any more is dropped; any other failure to write is not hidden.

import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { writeTo } from '../../src/cli/output.js';

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

async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test.each(['EPIPE', 'EIO'])(
  'when the reader is gone (%s), what follows is dropped without an error',
  async (code) => {
    const stream = failingStream(code);
    const write = writeTo(stream);
    write('first');
    await settled();
    write('second');
    await settled();
    expect(stream.written).toEqual(['first']);
  },
);

test('a full disk is an error', () => {
  const stream = failingStream('ENOSPC');
  writeTo(stream);
  const full = Object.assign(new Error('write ENOSPC'), { code: 'ENOSPC' });
  expect(() => stream.emit('error', full)).toThrow('ENOSPC');
});
