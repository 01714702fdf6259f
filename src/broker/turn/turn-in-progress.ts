// The turn that is being executed: its events and effects so far, and the stores in which messages may now be deliverable.

import type { Activity } from '../contract/activity.js';
import type { BehaviourOptions } from '../contract/behaviour-options.js';
import type { UnreadableContent } from '../contract/content-unreadable.js';
import type { Effect } from '../contract/effect.js';
import type { Event } from '../contract/event.js';
import type { Instant } from '../contract/instant.js';
import type { ContentReferences } from '../store/content-references.js';
import type { MessageReader } from '../store/message-reader.js';
import type { MessageStore, Queue } from '../store/queue.js';
import type { CountedMessage, StoredMessage } from '../store/stored-message.js';

/**
 * The cost of a full turn, counted in changes that have no event of their own: copies of a message, messages that a released session
 * gives back. It is 3 to 10 ms of work, with what the journal and the links need for it. While the garbage collector marks a large
 * store, every 64 KB of new objects cost up to 5 ms more.
 */
export const FULL_COST = 2000;
const EVENT_COST = 2.5;
const EFFECT_COST = 2;
/** The cost that deliveries may add to a full turn: without it due work would hold them up for as long as it lasts. */
const SHARE = FULL_COST / 4;
const NO_STORES: ReadonlySet<MessageStore> = new Set();
const NO_CONTENTS: readonly UnreadableContent[] = [];
const NO_COUNTERS: ReadonlyMap<Queue, number> = new Map();

type Changes = { readonly events: readonly Event[]; readonly effects: readonly Effect[] };

/** The cost of events and effects. */
export function costOf({ events, effects }: Changes): number {
  return EVENT_COST * events.length + EFFECT_COST * effects.length;
}

export class TurnInProgress {
  readonly now: Instant;
  readonly behaviour: BehaviourOptions;
  readonly events: Event[] = [];
  readonly effects: Effect[] = [];
  /** Whether the turn does only work that is due, and has no command of a client. */
  isTick = false;
  /** Undefined while nobody listens, so that `activities?.push({ ... })` makes no record then. */
  readonly activities: Activity[] | undefined;
  /** Faults of the emulator itself, as whole sentences for its log; undefined without any. */
  faults: string[] | undefined;
  /** Reads values of clients for the records. */
  readonly messageReader: MessageReader;
  // Sets and maps are made when they are first needed: empty ones were an eighth of a message's garbage.
  #touched: Set<MessageStore> | undefined;
  #counters: Map<Queue, number> | undefined;
  /** The cost of what has neither event nor effect. */
  #silentCost = 0;
  #shareEnd = FULL_COST;
  /** The cost of fan-outs since `grantFanOut`, and the most that they may cost. */
  #fanOutCost = 0;
  #maxFanOutCost: number;
  readonly #references: ContentReferences;
  /** The contents stored in this turn, which the content reader does not have yet; found among the first `#searchedCount` events. */
  #contents: Map<number, Uint8Array> | undefined;
  #searchedCount = 0;
  #unreadable: UnreadableContent[] | undefined;

  constructor(
    now: Instant,
    behaviour: BehaviourOptions,
    references: ContentReferences,
    activities: Activity[] | undefined,
    messageReader: MessageReader,
  ) {
    this.now = now;
    this.behaviour = behaviour;
    this.#maxFanOutCost = behaviour.maxFanOutCost;
    this.#references = references;
    this.activities = activities;
    this.messageReader = messageReader;
  }

