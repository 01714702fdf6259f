// Watches the room on the journal's disk. When it is nearly full no new contents are taken, so that there is room left for
// what receiving and settling write, which makes room in turn.

import type { Files } from './log/files.js';

const MEBIBYTE = 1024 * 1024;
/** Below this, contents are refused: a segment of the log, and what LevelDB writes when it merges its tables. */
const RESERVED_BYTES = 48 * MEBIBYTE;
/** From here on they are taken again. */
const ENOUGH_BYTES = 64 * MEBIBYTE;
/** The room is asked for again after so many bytes or milliseconds. */
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

  /** Why no contents are taken at present. */
  get refusal(): string | undefined {
    if (this.#refusal !== undefined && this.#clockMs() - this.#checkedAtMs >= CHECKED_MS) this.#check();
    return this.#refusal;
  }

  /** So many bytes were written. */
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
      if (!isRefusing) warn?.(`No new messages are taken: ${this.#refusal}`);
    } else if (isRefusing) {
      this.#refusal = undefined;
      warn?.(`New messages are taken again: the disk of ${location} has room.`);
    }
  }

  /** A disk that does not say its room is not watched: a write fails when it is full. */
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
