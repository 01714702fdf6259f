// Watches the free space of the journal's disk. When the disk is nearly full, new contents are refused: the rest is kept for the writes of
// receiving and settling, which free space again.

import type { Files } from './log/files.js';

const MEBIBYTE = 1024 * 1024;
/** With less free space than this, contents are refused. It holds a segment of the log, and what LevelDB writes when it merges its tables. */
const RESERVED_BYTES = 48 * MEBIBYTE;
/** With this much free space they are accepted again. */
const ENOUGH_BYTES = 64 * MEBIBYTE;
/** The free space is measured again after so many bytes or milliseconds. */
const CHECKED_BYTES = 4 * MEBIBYTE;
const CHECKED_MS = 1000;

export type DiskRoomOptions = {
  readonly location: string;
  readonly warn?: ((text: string) => void) | undefined;
  readonly clockMs?: () => number;
};

export class DiskRoom {
  readonly #files: Pick<Files, 'freeBytes'>;
  readonly #options: DiskRoomOptions;
  readonly #clockMs: () => number;
  #refusal: string | undefined;
  #writtenBytes = CHECKED_BYTES;
  #checkedAtMs = 0;

  constructor(files: Pick<Files, 'freeBytes'>, options: DiskRoomOptions) {
    this.#files = files;
    this.#options = options;
    this.#clockMs = options.clockMs ?? (() => performance.now());
  }

  /** Why contents are refused at present; undefined if they are not. */
  get refusal(): string | undefined {
    if (this.#refusal !== undefined && this.#clockMs() - this.#checkedAtMs >= CHECKED_MS) this.#check();
    return this.#refusal;
  }

  /** Counts bytes that were written. */
  noteWritten(bytes: number): void {
    this.#writtenBytes += bytes;
    if (this.#writtenBytes >= CHECKED_BYTES) this.#check();
  }

  #check(): void {
    this.#writtenBytes = 0;
    this.#checkedAtMs = this.#clockMs();
    const free = this.#freeBytes();
    const { location, warn } = this.#options;
    const isRefusing = this.#refusal !== undefined;
    if (free < (isRefusing ? ENOUGH_BYTES : RESERVED_BYTES)) {
      this.#refusal = `The disk of ${location} has ${mebibytes(free)} left; ${mebibytes(RESERVED_BYTES)} are kept for receiving and settling. Receive messages, or make room for ${mebibytes(ENOUGH_BYTES)}.`;
      if (!isRefusing) warn?.(`New messages are refused: ${this.#refusal}`);
    } else if (isRefusing) {
      this.#refusal = undefined;
      warn?.(`New messages are accepted again: the disk of ${location} has room.`);
    }
  }

  /** The free bytes; infinite for a disk that does not report them. Such a disk is not watched: when it is full, a write fails. */
  #freeBytes(): number {
    try {
      return this.#files.freeBytes();
    } catch {
      return Number.POSITIVE_INFINITY;
    }
  }
}

function mebibytes(bytes: number): string {
  return `${Math.floor(bytes / MEBIBYTE)} MB`;
}
