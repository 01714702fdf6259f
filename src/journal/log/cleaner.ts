// Frees disk space: deletes segments without living contents, and copies the living contents out of mostly dead segments.

import { setImmediate as nextLoop } from 'node:timers/promises';
import type { ContentPlaces } from './content-places.js';
import type { ContentReader } from './content-reader.js';
import type { Files } from './files.js';
import { LISTED_BYTES, type NewContent } from './record.js';
import { ENTRY_BYTES, sealedIds, sealStart, segmentName, TRAILER_BYTES } from './segment.js';
import type { SegmentLog } from './segment-log.js';

/** So many dead bytes are left alone. More are left alone only while there are even more living bytes. */
const TOLERATED_BYTES = 16 * 1024 * 1024;
/** The bytes of one copy: up to 10 ms of work, after which other work can run. */
const COPIED_BYTES = 256 * 1024;
const COPIED_COUNT = 1000;
const EXAMINED_COUNT = 1000;
/** The bytes that a copy takes in addition to its content. Without them, small contents would look mostly dead after each copy, and be copied forever. */
const LISTS_BYTES = LISTED_BYTES + ENTRY_BYTES;

export class Cleaner {
  readonly #files: Files;
  readonly #log: SegmentLog;
  readonly #places: ContentPlaces;
  readonly #reader: ContentReader;
  readonly #toleratedBytes: number;
  /** Segments with a content that is damaged and so cannot be copied. They stay until its message is gone. */
  readonly #stuck = new Set<number>();
  /** The segment with the first copy that the disk may not have yet. */
  #copiedFrom: number | undefined;

  constructor(
    files: Files,
    log: SegmentLog,
    places: ContentPlaces,
    reader: ContentReader,
    toleratedBytes = TOLERATED_BYTES,
  ) {
    this.#files = files;
    this.#log = log;
    this.#places = places;
    this.#reader = reader;
    this.#toleratedBytes = toleratedBytes;
  }

  /** The full segments without living contents. */
  dead(): readonly number[] {
    return [...this.#log.sealed.keys()].filter((segment) => !this.#places.hasLiving(segment));
  }

  /** Deletes dead segments. Before that, the table on the disk must no longer refer to their contents. */
  async remove(segments: readonly number[]): Promise<void> {
    if (segments.length === 0) return;
    if (this.#copiedFrom !== undefined) {
      const copiedFrom = this.#copiedFrom;
      this.#copiedFrom = undefined;
      await this.#log.syncFrom(copiedFrom);
    }
    for (const segment of segments) {
      this.#reader.forget(segment);
      this.#stuck.delete(segment);
    }
    await this.#log.remove(segments);
  }

  /** The full segment with the smallest share of living contents, if too many bytes are dead; else undefined. */
  #mostlyDead(): number | undefined {
    let best: number | undefined;
    let bestShare = 1;
    let sealedBytes = 0;
    let liveBytes = 0;
    for (const [segment, size] of this.#log.sealed) {
      const live = this.#places.liveBytesIn(segment) + this.#places.liveCountIn(segment) * LISTS_BYTES;
      sealedBytes += size;
      liveBytes += live;
      if (live / size < bestShare && this.#places.hasLiving(segment) && !this.#stuck.has(segment)) {
        best = segment;
        bestShare = live / size;
      }
    }
    return sealedBytes - liveBytes > Math.max(this.#toleratedBytes, liveBytes) ? best : undefined;
  }

  /** Appends the living contents of a mostly dead segment again; returns whether there was such a segment. `isStopped` ends it early. */
  async copyLiving(isStopped: () => boolean): Promise<boolean> {
    const segment = this.#mostlyDead();
    if (segment === undefined) return false;
    let copies: NewContent[] = [];
    let bytes = 0;
    let examinedCount = 0;
    for (const contentId of await this.#listOf(segment).catch(() => [])) {
      examinedCount += 1;
      if (examinedCount % EXAMINED_COUNT === 0) await nextLoop();
      const place = this.#places.find(contentId);
      if (place?.segment !== segment) continue;
      const content = await this.#reader.read(place).catch(() => undefined);
      if (isStopped()) return false;
      if (content === undefined) continue;
      copies.push({ contentId, bytes: content });
      bytes += content.length;
      if (bytes < COPIED_BYTES && copies.length < COPIED_COUNT) continue;
      this.#append(segment, copies);
      copies = [];
      bytes = 0;
      await nextLoop();
    }
    this.#append(segment, copies);
    if (this.#places.hasLiving(segment)) this.#stuck.add(segment);
    return true;
  }

  /** Appends the copies, except contents that were deleted while they were read. */
  #append(segment: number, copies: readonly NewContent[]): void {
    const contents = copies.filter(({ contentId }) => this.#places.find(contentId)?.segment === segment);
    if (contents.length === 0) return;
    this.#log.append({ rows: [], contents });
    this.#copiedFrom ??= this.#log.position.segment;
  }

  /** The ids of a segment's contents. They are read while the caller walks over them, because there may be 200,000. */
  async #listOf(segment: number): Promise<Iterable<number>> {
    const size = this.#log.sealed.get(segment) as number;
    const file = this.#files.open(segmentName(segment));
    try {
      const trailer = Buffer.alloc(TRAILER_BYTES);
      await file.read(trailer, size - TRAILER_BYTES);
      const start = sealStart(trailer, size);
      if (start === undefined) return [];
      const list = Buffer.alloc(size - start);
      await file.read(list, start);
      return sealedIds(segment, list);
    } finally {
      file.close();
    }
  }
}
