// The invariants of semantics D.5 and E.4, watched from outside and without the reference model: what is kept, and how often it was had.

import type { Turn } from '../../src/broker/broker.js';
import type { Command } from '../../src/broker/command.js';
import type { MessageRecord } from '../../src/broker/event.js';
import { MESSAGE_STATE } from '../../src/broker/message/message-properties.js';
import type { MessageCounts } from '../../src/broker/result.js';
import type { TurnBroker } from '../../src/engine/engine.js';
import { check, checkSame } from './check.js';
import { ConservationWatch } from './conservation-watch.js';
import { DeliveryWatch } from './delivery-watch.js';
import type { DurableRows } from './durable-rows.js';
import { type Enlisted, EnlistedCommands, type Happening } from './enlisted-commands.js';
import { PARTITION_SIZE, PARTITIONS } from './reference-turn.js';
import type { EntityRecord } from './stored-entities.js';

/** What was just executed, when, and by whom. */
export type Step = {
  readonly command: Command;
  readonly turn: Turn;
  readonly now: number;
  readonly broker: TurnBroker;
} & Happening;

type Home = { readonly storeId: number; readonly contentId: number };

export class Invariants {
  readonly #rows: DurableRows;
  readonly #deliveries: DeliveryWatch;
  readonly #conservation: ConservationWatch;
  readonly #enlisted = new EnlistedCommands();
  /** Where each message is or was last. */
  readonly #homes = new Map<string, Home>();
  /** The highest number given by each partition of each main store. */
  readonly #lastNumbers = new Map<string, number>();
  /** Their stores. */
  readonly #topics = new Set<number>();
  /** Numbers that were told before their messages came: of these each may come once, in any order (SCH-04). */
  readonly #reserved = new Set<string>();
  /** From a main store to the largest maximum it ever had. */
  readonly #maxDeliveryCounts = new Map<number, number>();

  /** `rows` are those of the first turn on, or of a restart: everything durable. */
  constructor(rows: DurableRows, releaseLocksOnDetach: boolean) {
    this.#rows = rows;
    for (const { storeId, description, kind } of rows.entities.all()) {
      if (kind === 'topic') this.#topics.add(storeId);
      this.#maxDeliveryCounts.set(storeId, maxDeliveryCountOf(description));
      for (let partition = 0; partition < PARTITIONS; partition++) {
        const next = rows.nextNumber(storeId, partition);
        if (next !== undefined) this.#lastNumbers.set(`${storeId} ${partition}`, next - 1);
      }
    }
    this.#deliveries = new DeliveryWatch(rows, this.#maxDeliveryCounts, releaseLocksOnDetach);
    this.#conservation = new ConservationWatch(rows);
    for (const { storeId, message } of rows.messages()) {
      const { contentId, sequenceNumber } = message;
      this.#homes.set(rows.keyOf(storeId, sequenceNumber), { storeId, contentId });
      this.#deliveries.noteRestored(storeId, message);
      const max = this.#maxDeliveryCounts.get(storeId) ?? Number.POSITIVE_INFINITY;
      // It has been larger, or this message would not be here any more.
      const isActive = message.state === MESSAGE_STATE.active;
      if (isActive && message.deliveryCount >= max) {
        this.#maxDeliveryCounts.set(storeId, message.deliveryCount + 1);
      }
    }
  }

