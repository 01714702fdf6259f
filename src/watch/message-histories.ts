// The history of each message that is there: its arrival, its deliveries and what else has happened to it, however many records there
// were since. It is given up when the message is gone. The memory of all histories together is bounded.

import type { Activity } from '../broker/contract/activity.js';
import type { ActivityKind, ActivityRecord, Client } from './activity-record.js';
import { keptText, MAX_KEPT } from './kept-text.js';
import { SHAPES } from './record-kinds.js';

/** So many of the first deliveries, and of the last ones, are kept. */
const KEPT_DELIVERIES = 10;
/** A message that was moved, forwarded or resubmitted again and again keeps the histories of so many earlier messages. */
const MAX_EARLIER = 10;
/** The last messages of topics, with which the histories of their copies begin. */
const MAX_OF_TOPICS = 4096;
/** So many steps of messages that are gone are kept for the next. */
const MAX_SPARE = 4096;
const MAX_BYTES = 64 * 1024 * 1024;
/** When the memory is full, the oldest histories go until so much of it is free. */
const FREED_SHARE = 1 / 16;

/** Bytes of memory, by measurement in V8: the objects of a history with its entry in a map, a step, and a text besides its characters. */
const HISTORY_BYTES = 165;
const STEP_BYTES = 130;
const TEXT_BYTES = 24;

/** Only so many digits of a lock token are shown, because with the whole token anyone could settle the message. */
const TOKEN_DIGITS = 8;

type Value = number | string | undefined;

/** One record of a message. The fields of its kind are in the order of `SHAPES`, numbers first. */
class Step {
  id = 0;
  kind: ActivityKind = 'enqueued';
  /** Milliseconds since the histories began: small numbers take no memory of their own. */
  time = 0;
  path = '';
  linkId: number | undefined;
  client: Client | undefined;
  previous: Step | undefined;
  first: Value;
  second: Value;
  third: Value;
  fourth: Value;
  fifth: Value;
}

/** The record that is noted: its id, its time since the histories began, and its client. There is one object, which changes. */
type Moment = { id: number; time: number; linkId: number | undefined; client: Client | undefined };

class History {
  sequenceNumber: number;
  /** The map that has it; undefined when the message is gone. */
  store: Store | undefined;
  last: Step | undefined;
  /** The history of the message that it was before: in another entity, or under another number. */
  before: History | undefined;
  /** The number of messages in the chain of `before`. */
  depth = 0;
  deliveryCount = 0;
  omittedCount = 0;
  bytes = HISTORY_BYTES;
  /** The time from which on it has everything; undefined: it has the arrival of the message. */
  since: number | undefined;
  older: History | undefined;
  newer: History | undefined;

  constructor(sequenceNumber: number) {
    this.sequenceNumber = sequenceNumber;
  }
}

/**
 * The histories and steps of messages that were completed, for those that come: new ones for each message cost more in garbage than all
 * the rest. A history that another one continues is not among them.
 */
class Spare {
  #history: History | undefined;
  #step: Step | undefined;
  #count = 0;

  history(sequenceNumber: number, since: number | undefined): History {
    const history = this.#history ?? new History(sequenceNumber);
    this.#history = history.older;
    history.older = undefined;
    history.sequenceNumber = sequenceNumber;
    history.since = since;
    return history;
  }

