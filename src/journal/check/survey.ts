// Decides for each row of a journal, in whatever state it is, whether it can be kept. A counter that is lost, or behind the messages,
// is set behind them.

import type { StoredEvent } from '../../broker/event.js';
import type { Instant } from '../../broker/instant.js';
import { Stores } from '../stores.js';

/** A row of a journal that says what is there, or the last time. */
export type JournalRow = StoredEvent | { readonly kind: 'time-put'; readonly now: Instant };

/** The rows of which there are few: entities, rules, counters and the time. */
type MainRow = Exclude<JournalRow, MessageRow | { readonly kind: 'rows-discarded' }>;
export type LostRow = Extract<StoredEvent, { kind: 'message-put' | 'session-state-put' }>;
type MessageIdRow = Extract<StoredEvent, { kind: 'message-id-noted' }>;
export type MessageRow = LostRow | MessageIdRow;
type MessagePut = Extract<StoredEvent, { kind: 'message-put' }>;
type CounterPut = Extract<StoredEvent, { kind: 'sequence-put' }>;

/** `removed`: its store was emptied. `lost`: its content cannot be read. */
export type Verdict = 'kept' | 'removed' | 'lost' | { readonly problem: string };

/** The count of sequence numbers in a partition (SEQ-06). */
const PARTITION_SIZE = 2 ** 48;

export class Survey {
  readonly stores = new Stores();
  readonly mainRows: MainRow[] = [];
  /** One sentence for each main row that contradicts others. */
  readonly contradictions: string[] = [];
  readonly #counters = new Map<string, CounterPut>();
  /** The ids of messages whose contents are lost, as far as they are known. */
  readonly #lostIds = new Map<string, string | undefined>();
  readonly #isReadable: (contentId: number) => boolean;

  private constructor(isReadable: (contentId: number) => boolean) {
    this.#isReadable = isReadable;
  }

  /** Takes all rows, those of entities first. */
  static async of(
    rows: AsyncIterable<JournalRow>,
    isReadable: (contentId: number) => boolean,
  ): Promise<Survey> {
    const survey = new Survey(isReadable);
    for await (const row of rows) survey.#note(row);
    survey.mainRows.push(...survey.#counters.values());
    return survey;
  }

  judge(row: MessageRow): Verdict {
    if (this.stores.isDiscarded(row.storeId)) return 'removed';
    const problem = this.stores.note(row);
    if (problem !== undefined) return { problem };
    if (row.kind === 'message-id-noted') return 'kept';
    const { contentId } = row.kind === 'message-put' ? row.message : row.state;
    if (this.#isReadable(contentId)) return 'kept';
    if (row.kind === 'message-put') this.#noteLost(row);
    return 'lost';
  }

  /** Takes the id that duplicate detection remembers of a message that was judged as lost. */
  nameLost({ storeId, noted }: MessageIdRow): void {
    const name = this.#nameOf(storeId, noted.sequenceNumber);
    if (this.#lostIds.has(name)) this.#lostIds.set(name, noted.duplicateKey);
  }

  /** The id of a message that was judged as lost; undefined when nothing remembers it. */
  messageIdOf({ storeId, message }: MessagePut): string | undefined {
    return this.#lostIds.get(this.#nameOf(storeId, message.sequenceNumber));
  }

  #noteLost({ storeId, message }: MessagePut): void {
    const name = this.#nameOf(storeId, message.sequenceNumber);
    if (!this.#lostIds.has(name)) this.#lostIds.set(name, message.generatedMessageId);
  }

  /** A message has its number in all stores of its entity. */
  #nameOf(rowsId: number, sequenceNumber: number): string {
    return `${this.stores.find(rowsId)?.entity.mainStoreId}/${sequenceNumber}`;
  }

  #note(row: JournalRow): void {
    if (row.kind === 'message-put') this.#raise(row.storeId, row.message.sequenceNumber);
    else if (row.kind === 'message-id-noted') this.#raise(row.storeId, row.noted.sequenceNumber);
    else if (row.kind !== 'session-state-put') this.#noteMain(row);
  }

  #noteMain(row: MainRow | Extract<StoredEvent, { kind: 'rows-discarded' }>): void {
    const problem = row.kind === 'time-put' ? undefined : this.stores.note(row);
    if (problem !== undefined) this.contradictions.push(problem);
    else if (row.kind === 'sequence-put') this.#counters.set(nameOf(row), row);
    else if (row.kind !== 'rows-discarded') this.mainRows.push(row);
  }

  /** Sets the counter behind a number that it would give again. */
  #raise(rowsId: number, sequenceNumber: number): void {
    const entity = this.stores.find(rowsId)?.entity;
    if (entity?.counters.findProblem(sequenceNumber) === undefined) return;
    const counter = {
      kind: 'sequence-put' as const,
      storeId: entity.mainStoreId,
      partitionId: entity.isPartitioned ? Math.floor(sequenceNumber / PARTITION_SIZE) : 0,
      nextSequenceNumber: sequenceNumber + 1,
    };
    entity.counters.put(counter);
    this.#counters.set(nameOf(counter), counter);
  }
}

export function isMessageRow(row: JournalRow): row is MessageRow {
  return row.kind === 'message-id-noted' || isWithContent(row);
}

export function isWithContent(row: JournalRow): row is LostRow {
  return row.kind === 'message-put' || row.kind === 'session-state-put';
}

function nameOf({ storeId, partitionId }: CounterPut): string {
  return `${storeId}/${partitionId}`;
}
