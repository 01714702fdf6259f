// Reads contents from their segments. Messages are mostly received in the order in which they were sent, so a read also takes the bytes
// behind the content: the next contents then need no call into the operating system. These windows are read into the same memory again and
// again, because V8 would mark the whole heap more often for garbage of this size.

import { crc32 } from 'node:zlib';
import type { ContentPlace } from './content-places.js';
import type { Files, SegmentFile } from './files.js';
import { segmentName } from './segment.js';

const WINDOW_BYTES = 512 * 1024;
const MAX_WINDOWS = 8;
/** Larger contents are read on their own. */
const MAX_IN_WINDOW = 128 * 1024;
/** Up to this size a content is also copied out of its window by `readLoaded`. */
const MAX_COPIED_BYTES = 16 * 1024;
/** Memory of closed windows that is kept for the next ones: one for each of two receivers that read in order. */
const MAX_FREE = 2;
const MAX_OPEN_FILES = 8;

/** The bytes of a segment from an offset on. */
type Window = {
  readonly segment: number;
  readonly offset: number;
  readonly bytes: Promise<Buffer>;
  /** The same bytes, once they are read. */
  loaded: Buffer | undefined;
  /** How many calls of `read` wait for the bytes, or are about to copy from them. */
  readerCount: number;
  isClosed: boolean;
};

type OpenFile = { readonly file: SegmentFile; readCount: number; isClosing: boolean };

export class ContentReader {
  readonly #files: Files;
  /** The least recently used first. */
  readonly #open = new Map<number, OpenFile>();
  #windows: Window[] = [];
  /** Memory for windows that nothing reads or shows any more. */
  readonly #free: Buffer[] = [];

  constructor(files: Files) {
    this.#files = files;
  }

  /** Resolves with undefined if the bytes are damaged. */
  async read(place: ContentPlace): Promise<Uint8Array | undefined> {
    const { segment, offset, length, checksum } = place;
    if (length > MAX_IN_WINDOW) return this.#readAlone(place);
    const window = this.#windowWith(place) ?? this.#openWindow(segment, offset);
    window.readerCount += 1;
    try {
      const found = intact(partOf(window, await window.bytes, place), length, checksum);
      if (found !== undefined) return copyOf(found);
    } finally {
      window.readerCount -= 1;
      this.#freeMemory(window);
    }
    // Read again: the window may have been read before its end was written.
    this.#closeWindow(window);
    return this.#readAlone(place);
  }

  /** Whether the bytes are in an open window, which may still be being read. */
  isNear(place: ContentPlace): boolean {
    return this.#windowWith(place) !== undefined;
  }

  /**
   * Returns the content at once if its bytes have been read together with an earlier content; else undefined. A large one is valid until the
   * next call of `read`, when the memory of its window may be used again.
   */
  readLoaded(place: ContentPlace): Uint8Array | undefined {
    const window = this.#windowWith(place);
    if (window?.loaded === undefined) return undefined;
    const found = intact(partOf(window, window.loaded, place), place.length, place.checksum);
    return found !== undefined && found.length <= MAX_COPIED_BYTES ? copyOf(found) : found;
  }

  /** Like `read`, but blocks the process. */
  readNow({ segment, offset, length, checksum }: ContentPlace): Uint8Array | undefined {
    const bytes = Buffer.allocUnsafeSlow(length);
    const count = this.#fileOf(segment).file.readNow(bytes, offset);
    return intact(bytes.subarray(0, count), length, checksum);
  }

  /** Closes the file of a deleted segment as soon as nothing reads it. */
  forget(segment: number): void {
    for (const window of this.#windows) if (window.segment === segment) this.#closeWindow(window);
    const open = this.#open.get(segment);
    if (open !== undefined) this.#closeFile(segment, open);
  }

  close(): void {
    this.#windows = [];
    for (const [segment, open] of this.#open) this.#closeFile(segment, open);
  }

  #windowWith({ segment, offset, length }: ContentPlace): Window | undefined {
    if (length > MAX_IN_WINDOW) return undefined;
    return this.#windows.find(
      (window) =>
        window.segment === segment &&
        window.offset <= offset &&
        offset + length <= window.offset + WINDOW_BYTES,
    );
  }

  #openWindow(segment: number, offset: number): Window {
    const [oldest] = this.#windows;
    if (oldest !== undefined && this.#windows.length === MAX_WINDOWS) this.#closeWindow(oldest);
    const memory = this.#free.pop() ?? Buffer.allocUnsafeSlow(WINDOW_BYTES);
    const bytes = this.#readInto(memory, segment, offset);
    const window: Window = { segment, offset, bytes, loaded: undefined, readerCount: 0, isClosed: false };
    this.#windows.push(window);
    bytes.then(
      (loaded) => {
        window.loaded = loaded;
        this.#freeMemory(window);
      },
      () => this.#closeWindow(window),
    );
    return window;
  }

  #closeWindow(closed: Window): void {
    this.#windows = this.#windows.filter((window) => window !== closed);
    closed.isClosed = true;
    this.#freeMemory(closed);
  }

  /** Lets the next window have the memory of a closed one that is loaded and has no readers. */
  #freeMemory(window: Window): void {
    if (!window.isClosed || window.loaded === undefined || window.readerCount > 0) return;
    const { buffer } = window.loaded;
    window.loaded = undefined;
    if (this.#free.length < MAX_FREE) this.#free.push(Buffer.from(buffer));
  }

  async #readAlone({ segment, offset, length, checksum }: ContentPlace): Promise<Buffer | undefined> {
    return intact(await this.#readInto(Buffer.allocUnsafeSlow(length), segment, offset), length, checksum);
  }

  /** Resolves with the part of `bytes` that was filled. */
  async #readInto(bytes: Buffer, segment: number, offset: number): Promise<Buffer> {
    const open = this.#fileOf(segment);
    open.readCount += 1;
    try {
      return bytes.subarray(0, await open.file.read(bytes, offset));
    } finally {
      open.readCount -= 1;
      if (open.isClosing && open.readCount === 0) open.file.close();
    }
  }

  #fileOf(segment: number): OpenFile {
    const open = this.#open.get(segment) ?? {
      file: this.#files.open(segmentName(segment)),
      readCount: 0,
      isClosing: false,
    };
    this.#open.delete(segment);
    this.#open.set(segment, open);
    const [oldest] = this.#open;
    if (this.#open.size > MAX_OPEN_FILES && oldest !== undefined) this.#closeFile(...oldest);
    return open;
  }

  #closeFile(segment: number, open: OpenFile): void {
    this.#open.delete(segment);
    open.isClosing = true;
    if (open.readCount === 0) open.file.close();
  }
}

function partOf(window: Window, bytes: Buffer, { offset, length }: ContentPlace): Buffer {
  const start = offset - window.offset;
  return bytes.subarray(start, start + length);
}

/** Copies bytes without `Buffer.from`: that takes small copies from a pool (64 KiB since Node 24), and keeping one would keep the whole pool. */
function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

function intact(bytes: Buffer, length: number, checksum: number): Buffer | undefined {
  return bytes.length === length && crc32(bytes) === checksum ? bytes : undefined;
}