  step(): Step {
    const step = this.#step ?? new Step();
    if (this.#step !== undefined) this.#count -= 1;
    this.#step = step.previous;
    return step;
  }

  /** Takes a history that nothing refers to. */
  take(history: History): void {
    for (let step = history.last; step !== undefined; ) {
      const { previous } = step;
      step.previous = undefined;
      // Its texts would be kept with it.
      step.first = step.second = step.third = step.fourth = step.fifth = undefined;
      if (this.#count < MAX_SPARE) {
        step.previous = this.#step;
        this.#step = step;
        this.#count += 1;
      }
      step = previous;
    }
    if (this.#count >= MAX_SPARE) return;
    history.last = undefined;
    history.before = undefined;
    history.depth = 0;
    history.deliveryCount = 0;
    history.omittedCount = 0;
    history.bytes = HISTORY_BYTES;
    history.older = this.#history;
    this.#history = history;
  }
}

class Store {
  readonly path: string;
  readonly isDead: boolean;
  readonly byNumber = new Map<number, History>();
  /** Whether it is a topic, which has only scheduled messages. */
  isTopic = false;

  constructor(path: string) {
    this.path = path;
    this.isDead = DEAD_LETTER_QUEUE.test(path);
  }
}

const DEAD_LETTER_QUEUE = /\/\$DeadLetterQueue$/i;
const SUB_QUEUE = /\/\$(?:DeadLetterQueue|Transfer(?:\/\$?DeadLetterQueue)?)$/i;

/** The histories in the order in which their messages came. */
class Age {
  oldest: History | undefined;
  #newest: History | undefined;

  add(history: History): void {
    history.older = this.#newest;
    if (this.#newest === undefined) this.oldest = history;
    else this.#newest.newer = history;
    this.#newest = history;
  }

  remove(history: History): void {
    const { older, newer } = history;
    if (older === undefined) this.oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
    history.older = undefined;
    history.newer = undefined;
  }
}

export type MessageHistory = {
  /** Oldest first. */
  readonly records: readonly ActivityRecord[];
  /** Whether the arrival of the message is among them, and everything since then but omitted deliveries. */
  readonly isComplete: boolean;
  /** The time from which on they have everything, if they are not complete. */
  readonly since: number | undefined;
  /** Deliveries in the middle of many that are left out. */
  readonly omittedDeliveries: number;
};

export class MessageHistories {
  readonly #startTime: number;
  readonly #maxBytes: number;
  readonly #stores = new Map<string, Store>();
  readonly #living = new Age();
  readonly #dead = new Age();
  readonly #spare = new Spare();
  #bytes = 0;
  /** The time at which histories were given up for lack of memory. */
  #givenUpAt = 0;
  /** The store of the activity before: most have the same. */
  #lastStore: Store | undefined;
  /** The last messages of topics, each at the remainder of its number. */
  readonly #passed = new Array<History | undefined>(MAX_OF_TOPICS).fill(undefined);
  /** A message that has just been forwarded, and is about to arrive elsewhere. */
  #carried: History | undefined;
  /** A message that has just expired: it is gone unless it is dead-lettered now. */
  #expired: History | undefined;
  readonly #at: Moment = { id: 0, time: 0, linkId: undefined, client: undefined };

  /** `startTime`: when the recording began, in milliseconds since 1970. */
  constructor(startTime: number, { maxBytes = MAX_BYTES }: { readonly maxBytes?: number } = {}) {
    this.#startTime = startTime;
    this.#maxBytes = maxBytes;
  }

  /** The bytes of all histories, by estimate. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Takes the fields of a record of which `linkId` is the link of its command. */
  note(
    activity: Activity,
    id: number,
    time: number,
    linkId: number | undefined,
    client: Client | undefined,
  ): void {
    const at = this.#at;
    at.id = id;
    at.time = time - this.#startTime;
    at.linkId = linkId;
    at.client = client;
    if (this.#expired !== undefined) this.#endExpired(activity);
    switch (activity.kind) {
      case 'enqueued':
      case 'accepted':
      case 'scheduled':
        this.#arrived(activity);
        return;
      case 'locked':
        this.#locked(activity);
        return;
      case 'completed':
      case 'consumed':
      case 'cancelled':
      case 'deleted':
        this.#ended(this.#find(this.#storeAt(activity.path), activity.sequenceNumber));
        return;
      case 'routed':
        this.#routed(activity);
        return;
      case 'renewed':
        this.#renewed(activity);
        return;
      case 'abandoned':
      case 'lock-expired': {
        const { heldMs, deliveryCount, maxDeliveryCount } = activity;
        this.#push(this.#historyOf(activity), activity, heldMs, deliveryCount, maxDeliveryCount);
        return;
      }
      case 'released':
      case 'deferred':
        this.#push(this.#historyOf(activity), activity, activity.heldMs);
        return;
      default:
        this.#noteMove(activity);
    }
  }

  /** Notes a move to another store or number, or the end of several messages. */
  #noteMove(activity: Activity): void {
    switch (activity.kind) {
      case 'dead-lettered':
        this.#deadLettered(activity);
        return;
      case 'expired':
        this.#expired = this.#historyOf(activity);
        this.#push(this.#expired, activity);
        return;
      case 'activated':
        this.#activated(activity);
        return;
      case 'forwarded':
        this.#forwarded(activity);
        return;
      case 'moved':
      case 'resubmitted':
        this.#relocated(activity);
        return;
      case 'transfer-waiting': {
        const { path, sequenceNumber, destination } = activity;
        const waiting = this.#keep(
          this.#storeAt(`${path}/$Transfer`),
          this.#spare.history(sequenceNumber, undefined),
        );
        this.#push(waiting, activity, destination);
        return;
      }
      case 'unmatched':
        this.#gone(this.#find(this.#stores.get(activity.path), activity.sequenceNumber));
        return;
      case 'purged':
        this.#emptied(this.#storeAt(activity.path));
        return;
      case 'entity-deleted':
        if (activity.entity !== 'rule') this.#entityDeleted(activity.path);
        return;
      default:
    }
  }

  /** The history of a message; `path` is that of its store, or of the entity. Undefined for a message of which nothing is known. */
  find(path: string, sequenceNumber: number): MessageHistory | undefined {
    const owner = path.replace(SUB_QUEUE, '').toLowerCase();
    for (const [storePath, { byNumber }] of this.#stores) {
      const history = byNumber.get(sequenceNumber);
      if (history !== undefined && storePath.replace(SUB_QUEUE, '').toLowerCase() === owner) {
        return this.#shown(history);
      }
    }
    return undefined;
  }

  /** The time from which on histories of messages are kept that were there before. */
  get since(): number {
    return this.#startTime + this.#givenUpAt;
  }

  #arrived(activity: Extract<Activity, { readonly kind: 'enqueued' | 'accepted' | 'scheduled' }>): void {
    const { kind, path, sequenceNumber, sizeBytes } = activity;
    const store = this.#storeAt(path);
    const history = this.#spare.history(sequenceNumber, undefined);
    if (kind === 'accepted') this.#passes(store, history);
    else this.#keep(store, history);
    const carried = this.#carried;
    if (carried?.last !== undefined && carried.last.id + 1 === this.#at.id) this.#follow(history, carried);
    this.#carried = undefined;
    const messageId = kept(activity.messageId);
    const sessionId = kept(activity.sessionId);
    const correlationId = kept(activity.correlationId);
    if (kind === 'scheduled') {
      this.#push(history, activity, sizeBytes, activity.enqueueAt, messageId, sessionId, correlationId);
    } else this.#push(history, activity, sizeBytes, messageId, sessionId, correlationId);
  }

  /** A topic keeps no active messages; its copies begin with what has happened there. */
  #passes(store: Store, history: History): void {
    store.isTopic = true;
    this.#passed[history.sequenceNumber % MAX_OF_TOPICS] = history;
  }

  #routed(activity: Extract<Activity, { readonly kind: 'routed' }>): void {
    const { path, sequenceNumber, acceptedNumber, rule } = activity;
    const accepted = this.#passedOf(path.slice(0, topicLength(path)), acceptedNumber);
    const since = accepted === undefined ? this.#at.time : undefined;
    const history = this.#keep(this.#storeAt(path), this.#spare.history(sequenceNumber, since));
    if (accepted !== undefined) this.#follow(history, accepted);
    this.#push(history, activity, acceptedNumber, rule);
  }

