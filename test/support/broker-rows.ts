// What a journal would keep of a broker's events, in plain Maps: enough to bring a broker back after a crash.

import type { Event, MessageRecord, QueueRecord, StoredEvent } from '../../src/broker/event.js';

type Stored<K extends StoredEvent['kind']> = Extract<StoredEvent, { kind: K }>;

export class BrokerRows {
  readonly #queues = new Map<number, QueueRecord>();
  readonly #counters = new Map<string, Stored<'sequence-put'>>();
  readonly #messageIds = new Map<string, Stored<'message-id-noted'>>();
  readonly #messages = new Map<string, Stored<'message-put'>>();
  readonly #sessionStates = new Map<string, Stored<'session-state-put'>>();
  /** Those of removed queues, too. */
  readonly #places = new Map<number, string>();
  readonly contents = new Map<number, Uint8Array>();

  apply(events: readonly Event[]): void {
    for (const event of events) this.#applyOne(event);
  }

  /** Queues first, as `Broker.restore` wants them. */
  stored(): readonly StoredEvent[] {
    return [
      ...[...this.#queues.values()].map((queue) => ({ kind: 'queue-put', queue }) as const),
      ...this.#counters.values(),
      ...this.#messageIds.values(),
      ...this.#messages.values(),
      ...this.#sessionStates.values(),
    ];
  }

  copy(): BrokerRows {
    const copy = new BrokerRows();
    copy.apply(this.stored());
    for (const [contentId, content] of this.contents) copy.contents.set(contentId, content);
    return copy;
  }

  messages(): Iterable<Stored<'message-put'>> {
    return this.#messages.values();
  }

  get messageCount(): number {
    return this.#messages.size;
  }

  findMessage(storeId: number, sequenceNumber: number): MessageRecord | undefined {
    return this.#messages.get(`${storeId}/${sequenceNumber}`)?.message;
  }

  queues(): Iterable<QueueRecord> {
    return this.#queues.values();
  }

  findQueue(name: string): QueueRecord | undefined {
    return [...this.#queues.values()].find((queue) => queue.description.name === name);
  }

  messageIds(): Iterable<Stored<'message-id-noted'>> {
    return this.#messageIds.values();
  }

  sessionStates(): Iterable<Stored<'session-state-put'>> {
    return this.#sessionStates.values();
  }

  /** The number the next message of this main store, or of one of its partitions, gets. */
  nextNumber(storeId: number, partitionId = 0): number {
    const counter = this.#counters.get(`${storeId}/${partitionId}`);
    return counter?.nextSequenceNumber ?? partitionId * 2 ** 48 + 1; // SEQ-06
  }

  /** For reading: `orders main` or `orders dead`. */
  placeOf(storeId: number): string {
    const place = this.#places.get(storeId);
    if (place === undefined) throw new Error(`store ${storeId} belongs to no queue`);
    return place;
  }

  #applyOne(event: Event): void {
    switch (event.kind) {
      case 'queue-put':
        this.#putQueue(event.queue);
        break;
      case 'queue-removed':
        this.#removeQueue(event.storeId);
        break;
      case 'message-put':
        this.#messages.set(`${event.storeId}/${event.message.sequenceNumber}`, event);
        break;
      case 'message-removed':
        this.#messages.delete(`${event.storeId}/${event.sequenceNumber}`);
        break;
      case 'sequence-put':
        this.#counters.set(`${event.storeId}/${event.partitionId}`, event);
        break;
      case 'message-id-noted':
        this.#messageIds.set(`${event.storeId}/${event.noted.sequenceNumber}`, event);
        break;
      case 'message-id-forgotten':
        this.#messageIds.delete(`${event.storeId}/${event.sequenceNumber}`);
        break;
      case 'session-state-put':
        this.#sessionStates.set(`${event.storeId}/${event.state.sessionId}`, event);
        break;
      case 'session-state-removed':
        this.#sessionStates.delete(`${event.storeId}/${event.sessionId}`);
        break;
      case 'content-stored':
        this.contents.set(event.contentId, event.content);
        break;
      case 'content-released':
        this.contents.delete(event.contentId);
        break;
      case 'time-put':
        break;
    }
  }

  #putQueue(queue: QueueRecord): void {
    this.#queues.set(queue.storeId, queue);
    this.#places.set(queue.storeId, `${queue.description.name} main`);
    this.#places.set(queue.deadLetterStoreId, `${queue.description.name} dead`);
  }

  #removeQueue(storeId: number): void {
    this.#queues.delete(storeId);
    for (const [key, counter] of this.#counters) {
      if (counter.storeId === storeId) this.#counters.delete(key);
    }
  }
}
