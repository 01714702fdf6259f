// The file of a log. Lines are gathered for a moment and appended in one write.

import { closeSync, existsSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { JitneyError } from '../../jitney-error.js';

/** A line may wait this long. A killed process loses the lines of that time; a process that ends in any other way loses none. */
const WAIT_MS = 50;
/** The pause after a write that failed. */
const RETRY_MS = 1000;
/** Waiting lines are written at once when together they are this long. */
const MAX_WAITING = 64 * 1024;
/** If the file cannot be written and more than this waits, lines are dropped. */
const MAX_KEPT = 4 * 1024 * 1024;

/** Writes bytes to an open file, and returns how many were written. */
type WriteBytes = (file: number, bytes: Uint8Array) => number;

export class LogFile {
  readonly #file: number;
  readonly #writeBytes: WriteBytes;
  readonly #onTrouble: (reason: string) => void;
  #waiting = '';
  #timer: NodeJS.Timeout | undefined;
  #isInTrouble = false;
  #isClosed = false;
  readonly #flushAtExit = () => this.flush();

  /** Throws a JitneyError. `onTrouble` is called when lines cannot be written, and not again before a write has worked. */
  constructor(path: string, onTrouble: (reason: string) => void, writeBytes: WriteBytes = writeSync) {
    this.#writeBytes = writeBytes;
    this.#file = openForAppend(path);
    this.#onTrouble = onTrouble;
    process.on('exit', this.#flushAtExit);
  }

  /** After `close`, lines are dropped: an emulator that does not stop in time may still write some. */
  write(text: string): void {
    if (this.#isClosed) return;
    this.#waiting += text;
    const waitMs = this.#isInTrouble ? RETRY_MS : WAIT_MS;
    if (this.#waiting.length >= MAX_WAITING && !this.#isInTrouble) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), waitMs).unref();
  }

  /** Writes the waiting lines. If that fails, it is tried again with the next lines. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    let rest = Buffer.from(this.#waiting);
    try {
      while (rest.length > 0) rest = rest.subarray(this.#writeBytes(this.#file, rest));
      this.#isInTrouble = false;
    } catch (error) {
      if (!this.#isInTrouble) this.#onTrouble(reasonOf(error));
      this.#isInTrouble = true;
    }
    this.#waiting = rest.length > MAX_KEPT ? '' : rest.toString();
  }

  close(): void {
    this.flush();
    clearTimeout(this.#timer);
    this.#isClosed = true;
    process.off('exit', this.#flushAtExit);
    closeSync(this.#file);
  }
}

function openForAppend(path: string): number {
  try {
    makeDirectory(dirname(path));
    return openSync(path, 'a');
  } catch (error) {
    const text = `The log file ${path} cannot be written: ${reasonOf(error)}`;
    throw new JitneyError('log-file-unwritable', text, { cause: error });
  }
}

/** Makes parents one by one, because Node 20's recursive form never ends where the system always answers ENOENT, such as below /proc. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  mkdirSync(path);
}

/** The reason without the system call and path: the path may name a parent. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/, \w+( '.*)?$/s, '') : String(error);
}