  #passedOf(topic: string, sequenceNumber: number): History | undefined {
    const passed = this.#passed[sequenceNumber % MAX_OF_TOPICS];
    if (passed?.sequenceNumber === sequenceNumber && passed.last?.path === topic) return passed;
    const store = this.#stores.get(topic);
    const activated = this.#find(store, sequenceNumber);
    if (store === undefined || activated === undefined) return undefined;
    this.#gone(activated);
    this.#passes(store, activated);
    return activated;
  }

  #activated(activity: Extract<Activity, { readonly kind: 'activated' }>): void {
    const { path, sequenceNumber, scheduledNumber } = activity;
    const store = this.#storeAt(path);
    if (sequenceNumber === scheduledNumber) {
      this.#push(this.#historyOf(activity), activity, scheduledNumber);
      return;
    }
    const before = this.#find(store, scheduledNumber);
    this.#gone(before);
    const history = this.#spare.history(sequenceNumber, before === undefined ? this.#givenUpAt : undefined);
    if (store.isTopic) this.#passes(store, history);
    else this.#keep(store, history);
    if (before !== undefined) this.#follow(history, before);
    this.#push(history, activity, scheduledNumber);
  }

  #locked(activity: Extract<Activity, { readonly kind: 'locked' }>): void {
    const history = this.#historyOf(activity);
    const until = activity.lockedUntil - this.#startTime;
    this.#push(history, activity, until, activity.deliveryCount, activity.lockToken.slice(0, TOKEN_DIGITS));
    history.deliveryCount += 1;
    if (history.deliveryCount - history.omittedCount > 2 * KEPT_DELIVERIES) this.#omitDelivery(history);
  }

  /** Several renewals of a lock are one step. */
  #renewed(activity: Extract<Activity, { readonly kind: 'renewed' }>): void {
    const history = this.#historyOf(activity);
    const until = activity.lockedUntil - this.#startTime;
    const { last } = history;
    if (last?.kind !== 'renewed') {
      this.#push(history, activity, until, 1, activity.lockToken.slice(0, TOKEN_DIGITS));
      return;
    }
    last.id = this.#at.id;
    last.time = this.#at.time;
    last.first = until;
    last.second = Number(last.second) + 1;
  }

  /** Leaves out the first delivery after the first ten. */
  #omitDelivery(history: History): void {
    let later = history.last;
    for (let count = 1; later !== undefined; later = later.previous) {
      if (later.kind === 'locked' && count++ === KEPT_DELIVERIES) break;
    }
    if (later === undefined) return;
    while (later.previous !== undefined) {
      const left: Step = later.previous;
      later.previous = left.previous;
      this.#grow(history, -bytesOf(left));
      if (left.kind === 'locked') break;
    }
    history.omittedCount += 1;
  }

  #deadLettered(activity: Extract<Activity, { readonly kind: 'dead-lettered' }>): void {
    const { path, sequenceNumber, reason, description, outcome } = activity;
    const history = this.#historyOf(activity);
    this.#push(history, activity, kept(reason), kept(description), outcome);
    if (history.store === undefined || history.store.isDead) return;
    history.store.byNumber.delete(sequenceNumber);
    this.#living.remove(history);
    history.store = this.#storeAt(`${path}/$DeadLetterQueue`);
    history.store.byNumber.set(sequenceNumber, history);
    this.#dead.add(history);
  }

  #forwarded(activity: Extract<Activity, { readonly kind: 'forwarded' }>): void {
    const { path, sequenceNumber, destination } = activity;
    const history =
      this.#find(this.#storeAt(path), sequenceNumber) ??
      this.#find(this.#stores.get(`${path}/$Transfer`), sequenceNumber) ??
      this.#spare.history(sequenceNumber, this.#givenUpAt);
    this.#push(history, activity, destination);
    this.#gone(history);
    this.#carried = history;
  }

  /** A move by hand comes after the arrival of the message at its destination. */
  #relocated(activity: Extract<Activity, { readonly kind: 'moved' | 'resubmitted' }>): void {
    const { path, sequenceNumber, newNumber, destination } = activity;
    const before =
      this.#find(this.#storeAt(path), sequenceNumber) ?? this.#spare.history(sequenceNumber, this.#givenUpAt);
    this.#push(before, activity, newNumber, destination);
    this.#gone(before);
    const after =
      this.#find(this.#stores.get(destination), newNumber) ?? this.#passedOf(destination, newNumber);
    if (after !== undefined) this.#follow(after, before);
  }

  /** Makes `before` the first part of a history. */
  #follow(history: History, before: History): void {
    history.before = before;
    history.depth = before.depth + 1;
    this.#grow(history, before.bytes);
    if (history.depth > MAX_EARLIER) this.#cutEarliest(history);
  }

  /** Takes the earliest history out of a chain, and its bytes out of all that follow. */
  #cutEarliest(history: History): void {
    let earliest = history;
    while (earliest.before !== undefined) earliest = earliest.before;
    for (let part: History | undefined = history; part !== undefined && part !== earliest; ) {
      const { before }: History = part;
      part.depth -= 1;
      if (before === earliest) {
        part.before = undefined;
        part.since = this.#at.time;
      }
      this.#grow(part, -earliest.bytes);
      part = before;
    }
  }

  #historyOf({ path, sequenceNumber }: { readonly path: string; readonly sequenceNumber: number }): History {
    const store = this.#storeAt(path);
    return (
      store.byNumber.get(sequenceNumber) ??
      this.#keep(store, this.#spare.history(sequenceNumber, this.#givenUpAt))
    );
  }

  #find(store: Store | undefined, sequenceNumber: number): History | undefined {
    return store?.byNumber.get(sequenceNumber);
  }

  #keep(store: Store, history: History): History {
    const former = store.byNumber.get(history.sequenceNumber);
    if (former !== undefined) this.#gone(former);
    history.store = store;
    store.byNumber.set(history.sequenceNumber, history);
    (store.isDead ? this.#dead : this.#living).add(history);
    this.#bytes += history.bytes;
    return history;
  }

  #push(
    history: History,
    activity: Activity & { readonly path: string },
    first?: Value,
    second?: Value,
    third?: Value,
    fourth?: Value,
    fifth?: Value,
  ): void {
    const linkId = 'linkId' in activity ? activity.linkId : this.#at.linkId;
    const step = this.#spare.step();
    step.id = this.#at.id;
    step.kind = activity.kind;
    step.time = this.#at.time;
    step.path = activity.path;
    step.linkId = linkId;
    step.client = this.#at.client;
    step.previous = history.last;
    step.first = first;
    step.second = second;
    step.third = third;
    step.fourth = fourth;
    step.fifth = fifth;
    history.last = step;
    this.#grow(history, bytesOf(step));
  }

  #grow(history: History, bytes: number): void {
    history.bytes += bytes;
    if (history.store === undefined) return;
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes) this.#giveUpOldest();
  }

  #gone(history: History | undefined): void {
    const store = history?.store;
    if (history === undefined || store === undefined) return;
    store.byNumber.delete(history.sequenceNumber);
    (store.isDead ? this.#dead : this.#living).remove(history);
    this.#bytes -= history.bytes;
    history.store = undefined;
  }

  /** The message is gone, and no other message continues it. */
  #ended(history: History | undefined): void {
    if (history === undefined) return;
    this.#gone(history);
    this.#spare.take(history);
  }

  #endExpired(activity: Activity): void {
    const expired = this.#expired;
    this.#expired = undefined;
    if (activity.kind !== 'dead-lettered' || !isSameMessage(activity, expired)) {
      this.#gone(expired);
    }
  }

  #giveUpOldest(): void {
    const enough = this.#maxBytes * (1 - FREED_SHARE);
    for (const age of [this.#living, this.#dead]) {
      for (let oldest = age.oldest; oldest !== undefined && this.#bytes > enough; oldest = age.oldest) {
        this.#gone(oldest);
      }
    }
    this.#givenUpAt = this.#at.time;
  }

  #emptied(store: Store): void {
    for (const history of [...store.byNumber.values()]) this.#gone(history);
  }

  #entityDeleted(path: string): void {
    for (const [storePath, store] of this.#stores) {
      if (storePath !== path && !storePath.startsWith(`${path}/$`)) continue;
      this.#emptied(store);
      this.#stores.delete(storePath);
    }
    this.#lastStore = undefined;
  }

  #storeAt(path: string): Store {
    const last = this.#lastStore;
    if (last !== undefined && last.path === path) return last;
    let store = this.#stores.get(path);
    if (store === undefined) {
      store = new Store(path);
      this.#stores.set(path, store);
    }
    this.#lastStore = store;
    return store;
  }

  #shown(history: History): MessageHistory {
    const records: ActivityRecord[] = [];
    let omittedDeliveries = 0;
    let since: number | undefined;
    for (let part: History | undefined = history; part !== undefined; part = part.before) {
      omittedDeliveries += part.omittedCount;
      if (part.before === undefined) since = part.since;
      for (let step = part.last; step !== undefined; step = step.previous) {
        records.push(recordOf(step, part.sequenceNumber, this.#startTime));
      }
    }
    return {
      records: records.reverse(),
      isComplete: since === undefined,
      since: since === undefined ? undefined : this.#startTime + since,
      omittedDeliveries,
    };
  }
}

