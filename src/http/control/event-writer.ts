// Writes events to a client as server-sent events, for as long as its right to read them lasts.

import type { ByteShare } from '../../budget/byte-budget.js';
import { MAX_DELAY_MS, startRealTimer } from '../../engine/timer.js';
import type { ActivityRecord } from '../../watch/activity-record.js';
import type { ActivityStream } from '../../watch/activity-stream.js';
import { jsonOfRecord } from '../../watch/record-json.js';
import type { HttpContext } from '../http-context.js';
import type { EventAnswer } from './control-schemas.js';
import { timeText } from './entity-answers.js';

/** The most records in one write, so that many kept records are sent in pieces. */
const MAX_WRITTEN = 500;
/** The time between two writes, unless one is full earlier. Writing each record alone would cost more than the messages themselves. */
const GATHERED_MS = 100;
/** A person cannot follow so many records, so a write with as many is followed by a longer pause, which costs less. */
const MANY = 50;
const MANY_GATHERED_MS = 300;

type EventStreamOptions = {
  readonly from: number;
  /** Undefined: none. */
  readonly isWanted: ((record: ActivityRecord) => boolean) | undefined;
  /** Whether an event `count` says how many records were not wanted, and the time of the last. */
  readonly countsOthers?: boolean;
  /** The id that the next record would have when the client's right was checked. */
  readonly grantedAt: number;
  /** The end of the client's right, in milliseconds since 1970, or infinity. */
  readonly expiresAtMs: number;
  /** Whether the client's right ends with this record, which it still gets. */
  readonly endsWith: (record: ActivityRecord) => boolean;
  readonly clock: Pick<HttpContext, 'now' | 'startTimer'>;
  /** Counts the bytes that the client has not read yet. */
  readonly share: ByteShare;
};

/**
 * Writes the records as fast as the reader takes them. A slower reader loses the oldest records: an event `lost` says how many. A reader
 * that names a record which does not exist yet has read it before the emulator was restarted: it gets an event `restarted`, and then all
 * kept records. When the reader's right ends, an event `ended` says why, and its id says where to go on.
 */
export function eventStream(
  activity: ActivityStream,
  options: EventStreamOptions,
): ReadableStream<Uint8Array> {
  const { share } = options;
  const writer = new EventWriter(activity, options);
  // One block is on its way to the reader while the next one waits.
  const unreadBytes = [0, 0];
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(Buffer.from(': connected\n\n'));
    },
    async pull(controller) {
      await roomIn(share);
      const block = await writer.next();
      unreadBytes.push(block.length);
      share.add(block.length - (unreadBytes.shift() ?? 0));
      controller.enqueue(block);
      if (writer.hasEnded) controller.close();
    },
    cancel() {
      writer.stop();
    },
  });
}

/** Resolves when there is room for more. Meanwhile the stream loses its oldest records. */
function roomIn(share: ByteShare): Promise<void> | undefined {
  if (share.fits(0)) return undefined;
  return new Promise((resolve) => share.wait({ mayExceed: () => false, goOn: resolve, gone: resolve }));
}

class EventWriter {
  readonly #activity: ActivityStream;
  readonly #options: EventStreamOptions;
  readonly #stopObserving: () => void;
  #stopTimer = () => {};
  #wake = () => {};
  #nextId: number;
  #isRestart: boolean;
  #writtenAt = Number.NEGATIVE_INFINITY;
  /** The number of records in the last write, including records that it left out. */
  #writtenCount = 0;
  /** The id of the record with which the right ends. */
  #lastId = Number.POSITIVE_INFINITY;
  /** Text for the next write. */
  #text = '';
  hasEnded = false;