  get #cost(): number {
    return costOf(this) + this.#silentCost;
  }

  /** Whether the turn has done so much that work that can wait moves to the next turn, a millisecond later. */
  get isFull(): boolean {
    return this.#cost >= FULL_COST;
  }

  /** Makes it full before its command. */
  leaveDueWork(): void {
    this.#silentCost = FULL_COST;
  }

  /** Gives the command or the deliveries that come now their share, however much the turn has done (RCV-15). */
  grantShare(): void {
    this.#shareEnd = Math.max(FULL_COST, this.#cost + SHARE);
  }

  /** Whether they move to the next turn as well. */
  get isShareUsed(): boolean {
    return this.#cost >= this.#shareEnd;
  }

  /** Gives the command that comes now, and the work behind it, a fan-out of its own: what others have left does not make it wait. */
  grantFanOut(): void {
    this.#fanOutCost = 0;
  }

  /** Makes all copies in this turn. */
  fanOutWhole(): void {
    this.#maxFanOutCost = Number.POSITIVE_INFINITY;
  }

  /** The cost that the fan-out of new messages may still add (TOP-15). */
  get fanOutLeft(): number {
    return this.#maxFanOutCost - this.#fanOutCost;
  }

  /** The cost that work that can wait may still add; 0 or less in a full turn. */
  get room(): number {
    return FULL_COST - this.#cost;
  }

  fannedOut(cost: number): void {
    this.#fanOutCost += cost;
    this.#silentCost += cost;
  }

  /** Counts changes that have neither an event nor an effect, may have none, or share one. */
  changed(count: number): void {
    this.#silentCost += count;
  }

  /** Marks a store in which a message was added or became available, or in which receivers or credit changed. */
  touch(store: MessageStore): void {
    this.#touched ??= new Set();
    this.#touched.add(store);
  }

  /** Whether a store was touched since the last `takeTouched`, or will be because a content cannot be read. */
  get hasTouched(): boolean {
    return this.#touched !== undefined || this.#unreadable !== undefined;
  }

  /** The stores touched since the last call, in the order of their first touch. */
  takeTouched(): ReadonlySet<MessageStore> {
    const touched = this.#touched ?? NO_STORES;
    this.#touched = undefined;
    return touched;
  }

  /** Marks a counter whose next number is written to the journal at the end of the turn. */
  numberTaken(queue: Queue, partitionId: number): void {
    this.#counters ??= new Map();
    this.#counters.set(queue, (this.#counters.get(queue) ?? 0) | (1 << partitionId));
  }

  /** The counters from which numbers were taken: for each queue a bit for each of its partitions. */
  get counters(): ReadonlyMap<Queue, number> {
    return this.#counters ?? NO_COUNTERS;
  }

  contentStored(contentId: number, content: Uint8Array): void {
    this.events.push({ kind: 'content-stored', contentId, content });
  }

  /** A content that was stored in this turn. */
  storedContent(contentId: number): Uint8Array | undefined {
    this.#contents ??= new Map();
    for (; this.#searchedCount < this.events.length; this.#searchedCount++) {
      const event = this.events[this.#searchedCount];
      if (event?.kind === 'content-stored') this.#contents.set(event.contentId, event.content);
    }
    return this.#contents.get(contentId);
  }

  /** Notes a fault of the emulator itself. */
  faultFound(text: string): void {
    this.faults ??= [];
    this.faults.push(text);
  }

  /** Notes a content that cannot be read. Its messages are moved when the present piece of work is done. */
  contentUnreadable(content: UnreadableContent): void {
    this.#unreadable ??= [];
    this.#unreadable.push(content);
  }

  /** The contents noted since the last call. */
  takeUnreadable(): readonly UnreadableContent[] {
    const taken = this.#unreadable ?? NO_CONTENTS;
    this.#unreadable = undefined;
    return taken;
  }

  /** Counts a stored message that refers to the content, or several of the same content. */
  contentReferenced({ contentId, isShared }: CountedMessage, count = 1): void {
    if (isShared) this.#references.add(contentId, count);
  }

  /** Counts out a removed message; the last one that referred to the content releases it. */
  contentUnreferenced({ contentId, isShared }: StoredMessage): void {
    if (isShared && !this.#references.remove(contentId)) return;
    this.events.push({ kind: 'content-released', contentId });
  }

  /** `record`: of a new message, if the caller has it. */
  messagePut(store: MessageStore, message: StoredMessage, record = message.record()): void {
    this.events.push({ kind: 'message-put', storeId: store.rowsId, message: record });
  }

  messageRemoved(store: MessageStore, message: StoredMessage): void {
    this.events.push({
      kind: 'message-removed',
      storeId: store.rowsId,
      sequenceNumber: message.sequenceNumber,
    });
  }

  sequencePut(queue: Queue, partitionId: number): void {
    this.events.push({
      kind: 'sequence-put',
      storeId: queue.main.id,
      partitionId,
      nextSequenceNumber: queue.sequenceNumbers.upcoming(partitionId),
    });
  }
}
