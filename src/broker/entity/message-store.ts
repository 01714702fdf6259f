// What holds deliverable messages: the main store of a queue, or its dead-letter queue.

import { CreditQueue } from '../delivery/credit-queue.js';
import { MessageLog } from '../message/message-log.js';
import { deadLetterPathOf } from './entity-path.js';
import type { Queue } from './queue.js';

export class MessageStore {
  readonly id: number;
  readonly queue: Queue;
  /** A dead-letter queue does not count deliveries, knows no maximum and no sessions (DLV-07, DLQ-03). */
  readonly isDeadLetterQueue: boolean;
  readonly log = new MessageLog();
  readonly credits = new CreditQueue();

  constructor(id: number, queue: Queue, { isDeadLetterQueue }: { readonly isDeadLetterQueue: boolean }) {
    this.id = id;
    this.queue = queue;
    this.isDeadLetterQueue = isDeadLetterQueue;
  }

  get path(): string {
    const { name } = this.queue.description;
    return this.isDeadLetterQueue ? deadLetterPathOf(name) : name;
  }
}
