// What a journal keeps of a broker's events, in plain Maps, and watchful: nothing is deleted that is not there.

import type {
  Event,
  MessageIdRecord,
  MessageRecord,
  QueueRecord,
  SessionStateRecord,
  StoredEvent,
} from '../../src/broker/event.js';
import { check } from './check.js';

type Stored<K extends StoredEvent['kind']> = Extract<StoredEvent, { kind: K }>;
type Store = {
  readonly messages: Map<number, Stored<'message-put'>>;
  readonly noted: Map<number, MessageIdRecord>;
  readonly nextNumbers: Map<number, number>;
  readonly sessionStates: Map<string, SessionStateRecord>;
};

export class DurableRows {
  readonly contents = new Map<number, Uint8Array>();
  /** Of the events applied last: they may still be read. */
  readonly releasedContents = new Map<number, Uint8Array>();
  readonly #queues = new Map<number, QueueRecord>();
  readonly #stores = new Map<number, Store>();
  /** Those of queues that are gone as well. */
  readonly #places = new Map<number, string>();

  /** The events of a turn. */
  apply(events: readonly Event[]): void {
    this.releasedContents.clear();
    for (const event of events) this.#applyOne(event);
    for (const event of events) if (event.kind === 'queue-removed') this.#checkRemoved(event);
  }