  constructor(activity: ActivityStream, options: EventStreamOptions) {
    this.#activity = activity;
    this.#options = options;
    this.#nextId = options.from;
    this.#isRestart = options.from > activity.nextId;
    this.#stopObserving = activity.observe((kind, read) => {
      if (kind === 'entity-deleted') this.#noteEnd(read());
      this.#wake();
    });
    for (const record of activity.since(options.grantedAt)) this.#noteEnd(record);
    this.#waitForExpiry();
  }

  /** The bytes of the next write. After a quiet time it comes at once. */
  async next(): Promise<Uint8Array> {
    const from = this.#nextId;
    await this.#waitForText();
    this.#writtenAt = performance.now();
    this.#writtenCount = this.#nextId - from;
    const block = Buffer.from(this.#text);
    this.#text = '';
    return block;
  }

  async #waitForText(): Promise<void> {
    for (;;) {
      await this.#gather();
      const end = this.#isExpired ? 'token-expired' : undefined;
      if (end === undefined) this.#addRecords();
      const cause = end ?? (this.#nextId > this.#lastId ? 'entity-deleted' : undefined);
      if (cause !== undefined) this.#end(cause);
      if (this.#text !== '') return;
      if (this.#nextId < this.#activity.nextId) continue;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #gather(): Promise<void> | undefined {
    const pauseMs = this.#writtenCount < MANY ? GATHERED_MS : MANY_GATHERED_MS;
    const restMs = this.#writtenAt + pauseMs - performance.now();
    if (restMs <= 0 || this.#activity.nextId - this.#nextId >= MAX_WRITTEN) return undefined;
    return new Promise((resolve) => startRealTimer(restMs, resolve));
  }

  stop(): void {
    this.#stopObserving();
    this.#stopTimer();
  }

  get #isExpired(): boolean {
    return this.#restMs <= 0;
  }

  get #restMs(): number {
    const { expiresAtMs, clock } = this.#options;
    return expiresAtMs - (clock.now ?? Date.now)();
  }

  #noteEnd(record: ActivityRecord): void {
    if (this.#options.endsWith(record)) this.#lastId = Math.min(this.#lastId, record.id);
  }

  #waitForExpiry(): void {
    const { expiresAtMs, clock } = this.#options;
    if (expiresAtMs === Number.POSITIVE_INFINITY) return;
    const { startTimer = startRealTimer } = clock;
    const delayMs = Math.min(MAX_DELAY_MS, Math.max(1, this.#restMs));
    this.#stopTimer = startTimer(delayMs, () => {
      if (this.#isExpired) this.#wake();
      else this.#waitForExpiry();
    });
  }

  #addRecords(): void {
    const activity = this.#activity;
    if (this.#isRestart) {
      this.#text += `event: restarted\ndata: ${JSON.stringify({ newestId: activity.nextId - 1 })}\n\n`;
      this.#nextId = activity.firstId;
      this.#isRestart = false;
    }
    if (this.#nextId < activity.firstId) {
      this.#text += `event: lost\ndata: ${JSON.stringify({ count: activity.firstId - this.#nextId })}\n\n`;
      this.#nextId = activity.firstId;
    }
    const end = Math.min(this.#nextId + MAX_WRITTEN, activity.nextId, this.#lastId + 1);
    const { isWanted, countsOthers = false } = this.#options;
    let count = 0;
    for (; this.#nextId < end; this.#nextId++) {
      const record = isWanted === undefined ? undefined : activity.read(this.#nextId);
      if (record !== undefined && isWanted?.(record) === true) this.#text += eventText(record);
      else count += 1;
    }
    if (countsOthers && count > 0) this.#addCount(count);
  }

  #addCount(count: number): void {
    const id = this.#nextId - 1;
    const time = this.#activity.read(id)?.time;
    const data = { count, time: time === undefined ? undefined : timeText(time) };
    this.#text += `id: ${id}\nevent: count\ndata: ${JSON.stringify(data)}\n\n`;
  }

  #end(cause: 'token-expired' | 'entity-deleted'): void {
    this.stop();
    this.hasEnded = true;
    this.#text += `id: ${this.#nextId - 1}\nevent: ended\ndata: ${JSON.stringify({ cause })}\n\n`;
  }
}

function eventText(record: ActivityRecord): string {
  return `id: ${record.id}\ndata: ${JSON.stringify(jsonOfRecord(record))}\n\n`;
}

export function eventAnswer(record: ActivityRecord): EventAnswer {
  return jsonOfRecord(record) as EventAnswer;
}
