// Counts what a journal has, and finds the messages and session states whose contents are missing or damaged.

import type { StoredEvent } from '../../broker/event.js';
import type { Instant } from '../../broker/instant.js';
import { IdSet } from '../id-set.js';
import { StoreNames } from './store-names.js';

/** A message or a session state without its content. */
export type LostEntry = {
  /** The path of its queue, subscription or dead-letter queue. */
  readonly entity: string;
  readonly sequenceNumber?: number;
  readonly messageId?: string;
  readonly sessionId?: string;
  /** Why its content cannot be read. */
  readonly seen: string;
};

/** A row of a journal that says what is there, or the last time. */
export type JournalRow = StoredEvent | { readonly kind: 'time-put'; readonly now: Instant };

type NotedId = Extract<StoredEvent, { kind: 'message-id-noted' }>;

export class JournalAccount {
  readonly names = new StoreNames();
  /** The contents that messages and session states name. */
  readonly needed = new IdSet();
  readonly entityCounts = { queue: 0, topic: 0, subscription: 0 };
  messageCount = 0;
  messageBytes = 0;
  nextContentId = 1;
  readonly #lost: LostEntry[] = [];
  /** The positions of lost messages by entity and sequence number. */
  readonly #positions = new Map<string, number[]>();
  readonly #reasonOf: (contentId: number) => string | undefined;

  /** `reasonOf` says why a content cannot be read. */
  constructor(reasonOf: (contentId: number) => string | undefined) {
    this.#reasonOf = reasonOf;
  }

  get lost(): readonly LostEntry[] {
    return this.#lost;
  }

  /** Takes rows of entities before those of messages. */
  note(row: StoredEvent): void {
    this.names.note(row);
    if (row.kind === 'entity-put') this.entityCounts[row.entity.type] += 1;
    else if (row.kind === 'message-put') this.#noteMessage(row);
    else if (row.kind === 'session-state-put') {
      const { storeId, state } = row;
      this.#noteContent(storeId, state.contentId, { sessionId: state.sessionId });
    }
  }

  /** Names a lost message by the id that duplicate detection remembers of it. */
  noteMessageId({ storeId, noted }: NotedId): void {
    const positions = this.#positions.get(this.#nameOf(storeId, noted.sequenceNumber)) ?? [];
    for (const position of positions) {
      const entry = this.#lost[position];
      if (entry !== undefined) this.#lost[position] = { ...entry, messageId: noted.duplicateKey };
    }
  }

  #noteMessage({ storeId, message }: Extract<StoredEvent, { kind: 'message-put' }>): void {
    const { sequenceNumber, contentId, sizeBytes, generatedMessageId: messageId } = message;
    if (this.names.isDiscarded(storeId)) return;
    this.messageCount += 1;
    this.messageBytes += sizeBytes;
    const named = { sequenceNumber, ...(messageId === undefined ? {} : { messageId }) };
    if (!this.#noteContent(storeId, contentId, named)) return;
    const name = this.#nameOf(storeId, sequenceNumber);
    this.#positions.set(name, [...(this.#positions.get(name) ?? []), this.#lost.length - 1]);
  }

  /** Returns whether the content is lost. */
  #noteContent(storeId: number, contentId: number, named: Omit<LostEntry, 'entity' | 'seen'>): boolean {
    if (this.names.isDiscarded(storeId)) return false;
    this.needed.add(contentId);
    this.nextContentId = Math.max(this.nextContentId, contentId + 1);
    const seen = this.#reasonOf(contentId);
    if (seen === undefined) return false;
    this.#lost.push({ entity: this.names.pathOf(storeId), ...named, seen });
    return true;
  }

  #nameOf(storeId: number, sequenceNumber: number): string {
    return `${this.names.find(storeId)?.mainStoreId ?? storeId}/${sequenceNumber}`;
  }
}
