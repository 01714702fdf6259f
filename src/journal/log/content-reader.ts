// Reads contents from their segments. Messages are mostly received in the order in which they were sent, so a read also takes the bytes
// behind the content: the next contents then need no call into the operating system.

import { crc32 } from 'node:zlib';
import type { ContentPlace } from './content-places.js';
import type { Files, SegmentFile } from './files.js';
import { segmentName } from './segment.js';

const WINDOW_BYTES = 512 * 1024;
const MAX_WINDOWS = 8;
/** Larger contents are read on their own. */
const MAX_IN_WINDOW = 128 * 1024;
/** Contents up to this size are copied out of their window. Otherwise one that waits for its link would keep the whole window in memory. */
const MAX_COPIED_BYTES = 16 * 1024;
const MAX_OPEN_FILES = 8;

/** The bytes of a segment from an offset on. */
type Window = {
  readonly segment: number;
  readonly offset: number;
  readonly bytes: Promise<Buffer>;
  /** The same bytes, once they are read. */
  loaded: Buffer | undefined;
};

type OpenFile = { readonly file: SegmentFile; readCount: number; isClosing: boolean };

export class ContentReader {
  readonly #files: Files;
  /** The least recently used first. */
  readonly #open = new Map<number, OpenFile>();
  #windows: Window[] = [];

  constructor(files: Files) {
    this.#files = files;
  }

  /** Resolves with undefined if the bytes are damaged. */
  async read(place: ContentPlace): Promise<Uint8Array | undefined> {
    const { segment, offset, length, checksum } = place;
    if (length > MAX_IN_WINDOW) {
      return intact(await this.#readAt(segment, offset, length), length, checksum);
    }
    const window = this.#windowWith(segment, offset, length) ?? this.#openWindow(segment, offset);
    const found = contentIn(window, await window.bytes, place);
    if (found !== undefined) return found;
    // Read again: the window may have been read before its end was written.
    this.#dropWindow(window);
    return intact(await this.#readAt(segment, offset, length), length, checksum);
  }

  /** Returns the content at once if its bytes have been read together with an earlier content; else undefined. */
  readLoaded(place: ContentPlace): Uint8Array | undefined {
    const window = this.#windowWith(place.segment, place.offset, place.length);
    return window?.loaded === undefined ? undefined : contentIn(window, window.loaded, place);
  }

  /** Like `read`, but blocks the process. */
  readNow({ segment, offset, length, checksum }: ContentPlace): Uint8Array | undefined {
    const bytes = Buffer.allocUnsafeSlow(length);
    const count = this.#fileOf(segment).file.readNow(bytes, offset);
    return intact(bytes.subarray(0, count), length, checksum);
  }

  /** Closes the file of a deleted segment as soon as nothing reads it. */
  forget(segment: number): void {
    this.#windows = this.#windows.filter((window) => window.segment !== segment);
    const open = this.#open.get(segment);
    if (open !== undefined) this.#closeFile(segment, open);
  }

  close(): void {
    this.#windows = [];
    for (const [segment, open] of this.#open) this.#closeFile(segment, open);
  }

  #windowWith(segment: number, offset: number, length: number): Window | undefined {
    return this.#windows.find(
      (window) =>
        window.segment === segment &&
        window.offset <= offset &&
        offset + length <= window.offset + WINDOW_BYTES,
    );
  }

  #openWindow(segment: number, offset: number): Window {
    const bytes = this.#readAt(segment, offset, WINDOW_BYTES);
    const window: Window = { segment, offset, bytes, loaded: undefined };
    this.#windows.push(window);
    if (this.#windows.length > MAX_WINDOWS) this.#windows.shift();
    bytes.then(
      (loaded) => {
        window.loaded = loaded;
      },
      () => this.#dropWindow(window),
    );
    return window;
  }

  #dropWindow(dropped: Window): void {
    this.#windows = this.#windows.filter((window) => window !== dropped);
  }

  async #readAt(segment: number, offset: number, length: number): Promise<Buffer> {
    const open = this.#fileOf(segment);
    const bytes = Buffer.allocUnsafeSlow(length);
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

function contentIn(
  window: Window,
  bytes: Buffer,
  { offset, length, checksum }: ContentPlace,
): Buffer | undefined {
  const start = offset - window.offset;
  const content = bytes.subarray(start, start + length);
  return intact(length > MAX_COPIED_BYTES ? content : copyOf(content), length, checksum);
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
