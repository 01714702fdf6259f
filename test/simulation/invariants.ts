// The invariants of semantics D.5 and E.4, checked from outside and without the reference model: what is stored, how
// often it was delivered, and that no message leaves the namespace without a reason (TOP-01).

import type { Command } from '../../src/broker/contract/command.js';
import type { Effect } from '../../src/broker/contract/effect.js';
import type { MessageRecord } from '../../src/broker/contract/event.js';
import type { InspectedEntity } from '../../src/broker/contract/inspection.js';
import { MESSAGE_STATE } from '../../src/broker/contract/message-properties.js';
import type { MessageCounts } from '../../src/broker/contract/result.js';
import { DeliveryWatch } from './delivery-watch.js';
import type { DurableRows } from './durable-rows.js';
import { PARTITION_SIZE, PARTITIONS } from './reference-state.js';
import { check, checkSame } from './simulation-failure.js';
import { type Enlisted, EnlistedCommands, type Happening, type Part, type Step } from './steps.js';
import type { StoredEntity } from './stored-entities.js';

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
    for (const { storeId, description, type } of rows.entities.all()) {
      if (type === 'topic') this.#topics.add(storeId);
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
      if (message.deliveryCount >= max) this.#maxDeliveryCounts.set(storeId, message.deliveryCount + 1);
    }
  }

  /** To be called when the events are in the rows. */
  afterTurn(given: Omit<Step, keyof Happening>): void {
    const { command, turn, now } = given;
    const step = { ...given, ...this.#enlisted.afterTurn(command, turn.result, now) };
    for (const event of step.turn.events) {
      if (event.kind === 'entity-put') {
        this.#noteStore(event.entity);
        if (event.entity.type === 'topic') this.#topics.add(event.entity.storeId);
      }
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
      const { path, type, storeId, deadLetterStoreId } = record;
      const { result, events, effects } = broker.execute({ kind: 'get-entity', entityPath: path }, now);
      checkSame(events.length + effects.length, 0, 'a look at a queue has consequences');
      const main = [...this.#rows.messagesOf(storeId)].map(({ message }) => message.state);
      const scheduled = main.filter((state) => state === MESSAGE_STATE.scheduled).length;
      check(result.kind === 'entity-info', 'it cannot be looked at');
      const { counts } = result.entity;
      if (type === 'topic') checkSame(main.length, scheduled, 'TOP-01: a topic keeps messages');
      checkSame(counts.scheduled, scheduled, 'invariant 8: the scheduled messages are miscounted');
      checkSame(counts.active, main.length - scheduled, 'invariant 8: the active messages are miscounted');
      // TOP-15: in that store of a topic are the messages whose copies wait
      const dead = type === 'topic' ? 0 : [...this.#rows.messagesOf(deadLetterStoreId)].length;
      checkSame(counts.deadLetter, dead, 'invariant 8: the dead-lettered messages are miscounted');
      this.#checkTransferCounts(counts, record);
    }
  }

  /** 8: the counts by condition that are kept are those of a walk over all messages and locks. */
  checkInspection({ broker, now }: Pick<Step, 'broker' | 'now'>): void {
    const { result, events, effects } = broker.execute({ kind: 'inspect-namespace' }, now);
    checkSame(events.length + effects.length, 0, 'an inspection has consequences');
    check(result.kind === 'inspected-entities', 'the namespace cannot be inspected');
    const all = result.entities.flatMap<InspectedEntity>((each) =>
      each.kind === 'topic' ? each.subscriptions : [each],
    );
    for (const { path, counts } of all) {
      const walked = { active: 0, locked: 0, scheduled: 0, deferred: 0 };
      const page = { entityPath: path, maxCount: 250 };
      for (let from: number | undefined = 0; from !== undefined; ) {
        const command = { kind: 'inspect-messages', ...page, fromSequenceNumber: from } as const;
        const { result: found } = broker.execute(command, now);
        check(found.kind === 'inspected-messages', 'messages cannot be inspected');
        for (const { condition, lock } of found.messages) {
          walked[condition] += 1;
          checkSame(lock !== undefined, condition === 'locked', 'a locked message has no lock');
        }
        from = found.next;
      }
      for (const condition of ['active', 'locked', 'scheduled', 'deferred'] as const) {
        checkSame(counts[condition], walked[condition], `invariant 8: ${condition} messages are miscounted`);
      }
    }
  }

  /** TXN-12. */
  #checkTransferCounts(
    { transfer, transferDeadLetter }: MessageCounts,
    { transferStoreId = 0, transferDeadLetterStoreId = 0 }: StoredEntity,
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
      // The content of a message is replaced only if it cannot be read.
      if (!isEmptied(message))
        checkSame(contentId, home.contentId, 'invariant 1: a message has another content');
      const isLeft = home.storeId !== storeId && this.#rows.findMessage(home.storeId, sequenceNumber);
      check(isLeft === false || isLeft === undefined, 'invariant 1: a message is in two places');
    }
    const { entities } = this.#rows;
    if (max === undefined && !entities.isTransferStore(storeId) && !entities.isFanOutStore(storeId)) {
      // TTL-11
      checkSame(message.expiresAt, Number.POSITIVE_INFINITY, 'invariant 6: a dead-lettered message expires');
    } else if (max !== undefined) {
      check(message.deliveryCount < max, 'invariant 4: a message has used up its deliveries');
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

/** Commands by which whoever asks takes messages away. */
const TAKING: readonly Command['kind'][] = [
  'receive-deferred',
  'cancel-scheduled',
  'delete-messages',
  'manage-messages',
];

class ConservationWatch {
  readonly #rows: DurableRows;
  /** Every message there is, by store and number. */
  readonly #messages = new Map<string, MessageRecord>();
  /** Links that take nothing away. */
  readonly #browsers = new Set<number>();
  /** Stores from which messages went on before this turn: its command may have put an end to that. */
  readonly #forwarding = new Set<number>();

  constructor(rows: DurableRows) {
    this.#rows = rows;
    for (const { storeId } of rows.entities.all()) this.#noteForwarding(storeId);
    for (const { storeId, message } of rows.messages()) {
      this.#messages.set(`${storeId} ${message.sequenceNumber}`, message);
    }
  }

  /** To be called when the events are in the rows. */
  afterTurn(step: Step): void {
    const { command, turn } = step;
    const { events, effects } = turn;
    if (command.kind === 'attach-browser') this.#browsers.add(command.linkId);
    const taken = effects.filter(isTaken).filter(({ linkId }) => !this.#browsers.has(linkId));
    const takenAway = new Set(taken.map(({ delivery }) => delivery.contentId));
    const removedStores = new Set<number>();
    for (const event of events) {
      if (event.kind !== 'entity-removed') continue;
      for (const id of this.#rows.entities.storesOf(event.storeId)) removedStores.add(id);
    }
    for (const event of events) {
      if (event.kind === 'message-put') {
        this.#messages.set(`${event.storeId} ${event.message.sequenceNumber}`, event.message);
      }
      if (event.kind !== 'message-removed') continue;
      const key = `${event.storeId} ${event.sequenceNumber}`;
      const message = this.#messages.get(key);
      this.#messages.delete(key);
      check(message !== undefined, 'a message is removed that was not there');
      const mayGo =
        removedStores.has(event.storeId) ||
        takenAway.has(message.contentId) ||
        this.#isMoved(message, step) ||
        this.#forwarding.has(event.storeId) ||
        this.#rows.entities.mayForward(event.storeId) ||
        this.#isOver(event.storeId, message, step);
      check(mayGo, 'conservation: a message has gone for no reason');
    }
    for (const event of events) if (event.kind === 'entity-put') this.#noteForwarding(event.entity.storeId);
  }

  #noteForwarding(mainStoreId: number): void {
    const { entities } = this.#rows;
    for (const id of entities.storesOf(mainStoreId)) {
      if (entities.mayForward(id)) this.#forwarding.add(id);
      else this.#forwarding.delete(id);
    }
  }

  /** Into a dead-letter queue, to its new number, or from a topic to its subscriptions. */
  #isMoved({ contentId, state, sequenceNumber }: MessageRecord, { turn }: Step): boolean {
    if (state === MESSAGE_STATE.scheduled && this.#rows.nameCount(contentId) === 0) return true; // no rule matched
    return turn.events.some((event) => {
      if (event.kind !== 'message-put') return false;
      const { message } = event;
      return (
        message.contentId === contentId || (message.sequenceNumber === sequenceNumber && isEmptied(message))
      );
    });
  }

  /** Completed, expired or taken away. */
  #isOver(storeId: number, { expiresAt }: MessageRecord, { parts, now }: Step): boolean {
    if (parts.some(mayRemove)) return true;
    // SES-18: with what has expired its session may go.
    return expiresAt <= now || this.#rows.entities.requiresSession(storeId);
  }
}

function isEmptied({ details }: MessageRecord): boolean {
  return (details?.propertyChanges ?? []).some(({ value }) => value === 'ContentUnreadable');
}

function mayRemove({ command, result }: Part): boolean {
  const isSettled = (command.kind === 'settle' || command.kind === 'settle-many') && result.kind === 'done';
  if (isSettled && command.outcome.kind === 'complete') return true;
  return TAKING.includes(command.kind) && result.kind !== 'failed';
}

function isTaken(effect: Effect): effect is Extract<Effect, { kind: 'deliver' }> {
  return effect.kind === 'deliver' && effect.delivery.lockToken === undefined;
}