function isSameMessage(
  { path, sequenceNumber }: { readonly path: string; readonly sequenceNumber: number },
  history: History | undefined,
): boolean {
  return sequenceNumber === history?.sequenceNumber && path === history.last?.path;
}

/** The fields that are moments, which a step has since the histories began. */
const MOMENTS: ReadonlySet<string> = new Set(['lockedUntil']);

function recordOf(step: Step, sequenceNumber: number, startTime: number): ActivityRecord {
  const { id, kind, path, linkId, client } = step;
  const fields: Record<string, unknown> = {
    id,
    time: startTime + step.time,
    kind,
    client,
    path,
    sequenceNumber,
  };
  const values = [step.first, step.second, step.third, step.fourth, step.fifth];
  const { numbers, texts } = SHAPES[kind];
  [...numbers, ...texts].forEach((name, index) => {
    const value = values[index];
    fields[name] = MOMENTS.has(name) ? startTime + Number(value) : value;
  });
  fields.linkId = linkId;
  return fields as unknown as ActivityRecord;
}

function bytesOf({ first, second, third, fourth, fifth }: Step): number {
  return (
    STEP_BYTES +
    textBytes(first) +
    textBytes(second) +
    textBytes(third) +
    textBytes(fourth) +
    textBytes(fifth)
  );
}

function textBytes(value: Value): number {
  if (typeof value !== 'string') return 0;
  return TEXT_BYTES + value.length * (TWO_BYTES.test(value) ? 2 : 1);
}

/** A character for which V8 keeps the whole text with two bytes each. */
const TWO_BYTES = /[\u0100-\uffff]/;

function kept(text: string | undefined): string | undefined {
  return text !== undefined && text.length > MAX_KEPT ? keptText(text) : text;
}

/** The length of the topic's name in the path of a subscription. */
function topicLength(path: string): number {
  const length = path.indexOf('/Subscriptions/');
  return length < 0 ? path.length : length;
}
