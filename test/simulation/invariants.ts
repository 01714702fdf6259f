// The invariants of semantics D.5 and E.4, watched from outside and without the reference model: what is kept, and how often it was had.

import type { Turn } from '../../src/broker/broker.js';
import type { Command } from '../../src/broker/command.js';
import type { Event, MessageRecord } from '../../src/broker/event.js';
import { MESSAGE_STATE } from '../../src/broker/message/message-properties.js';
import type { TurnBroker } from '../../src/engine/engine.js';
import { check, checkSame } from './check.js';
import { DeliveryWatch } from './delivery-watch.js';
import type { DurableRows } from './durable-rows.js';
import { PARTITION_SIZE, PARTITIONS } from './reference-turn.js';

/** What was just executed, when, and by whom. */
export type Step = {
  readonly command: Command;
  readonly turn: Turn;
  readonly now: number;
  readonly broker: TurnBroker;
};

type Home = { readonly storeId: number; readonly sequenceNumber: number };

export class Invariants {
  readonly #rows: DurableRows;
  readonly #deliveries: DeliveryWatch;
  /** Where the message of a content is. */
  readonly #homes = new Map<number, Home>();
  /** The highest number given by each partition of each main store. */
  readonly #lastNumbers = new Map<string, number>();
  /** From a main store to the largest maximum it ever had. */
  readonly #maxDeliveryCounts = new Map<number, number>();

  /** `rows` are those of the first turn on, or of a restart: everything durable. */
  constructor(rows: DurableRows, releaseLocksOnDetach: boolean) {
    this.#rows = rows;
    for (const queue of rows.queues()) {
      this.#maxDeliveryCounts.set(queue.storeId, queue.description.maxDeliveryCount);
      for (let partition = 0; partition < PARTITIONS; partition++) {
        const next = rows.nextNumber(queue.storeId, partition);
        if (next !== undefined) this.#lastNumbers.set(`${queue.storeId} ${partition}`, next - 1);
      }
    }
    this.#deliveries = new DeliveryWatch(rows, this.#maxDeliveryCounts, releaseLocksOnDetach);
    for (const { storeId, message } of rows.messages()) {
      this.#homes.set(message.contentId, { storeId, sequenceNumber: message.sequenceNumber });
      this.#deliveries.noteRestored(message);
      const max = this.#maxDeliveryCounts.get(storeId) ?? Number.POSITIVE_INFINITY;
      // It has been larger, or this message would not be here any more.
      const isActive = message.state === MESSAGE_STATE.active;
      if (isActive && message.deliveryCount >= max) {
        this.#maxDeliveryCounts.set(storeId, message.deliveryCount + 1);
      }
    }
  }

  /** To be called when the events are in the rows. */
  afterTurn(step: Step): void {
    for (const event of step.turn.events) {
      if (event.kind === 'queue-put') this.#noteQueue(event);
      if (event.kind === 'message-put') this.#checkPut(event.storeId, event.message);
      if (event.kind === 'content-released') this.#homes.delete(event.contentId);
    }
    this.#deliveries.afterTurn(step);
    checkSame(
      this.#rows.contents.size,
      this.#rows.messageCount + this.#rows.sessionStateCount,
      'invariant 8: a content too much or missing',
    );
  }

  /** 1 and 8: each message is in one store, with its content; there is no content that nothing names. */
  checkRows(): void {
    const named = new Set<number>();
    for (const contentId of this.#rows.neededContentIds()) {
      check(!named.has(contentId), 'invariant 1: a content is in two places');
      check(this.#rows.contents.has(contentId), 'invariant 8: a content is missing');
      named.add(contentId);
    }
    checkSame(this.#rows.contents.size, named.size, 'invariant 8: there is a content that nothing names');
  }

  /** 8: the broker counts what is in the log. */
  checkCounts({ broker, now }: Pick<Step, 'broker' | 'now'>): void {
    for (const { description, storeId, deadLetterStoreId } of this.#rows.queues()) {
      const { name } = description;
      const { result, events, effects } = broker.execute({ kind: 'get-queue-info', name }, now);
      check(result.kind === 'queue-info', 'a queue cannot be looked at');
      checkSame(events.length + effects.length, 0, 'a look at a queue has consequences');
      const main = [...this.#rows.messagesOf(storeId)].map(({ message }) => message.state);
      const scheduled = main.filter((state) => state === MESSAGE_STATE.scheduled).length;
      const { counts } = result.queue;
      checkSame(counts.scheduled, scheduled, 'invariant 8: the scheduled messages are miscounted');
      checkSame(counts.active, main.length - scheduled, 'invariant 8: the active messages are miscounted');
      const dead = [...this.#rows.messagesOf(deadLetterStoreId)].length;
      checkSame(counts.deadLetter, dead, 'invariant 8: the dead-lettered messages are miscounted');
    }
  }

  #noteQueue({ queue }: Extract<Event, { kind: 'queue-put' }>): void {
    const { storeId, description } = queue;
    const before = this.#maxDeliveryCounts.get(storeId) ?? 0;
    this.#maxDeliveryCounts.set(storeId, Math.max(before, description.maxDeliveryCount));
  }

  #checkPut(storeId: number, message: MessageRecord): void {
    const { contentId, sequenceNumber } = message;
    const home = this.#homes.get(contentId);
    const isUpdate = home?.storeId === storeId && home.sequenceNumber === sequenceNumber;
    const max = this.#maxDeliveryCounts.get(storeId);
    if (max === undefined) this.#checkDeadLettered(message, home, isUpdate);
    else {
      if (!isUpdate) this.#checkNumber(storeId, sequenceNumber);
      const isUsedUp = message.state === MESSAGE_STATE.active && message.deliveryCount >= max;
      check(!isUsedUp, 'invariant 4: a message has used up its deliveries');
    }
    if (!isUpdate && home !== undefined) {
      const isLeft = this.#rows.findMessage(home.storeId, home.sequenceNumber)?.contentId === contentId;
      check(!isLeft, 'invariant 1: a message is in two places');
    }
    this.#homes.set(contentId, { storeId, sequenceNumber });
  }

  /** SEQ-10, TTL-11. */
  #checkDeadLettered(message: MessageRecord, home: Home | undefined, isUpdate: boolean): void {
    if (!isUpdate)
      checkSame(message.sequenceNumber, home?.sequenceNumber, 'a dead-lettered message has a new number');
    checkSame(message.expiresAt, Number.POSITIVE_INFINITY, 'invariant 6: a dead-lettered message expires');
  }

  /** 3: numbers go up by one and are never given again. */
  #checkNumber(storeId: number, sequenceNumber: number): void {
    const partition = Math.floor(sequenceNumber / PARTITION_SIZE);
    const key = `${storeId} ${partition}`;
    const last = this.#lastNumbers.get(key) ?? partition * PARTITION_SIZE;
    checkSame(sequenceNumber, last + 1, 'invariant 3: a sequence number is wrong');
    this.#lastNumbers.set(key, sequenceNumber);
  }
}
