// Remembers, for the matchers of tests, the messages that have come, so that one that is gone can still be compared, and when each record
// was made by the machine's clock, because the broker's may stand still.

import { plainContent, type SentMessageView } from '../content/shown-message.js';
import type { ActivityRecord } from '../watch/activity-record.js';
import type { ActivityStream } from '../watch/activity-stream.js';

/** The stream keeps as many records. */
const MAX_RECORDS = 10_000;
const MAX_MESSAGES = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;

const DEAD_LETTER_SUFFIX = /\/\$deadletterqueue$/;
const TOPIC_OF_SUBSCRIPTION = /^(.+)\/subscriptions\/[^/]+$/;

type Remembered = {
  /** Undefined for one whose content was never seen, such as the copy of a message that came before. */
  readonly content: Uint8Array | undefined;
  readonly messageId: string | undefined;
};

export class TestRecord {
  readonly #activity: ActivityStream;
  readonly #now: () => number;
  readonly #messages = new Map<string, Remembered>();
  #machineTimes = new Float64Array();
  #bytes = 0;
  #firstId: number | undefined;
  #startedAt = Number.POSITIVE_INFINITY;

  constructor(activity: ActivityStream, now: () => number) {
    this.#activity = activity;
    this.#now = now;
  }

  start(): void {
    if (this.#firstId !== undefined) return;
    this.#activity.turnOn();
    this.#firstId = this.#activity.nextId;
    this.#machineTimes = new Float64Array(MAX_RECORDS);
    this.#startedAt = this.#now();
    this.#activity.observe((kind, read, content) => {
      const record = read();
      this.#machineTimes[record.id % MAX_RECORDS] = this.#now();
      if (content !== undefined) this.#add(record, Uint8Array.from(content));
      else if (kind === 'routed' || kind === 'activated') this.#add(record, this.#origin(record)?.content);
    });
  }

  /** Whether no record is missing since `start` was called. */
  get isWhole(): boolean {
    return this.#firstId !== undefined && this.#activity.firstId <= this.#firstId;
  }

  /** The machine's time from which on no record is missing. */
  get since(): number {
    const { firstId } = this.#activity;
    return this.isWhole ? this.#startedAt : (this.#machineTimes[firstId % MAX_RECORDS] ?? this.#startedAt);
  }

  /** The machine's time of a record; 0 if it was made before this began. */
  machineTimeOf({ id }: ActivityRecord): number {
    return this.#firstId === undefined || id < this.#firstId
      ? 0
      : (this.#machineTimes[id % MAX_RECORDS] ?? 0);
  }

  /** The bytes of a message as its sender encoded it; undefined if they are no longer known. */
  contentOf(path: string, sequenceNumber: number): Uint8Array | undefined {
    return this.#messages.get(keyOf(path, sequenceNumber))?.content;
  }

  /** A message as its sender set it; undefined if that is no longer known. */
  messageOf(path: string, sequenceNumber: number): SentMessageView | undefined {
    const found = this.#messages.get(keyOf(path, sequenceNumber));
    if (found?.content === undefined) return undefined;
    const { content, messageId } = found;
    return plainContent(
      content,
      messageId === undefined ? { sequenceNumber } : { sequenceNumber, messageId },
    );
  }

  #add(record: ActivityRecord, content: Uint8Array | undefined): void {
    if (!('path' in record && 'sequenceNumber' in record)) return;
    const messageId = 'messageId' in record ? record.messageId : this.#origin(record)?.messageId;
    this.#messages.set(keyOf(record.path, record.sequenceNumber), { content, messageId });
    this.#bytes += content?.length ?? 0;
    for (const [key, { content: oldest }] of this.#messages) {
      if (this.#messages.size <= MAX_MESSAGES && this.#bytes <= MAX_BYTES) break;
      this.#messages.delete(key);
      this.#bytes -= oldest?.length ?? 0;
    }
  }

  /** The message that a copy was made of, or that was scheduled. */
  #origin(record: ActivityRecord): Remembered | undefined {
    if (record.kind === 'activated') return this.#messages.get(keyOf(record.path, record.scheduledNumber));
    if (record.kind !== 'routed') return undefined;
    const topic = TOPIC_OF_SUBSCRIPTION.exec(record.path.toLowerCase())?.[1];
    return topic === undefined ? undefined : this.#messages.get(keyOf(topic, record.acceptedNumber));
  }
}

/** A dead letter keeps the number that it had in its entity. */
function keyOf(path: string, sequenceNumber: number): string {
  return `${path.toLowerCase().replace(DEAD_LETTER_SUFFIX, '')} ${sequenceNumber}`;
}