  /** Queues first, as `Broker.restore` wants them. */
  stored(): StoredEvent[] {
    const stored: StoredEvent[] = [];
    for (const queue of this.#queues.values()) stored.push({ kind: 'queue-put', queue });
    for (const [storeId, { messages, noted, nextNumbers, sessionStates }] of this.#stores) {
      for (const [partitionId, nextSequenceNumber] of nextNumbers) {
        stored.push({ kind: 'sequence-put', storeId, partitionId, nextSequenceNumber });
      }
      for (const record of noted.values()) stored.push({ kind: 'message-id-noted', storeId, noted: record });
      for (const state of sessionStates.values()) stored.push({ kind: 'session-state-put', storeId, state });
      stored.push(...messages.values());
    }
    return stored;
  }

  copy(): DurableRows {
    const copy = new DurableRows();
    copy.apply(this.stored());
    for (const [contentId, content] of this.contents) copy.contents.set(contentId, content);
    return copy;
  }

  *messages(): Iterable<Stored<'message-put'>> {
    for (const { messages } of this.#stores.values()) yield* messages.values();
  }

  messagesOf(storeId: number): Iterable<Stored<'message-put'>> {
    return this.#stores.get(storeId)?.messages.values() ?? [];
  }

  get messageCount(): number {
    let count = 0;
    for (const { messages } of this.#stores.values()) count += messages.size;
    return count;
  }

  *sessionStates(): Iterable<{ readonly storeId: number; readonly state: SessionStateRecord }> {
    for (const [storeId, { sessionStates }] of this.#stores) {
      for (const state of sessionStates.values()) yield { storeId, state };
    }
  }

  get sessionStateCount(): number {
    let count = 0;
    for (const { sessionStates } of this.#stores.values()) count += sessionStates.size;
    return count;
  }

  /** Of messages and of session states. */
  *neededContentIds(): Iterable<number> {
    for (const { message } of this.messages()) yield message.contentId;
    for (const { state } of this.sessionStates()) yield state.contentId;
  }

  findSessionState(storeId: number, sessionId: string): SessionStateRecord | undefined {
    return this.#stores.get(storeId)?.sessionStates.get(sessionId);
  }

  findMessage(storeId: number, sequenceNumber: number): MessageRecord | undefined {
    return this.#stores.get(storeId)?.messages.get(sequenceNumber)?.message;
  }

  findNoted(storeId: number, sequenceNumber: number): MessageIdRecord | undefined {
    return this.#stores.get(storeId)?.noted.get(sequenceNumber);
  }

  queues(): Iterable<QueueRecord> {
    return this.#queues.values();
  }

  get queueCount(): number {
    return this.#queues.size;
  }

  findQueue(name: string): QueueRecord | undefined {
    for (const queue of this.#queues.values()) if (queue.description.name === name) return queue;
    return undefined;
  }

  /** The store an entity path names. */
  storeAt(path: string): number | undefined {
    const [name, isDead] = path.toLowerCase().split(/(\/\$deadletterqueue$)/);
    for (const { description, storeId, deadLetterStoreId } of this.#queues.values()) {
      if (description.name.toLowerCase() !== name) continue;
      return isDead === undefined ? storeId : deadLetterStoreId;
    }
    return undefined;
  }

  requiresSession(storeId: number): boolean {
    return this.#queues.get(storeId)?.description.requiresSession === true;
  }

  /** The number the next message of this partition gets; undefined before the first. */
  nextNumber(storeId: number, partitionId: number): number | undefined {
    return this.#stores.get(storeId)?.nextNumbers.get(partitionId);
  }

  /** For reading: `orders main` or `orders dead`. */
  placeOf(storeId: number): string {
    const place = this.#places.get(storeId);
    check(place !== undefined, `store ${storeId} belongs to no queue`);
    return place;
  }

  /** Also of a queue that is gone. */
  queueNameOf(storeId: number): string {
    return this.placeOf(storeId).replace(/ (?:main|dead)$/, '');
  }

  #applyOne(event: Event): void {
    switch (event.kind) {
      case 'queue-put':
        this.#putQueue(event.queue);
        break;
      case 'queue-removed':
        check(this.#queues.delete(event.storeId), 'a queue is removed that is not there');
        break;
      case 'message-put':
        this.#store(event.storeId).messages.set(event.message.sequenceNumber, event);
        break;
      case 'message-removed': {
        const { messages } = this.#store(event.storeId);
        check(messages.delete(event.sequenceNumber), 'a message is removed that is not there');
        break;
      }
      case 'sequence-put':
        this.#store(event.storeId).nextNumbers.set(event.partitionId, event.nextSequenceNumber);
        break;
      case 'message-id-noted':
        this.#store(event.storeId).noted.set(event.noted.sequenceNumber, event.noted);
        break;
      case 'message-id-forgotten': {
        const { noted } = this.#store(event.storeId);
        check(noted.delete(event.sequenceNumber), 'a message-id is forgotten that is not noted');
        break;
      }
      case 'session-state-put':
        this.#store(event.storeId).sessionStates.set(event.state.sessionId, event.state);
        break;
      case 'session-state-removed': {
        const { sessionStates } = this.#store(event.storeId);
        check(sessionStates.delete(event.sessionId), 'a session state is removed that is not there');
        break;
      }
      case 'content-stored':
        check(!this.contents.has(event.contentId), 'a content is stored twice');
        this.contents.set(event.contentId, event.content);
        break;
      case 'content-released':
        this.#releaseContent(event.contentId);
        break;
      case 'time-put':
        break;
      default:
        event satisfies never;
    }
  }

  #putQueue(queue: QueueRecord): void {
    const { storeId, deadLetterStoreId, description } = queue;
    this.#queues.set(storeId, queue);
    this.#places.set(storeId, `${description.name} main`);
    this.#places.set(deadLetterStoreId, `${description.name} dead`);
    for (const id of [storeId, deadLetterStoreId]) {
      if (!this.#stores.has(id)) {
        this.#stores.set(id, {
          messages: new Map(),
          noted: new Map(),
          nextNumbers: new Map(),
          sessionStates: new Map(),
        });
      }
    }
  }

  #store(storeId: number): Store {
    const store = this.#stores.get(storeId);
    check(store !== undefined, `store ${storeId} belongs to no queue`);
    return store;
  }

  #releaseContent(contentId: number): void {
    const content = this.contents.get(contentId);
    check(content !== undefined, 'a content is released that is not there');
    this.contents.delete(contentId);
    this.releasedContents.set(contentId, content);
  }

  /** Its messages, message-ids and session states have had events of their own; its counters go with it. */
  #checkRemoved({ storeId, deadLetterStoreId }: Extract<Event, { kind: 'queue-removed' }>): void {
    for (const id of [storeId, deadLetterStoreId]) {
      const { messages, noted, sessionStates } = this.#store(id);
      check(sessionStates.size === 0, 'a removed queue has left session states behind');
      check(messages.size === 0, 'a removed queue has left messages behind');
      check(noted.size === 0, 'a removed queue has left message-ids behind');
      this.#stores.delete(id);
    }
  }
}