  /** To be called when the events are in the rows. */
  afterTurn(given: Omit<Step, keyof Happening>): void {
    const { command, turn, now } = given;
    const step = { ...given, ...this.#enlisted.afterTurn(command, turn.result, now) };
    for (const event of step.turn.events) {
      if (event.kind === 'queue-put') this.#noteStore(event.queue);
      if (event.kind === 'topic-put') {
        this.#noteStore(event.topic);
        this.#topics.add(event.topic.storeId);
      }
      if (event.kind === 'subscription-put') this.#noteStore(event.subscription);
      if (event.kind === 'message-put') this.#checkPut(event.storeId, event.message);
    }
    if (step.enlisted !== undefined) this.#noteReserved(step.enlisted);
    this.#conservation.afterTurn(step);
    this.#deliveries.afterTurn(step);
    checkSame(
      this.#rows.contents.size,
      this.#rows.namedContentCount,
      'invariant 8: a content too much or missing',
    );
  }

  /** 1 and 8: each message has its content, none but copies have one together, and there is none that nothing names. */
  checkRows(): void {
    for (const { message } of this.#rows.messages()) {
      const { contentId, isShared } = message;
      check(this.#rows.contents.has(contentId), 'invariant 8: a content is missing');
      const isAlone = this.#rows.nameCount(contentId) === 1;
      check(isAlone || isShared, 'invariant 1: a content is in two places');
    }
    for (const { state } of this.#rows.sessionStates()) {
      checkSame(this.#rows.nameCount(state.contentId), 1, 'invariant 1: a session state is in two places');
    }
    for (const contentId of this.#rows.contents.keys()) {
      check(this.#rows.nameCount(contentId) > 0, 'invariant 8: there is a content that nothing names');
    }
  }

  /** 8: the broker counts what is in the log. */
  checkCounts({ broker, now }: Pick<Step, 'broker' | 'now'>): void {
    for (const record of this.#rows.entities.all()) {
      const { path, kind, storeId, deadLetterStoreId } = record;
      const { result, events, effects } = broker.execute(commandToLookAt(path, kind), now);
      checkSame(events.length + effects.length, 0, 'a look at a queue has consequences');
      const main = [...this.#rows.messagesOf(storeId)].map(({ message }) => message.state);
      const scheduled = main.filter((state) => state === MESSAGE_STATE.scheduled).length;
      if (result.kind === 'topic-info') {
        checkSame(result.topic.counts.scheduled, scheduled, 'invariant 8: a topic miscounts');
        checkSame(main.length, scheduled, 'TOP-01: a topic keeps messages');
        this.#checkTransferCounts(result.topic.counts, record);
        continue;
      }
      check(result.kind === 'queue-info' || result.kind === 'subscription-info', 'it cannot be looked at');
      const { counts } = result.kind === 'queue-info' ? result.queue : result.subscription;
      checkSame(counts.scheduled, scheduled, 'invariant 8: the scheduled messages are miscounted');
      checkSame(counts.active, main.length - scheduled, 'invariant 8: the active messages are miscounted');
      const dead = [...this.#rows.messagesOf(deadLetterStoreId)].length;
      checkSame(counts.deadLetter, dead, 'invariant 8: the dead-lettered messages are miscounted');
      this.#checkTransferCounts(counts, record);
    }
  }

  /** TXN-12. */
  #checkTransferCounts(
    { transfer, transferDeadLetter }: MessageCounts,
    { transferStoreId = 0, transferDeadLetterStoreId = 0 }: EntityRecord,
  ): void {
    const waiting = [...this.#rows.messagesOf(transferStoreId)].length;
    checkSame(transfer, waiting, 'invariant 8: the transfers are miscounted');
    const failed = [...this.#rows.messagesOf(transferDeadLetterStoreId)].length;
    checkSame(transferDeadLetter, failed, 'invariant 8: the failed transfers are miscounted');
  }

  #noteStore({ storeId, description }: { readonly storeId: number; readonly description: object }): void {
    const before = this.#maxDeliveryCounts.get(storeId) ?? 0;
    this.#maxDeliveryCounts.set(storeId, Math.max(before, maxDeliveryCountOf(description)));
  }

  #checkPut(storeId: number, message: MessageRecord): void {
    const { contentId, sequenceNumber } = message;
    const key = this.#rows.keyOf(storeId, sequenceNumber);
    const home = this.#homes.get(key);
    const max = this.#maxDeliveryCounts.get(storeId);
    if (home === undefined) this.#checkNumber(storeId, key, sequenceNumber);
    else {
      checkSame(contentId, home.contentId, 'invariant 1: a message has another content');
      const isLeft = home.storeId !== storeId && this.#rows.findMessage(home.storeId, sequenceNumber);
      check(isLeft === false || isLeft === undefined, 'invariant 1: a message is in two places');
    }
    if (max === undefined && !this.#rows.entities.isTransferStore(storeId)) {
      // TTL-11
      checkSame(message.expiresAt, Number.POSITIVE_INFINITY, 'invariant 6: a dead-lettered message expires');
    } else if (max !== undefined) {
      const isUsedUp = message.state === MESSAGE_STATE.active && message.deliveryCount >= max;
      check(!isUsedUp, 'invariant 4: a message has used up its deliveries');
    }
    this.#homes.set(key, { storeId, contentId });
  }

  /** Of what repeats another message the number is that one's. */
  #noteReserved({ command, result }: Enlisted): void {
    if (command.kind !== 'send' || result.kind !== 'sent') return;
    const storeId = this.#rows.entities.storeAt(command.entityPath);
    if (storeId === undefined) return;
    for (const sequenceNumber of result.sequenceNumbers) {
      const messageKey = this.#rows.keyOf(storeId, sequenceNumber);
      const { key, last } = this.#lastOf(messageKey, sequenceNumber);
      if (sequenceNumber <= last) continue;
      this.#checkNumber(storeId, messageKey, sequenceNumber);
      this.#reserved.add(messageKey);
      this.#lastNumbers.set(key, sequenceNumber);
    }
  }

  #lastOf(messageKey: string, sequenceNumber: number): { readonly key: string; readonly last: number } {
    const partition = Math.floor(sequenceNumber / PARTITION_SIZE);
    const key = `${messageKey.split(' ')[0]} ${partition}`;
    return { key, last: this.#lastNumbers.get(key) ?? partition * PARTITION_SIZE };
  }

  /** 3: numbers go up by one and are never given again. */
  #checkNumber(storeId: number, messageKey: string, sequenceNumber: number): void {
    if (this.#reserved.delete(messageKey)) return;
    const { key, last } = this.#lastOf(messageKey, sequenceNumber);
    // Most of what a topic gives numbers to is never stored in it.
    const isNext = this.#topics.has(this.#rows.entities.mainStoreOf(storeId))
      ? sequenceNumber > last
      : sequenceNumber === last + 1;
    check(isNext, `invariant 3: a sequence number is wrong: ${sequenceNumber} after ${last}`);
    this.#lastNumbers.set(key, sequenceNumber);
  }
}

/** A topic delivers nothing. */
function maxDeliveryCountOf(description: object): number {
  return 'maxDeliveryCount' in description ? Number(description.maxDeliveryCount) : 1;
}

function commandToLookAt(path: string, kind: EntityRecord['kind']): Command {
  const [, topicName, name] = /^(.+)\/Subscriptions\/([^/]+)$/.exec(path) ?? [];
  if (topicName !== undefined && name !== undefined)
    return { kind: 'get-subscription-info', topicName, name };
  return { kind: kind === 'topic' ? 'get-topic-info' : 'get-queue-info', name: path };
}
