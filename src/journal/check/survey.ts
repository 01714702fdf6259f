// Decides which rows of a journal can be kept, even if it is damaged. A counter that is lost or too low is set above the numbers of the
// messages.

import type { StoredEvent } from '../../broker/contract/event.js';
import type { Instant } from '../../broker/contract/instant.js';
import { Stores } from '../stores.js';
import type { ReadRow } from '../table/rows/rows.js';
import { TimeEpochs } from '../time-epochs.js';

export type MessagePut = Extract<StoredEvent, { kind: 'message-put' }>;
type MessageIdNoted = Extract<StoredEvent, { kind: 'message-id-noted' }>;
/** A row that names a content. */
export type ContentRow = MessagePut | Extract<StoredEvent, { kind: 'session-state-put' }>;
type CounterPut = Extract<StoredEvent, { kind: 'sequence-put' }>;
/** A row of a kind that is rare: an entity, a rule, a counter, the time. */
type MainRow =
  | Exclude<StoredEvent, ContentRow | MessageIdNoted | { kind: 'rows-discarded' }>
  | { readonly kind: 'time-put'; readonly now: Instant };

/** The count of sequence numbers in a partition (SEQ-06). */
const PARTITION_SIZE = 2 ** 48;

export class Survey {
  readonly stores = new Stores();
  readonly mainRows: MainRow[] = [];
  /** Messages and session states that have their contents. */
  readonly kept: ContentRow[] = [];
  /** Messages and session states whose contents cannot be read. */
  readonly lost: ContentRow[] = [];
  /** The message ids that duplicate detection remembers. */
  readonly messageIds: MessageIdNoted[] = [];
  /** One sentence for each row that contradicts others. */
  readonly contradictions: string[] = [];
  /** The ids of messages, kept only if any message is lost. */
  readonly #ids = new Map<string, string>();
  readonly #isReadable: (contentId: number) => boolean;

  /** Takes the rows in the order of their keys: entities first, then their counters, then messages. */
  constructor(rows: Iterable<ReadRow>, isReadable: (contentId: number) => boolean) {
    this.#isReadable = isReadable;
    const counters = new Map<string, CounterPut>();
    let epochs = new TimeEpochs();
    for (const row of rows) {
      if (row.kind === 'time-epochs') epochs = new TimeEpochs(row.epochs);
      else this.#note(epochs.read(row), counters);
    }
    this.mainRows.push(...counters.values());
    if (this.lost.length === 0) return;
    for (const { storeId, noted } of this.messageIds) {
      this.#ids.set(this.#nameOf(storeId, noted.sequenceNumber), noted.duplicateKey);
    }
  }

  /** The id of a message whose content is lost; undefined if duplicate detection does not remember it. */
  messageIdOf({ storeId, message }: MessagePut): string | undefined {
    return (
      this.#ids.get(this.#nameOf(storeId, message.sequenceNumber)) ?? message.details?.generatedMessageId
    );
  }

  /** The key of a message in `#ids`. A message keeps its number in all stores of its entity. */
  #nameOf(rowsId: number, sequenceNumber: number): string {
    return `${this.stores.find(rowsId)?.entity.mainStoreId}/${sequenceNumber}`;
  }

  #note(row: Exclude<ReadRow, { kind: 'time-epochs' }>, counters: Map<string, CounterPut>): void {
    if (row.kind === 'time-put') {
      this.mainRows.push(row);
      return;
    }
    if ('storeId' in row && this.stores.isDiscarded(row.storeId)) return;
    if (row.kind === 'message-put') this.#raise(counters, row.storeId, row.message.sequenceNumber);
    if (row.kind === 'message-id-noted') this.#raise(counters, row.storeId, row.noted.sequenceNumber);
    const problem = this.stores.note(row);
    if (row.kind === 'message-id-noted') {
      // One whose entity is gone is dropped silently, because it no longer protects from duplicates.
      if (problem === undefined) this.messageIds.push(row);
    } else if (problem !== undefined) this.contradictions.push(problem);
    else if (row.kind === 'message-put' || row.kind === 'session-state-put') {
      const { contentId } = row.kind === 'message-put' ? row.message : row.state;
      (this.#isReadable(contentId) ? this.kept : this.lost).push(row);
    } else if (row.kind === 'sequence-put') counters.set(nameOf(row), row);
    else if (row.kind !== 'rows-discarded') this.mainRows.push(row);
  }

  /** Raises the counter above a number that it would otherwise assign again. */
  #raise(counters: Map<string, CounterPut>, rowsId: number, sequenceNumber: number): void {
    const entity = this.stores.find(rowsId)?.entity;
    if (entity?.counters.findProblem(sequenceNumber) === undefined) return;
    const counter = {
      kind: 'sequence-put' as const,
      storeId: entity.mainStoreId,
      partitionId: entity.isPartitioned ? Math.floor(sequenceNumber / PARTITION_SIZE) : 0,
      nextSequenceNumber: sequenceNumber + 1,
    };
    entity.counters.put(counter);
    counters.set(nameOf(counter), counter);
  }
}

function nameOf({ storeId, partitionId }: CounterPut): string {
  return `${storeId}/${partitionId}`;
}
