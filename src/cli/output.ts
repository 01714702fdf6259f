// Writes to a stream whose reader may go before everything is written, as in `jitney --help | head -1`.

import type { Writable } from 'node:stream';
import type { Write } from './log.js';

/** The reader has closed its end; the terminal is gone. */
const READER_GONE: readonly unknown[] = ['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED'];

/** From then on nobody reads what is written, which is no reason to fail: an emulator serves on. Other errors are thrown. */
export function writeTo(stream: Writable): Write {
  let isOpen = true;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (!READER_GONE.includes(error.code)) throw error;
    isOpen = false;
  });
  return (text) => {
    if (isOpen) stream.write(text);
  };
}
