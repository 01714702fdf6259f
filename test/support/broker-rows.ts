// What a journal would keep of a broker's events, in plain Maps: enough to bring a broker back after a crash.

import type { Event, MessageRecord, QueueRecord, StoredEvent } from '../../src/broker/event.js';

type Stored<K extends StoredEvent['kind']> = Extract<StoredEvent, { kind: K }>;

export class BrokerRows {
  readonly #queues = new Map<number, QueueRecord>();
  readonly #messages = new Map<string, Stored<'message-put'>>();
  readonly #nextNumbers = new Map<number, number>();
  readonly contents = new Map<number, Uint8Array>();

  apply(events: readonly Event[]): void {
    for (const event of events) this.#applyOne(event);
  }

  /** Queues first, as `Broker.restore` wants them. */
  stored(): readonly StoredEvent[] {
    return [
      ...[...this.#queues.values()].map((queue) => ({ kind: 'queue-put', queue }) as const),
      ...[...this.#nextNumbers].map(
        ([storeId, nextSequenceNumber]) => ({ kind: 'sequence-put', storeId, nextSequenceNumber }) as const,
      ),
      ...this.#messages.values(),
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

  /** The number the next message of this main store gets. */
  nextNumber(storeId: number): number {
    return this.#nextNumbers.get(storeId) ?? 1;
  }

  /** For reading: `orders main` or `orders dead`. */
  placeOf(storeId: number): string {
    for (const { description, storeId: main, deadLetterStoreId } of this.#queues.values()) {
      if (storeId === main) return `${description.name} main`;
      if (storeId === deadLetterStoreId) return `${description.name} dead`;
    }
    throw new Error(`store ${storeId} belongs to no queue`);
  }

  #applyOne(event: Event): void {
    switch (event.kind) {
      case 'queue-put':
        this.#queues.set(event.queue.storeId, event.queue);
        break;
      case 'message-put':
        this.#messages.set(`${event.storeId}/${event.message.sequenceNumber}`, event);
        break;
      case 'message-removed':
        this.#messages.delete(`${event.storeId}/${event.sequenceNumber}`);
        break;
      case 'sequence-put':
        this.#nextNumbers.set(event.storeId, event.nextSequenceNumber);
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
}
