// Builders for the log's tests: batches of a few bytes, a log on files in memory, and what a start finds there.

import { ContentPlaces } from '../../src/journal/log/content-places.js';
import { type LoadedLog, type LogMark, readLog } from '../../src/journal/log/read-log.js';
import type { Batch } from '../../src/journal/log/record.js';
import { type LogOptions, SegmentLog } from '../../src/journal/log/segment-log.js';
import { MemoryFiles } from './memory-files.js';

export const SEGMENT_BYTES = 1100;

export type LogUnderTest = {
  readonly files: MemoryFiles;
  readonly places: ContentPlaces;
  readonly log: SegmentLog;
};

type LogUnderTestOptions = LogOptions & {
  readonly files?: MemoryFiles;
  /** What a start has found. Default: nothing. */
  readonly loaded?: Pick<LoadedLog, 'sealed' | 'lastSegment'>;
};

export function startLog(options: LogUnderTestOptions = {}): LogUnderTest {
  const { files = new MemoryFiles(), loaded = { sealed: new Map<number, number>(), lastSegment: 0 } } =
    options;
  const places = new ContentPlaces();
  return {
    files,
    places,
    log: new SegmentLog(files, places, loaded, { segmentBytes: SEGMENT_BYTES, ...options }),
  };
}

/** A message with its content, which the number repeated makes. */
export function batchOf(number: number, contentBytes = 300): Batch {
  return {
    rows: [[`m${number}`, `message ${number}`]],
    contents: [{ contentId: number, bytes: contentOf(number, contentBytes) }],
  };
}

export function contentOf(number: number, contentBytes = 300): Buffer {
  return Buffer.alloc(contentBytes, `${number} `);
}

/** Appends batches 1 to `count`, three to a segment. */
export async function appendTo(log: SegmentLog, from: number, to: number): Promise<void> {
  for (let number = from; number <= to; number++) {
    log.append(batchOf(number));
    await log.sync();
  }
}

export async function load(
  files: MemoryFiles,
  mark?: Partial<LogMark>,
): Promise<LoadedLog & { readonly places: ContentPlaces }> {
  const places = new ContentPlaces();
  const full = mark === undefined ? undefined : { segment: 0, offset: 0, isClean: false, ...mark };
  return { ...(await readLog(files, places, full)), places };
}

export function numbersIn({ changes }: LoadedLog): number[] {
  return [...changes.keys()].map((key) => Number(key.slice(1)));
}
