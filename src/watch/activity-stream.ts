// The stream of activities: the broker's and the front ends' in one order, each with its client.

import type { Activities, Activity } from '../broker/contract/activity.js';
import type { InspectedCauses } from '../broker/contract/inspection.js';
import type { Instant } from '../broker/contract/instant.js';
import type { RequestOrigin } from '../engine/requester.js';
import type { StartTimer } from '../engine/timer.js';
import type { ActivityCounts } from './activity-counts.js';
import {
  type ActivityKind,
  type ActivityRecord,
  type Client,
  NO_CONNECTION,
  type RecordOf,
} from './activity-record.js';
import { ActivityRing } from './activity-ring.js';
import { type Cause, type CauseContext, causesOf, NotedCauses } from './causes.js';
import type { ClientActivity } from './client-activity.js';
import { productName } from './client-label.js';
import { MessageHistories, type MessageHistory } from './message-histories.js';
import { RateSamples, type Rates } from './rate-samples.js';

/** So many records are kept for later readers. */
const CAPACITY = 10_000;

/**
 * Called with each new record. `read` makes the object, so an observer of only some kinds does not pay for the others. `content` is set if
 * the record is about a sent message; it must not be kept.
 */
export type ActivityObserver = (
  kind: ActivityKind,
  read: () => ActivityRecord,
  content: Uint8Array | undefined,
) => void;

/** The part of the engine that reports activities. */
export type ActivitySource = {
  listen(
    listener: ((activities: Activities, now: Instant, origin: RequestOrigin | undefined) => void) | undefined,
  ): void;
  /** The present in the times of its activities, which activities of front ends have as well. Default: the machine's. */
  readonly clientTime?: Instant;
};

type ActivityStreamOptions = {
  /** The number of records that are kept. Default: 10,000. */
  readonly capacity?: number;
  /** Must not throw. Default: throws the error again, outside of the turn. */
  readonly onFault?: (error: unknown) => void;
  /** Starts the timer of the rates, which are sampled each second. Without it, there are none. */
  readonly startTimer?: StartTimer | undefined;
};

/** Throws the error where nothing catches it: as an exception of the process, which test runners report. */
export function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

export class ActivityStream {
  readonly #source: ActivitySource;
  readonly #now: () => number;
  readonly #capacity: number;
  readonly #onFault: (error: unknown) => void;
  readonly #startTimer: StartTimer | undefined;
  #ring: ActivityRing | undefined;
  #noted: NotedCauses;
  #histories: MessageHistories | undefined;
  #rates: RateSamples | undefined;
  /** Whether the recording goes on without an observer. */
  #isKept = false;
  readonly #observers = new Set<ActivityObserver>();
  /** The observers that have thrown. They are still called, but their further errors are not reported. */
  readonly #faulty = new WeakSet<ActivityObserver>();
  readonly #clients = new Map<number, Client>();
  readonly #clientsOfLinks = new Map<number, Client>();

  /** `now` is the machine's time in milliseconds since 1970. `onFault` is called with the first error of each observer. */
  constructor(
    source: ActivitySource,
    now: () => number,
    { capacity = CAPACITY, onFault = throwLater, startTimer }: ActivityStreamOptions = {},
  ) {
    this.#source = source;
    this.#now = now;
    this.#capacity = capacity;
    this.#onFault = onFault;
    this.#startTimer = startTimer;
    this.#noted = this.#nothingNoted();
  }

  get isOn(): boolean {
    return this.#ring !== undefined;
  }

  /** Starts to record, and does not stop before the end. */
  turnOn(): void {
    this.#isKept = true;
    const ring = this.#start();
    if (this.#startTimer === undefined) return;
    this.#rates ??= new RateSamples(ring.counts, { now: this.#now, startTimer: this.#startTimer });
  }

  end(): void {
    this.#rates?.stop();
  }

  /** The rates of the last five minutes; `path` is that of a store, or empty for the namespace. Undefined while nothing is sampled. */
  rates(stepMs: number, path: string | undefined): Rates | undefined {
    return this.#rates?.read(stepMs, path);
  }

  /** Calls the observer with each record from now on. Returns a function that ends this; the recording goes on. */
  observe(observer: ActivityObserver): () => void {
    this.turnOn();
    return this.watch(observer);
  }

  /** Like `observe`, but if the stream is not turned on, the recording ends with the last watch, and its records are dropped. */
  watch(observer: ActivityObserver): () => void {
    this.#start();
    this.#observers.add(observer);
    return () => {
      this.#observers.delete(observer);
      if (this.#isKept || this.#observers.size > 0) return;
      this.#source.listen(undefined);
      this.#ring = undefined;
      this.#histories = undefined;
      this.#noted = this.#nothingNoted();
    };
  }

  get nextId(): number {
    return this.#ring?.nextId ?? 1;
  }

  /** The id of the oldest record that is still there. */
  get firstId(): number {
    return this.#ring?.firstId ?? 1;
  }

  /** The counts of all records so far; undefined before the stream is turned on. They include records of a watch that was open at that time. */
  get counts(): ActivityCounts | undefined {
    return this.#isKept ? this.#ring?.counts : undefined;
  }

  /** All that needs a look, the newest first: what was noted and is not over, and what the broker's inspection has found. */
  causes(inspected: InspectedCauses, context: CauseContext): readonly Cause[] {
    return causesOf(this.#noted.list(), inspected, context);
  }

  /** Undefined for a record that is no longer there, or not there yet. */
  read(id: number): ActivityRecord | undefined {
    return this.#ring?.read(id);
  }

  /** The records from this id on that are still there, oldest first. */
  *since(id: number): Generator<ActivityRecord> {
    for (let next = Math.max(id, this.firstId); next < this.nextId; next++) {
      const record = this.read(next);
      if (record !== undefined) yield record;
    }
  }

  /**
   * The history of a message. `path` is the path of its queue, subscription or dead-letter queue. The history of a copy begins at its
   * topic, and the history of a scheduled message begins when it was scheduled. A message that is gone has its history for as long as
   * its records are kept.
   */
  history(path: string, sequenceNumber: number): MessageHistory {
    return this.#histories?.find(path, sequenceNumber) ?? this.#recordedHistory(path, sequenceNumber);
  }

  #recordedHistory(path: string, sequenceNumber: number): MessageHistory {
    const ring = this.#ring;
    const found: ActivityRecord[] = [];
    // Goes from the newest record to the oldest. At each arrival it goes on with the number that the message had before.
    let key: MessageKey | undefined = { path: path.replace(DEAD_LETTER_SUFFIX, ''), sequenceNumber };
    for (let id = this.nextId - 1; ring !== undefined && key !== undefined && id >= ring.firstId; id--) {
      const isAbout =
        ring.isAbout(id, key.path, key.sequenceNumber) ||
        ring.isAbout(id, `${key.path}/$DeadLetterQueue`, key.sequenceNumber);
      const record = isAbout ? ring.read(id) : undefined;
      if (record === undefined) continue;
      const relocation = relocationTo(record, ring);
      if (relocation !== undefined) found.push(relocation);
      found.push(record);
      if (ARRIVALS.has(record.kind)) key = earlierKey(relocation ?? record);
    }
    const isComplete = key === undefined;
    const since = found.length === 0 ? this.#histories?.since : this.read(this.firstId)?.time;
    return {
      records: found.reverse(),
      isComplete,
      since: isComplete ? undefined : since,
      omittedDeliveries: 0,
    };
  }

  connectionOpened(client: Client, activity: ClientActivity & { readonly kind: 'connection-opened' }): void {
    this.#clients.set(client.connectionId, client);
    this.add(activity, { connectionId: client.connectionId, linkId: undefined });
  }

  connectionClosed(connectionId: number, cause: string | undefined): void {
    this.add({ kind: 'connection-closed', cause }, { connectionId, linkId: undefined });
    this.#clients.delete(connectionId);
  }

  /** `identifier`: the one that the program has given the link, if any. */
  linkOpened(linkId: number, connectionId: number, identifier?: string): void {
    const client = this.#clients.get(connectionId);
    if (client === undefined) return;
    this.#clientsOfLinks.set(linkId, identifier === undefined ? client : { ...client, identifier });
  }

  linkClosed(linkId: number): void {
    this.#clientsOfLinks.delete(linkId);
  }

  clientOfLink(linkId: number): Client | undefined {
    return this.#clientsOfLinks.get(linkId);
  }

  /** Whether the link is still attached. Records of its messages may name it even later. */
  isLinkOpen(linkId: number): boolean {
    return this.#clientsOfLinks.has(linkId);
  }

  #nothingNoted(): NotedCauses {
    return new NotedCauses({ now: this.#now, isOpen: (connectionId) => this.#clients.has(connectionId) });
  }

  #start(): ActivityRing {
    if (this.#ring !== undefined) return this.#ring;
    const ring = new ActivityRing(this.#capacity);
    this.#ring = ring;
    this.#histories = new MessageHistories(this.#now());
    this.#source.listen((activities, now, origin) => this.#turnDone(activities, now, origin));
    return ring;
  }

  add(activity: ClientActivity, origin?: RequestOrigin): void {
    const ring = this.#ring;
    if (ring === undefined) return;
    const client = origin === undefined ? undefined : this.#clientOf(origin);
    const time = this.#source.clientTime ?? this.#now();
    const id = ring.add(activity, time, origin?.linkId, client);
    this.#noted.note(activity, client, ring, id);
    this.#tell(ring, id, activity);
  }

  #turnDone(
    { all, commandStart, commandEnd }: Activities,
    now: Instant,
    origin: RequestOrigin | undefined,
  ): void {
    const ring = this.#ring;
    if (ring === undefined) return;
    const sender = origin && this.#clientOf(origin);
    for (let index = 0; index < all.length; index++) {
      const activity = all[index];
      if (activity === undefined) continue;
      const isOfCommand = origin !== undefined && index >= commandStart && index < commandEnd;
      const client = isOfCommand ? sender : this.#clientOfLink(activity);
      const linkId = isOfCommand ? origin.linkId : undefined;
      const id = ring.add(activity, now, linkId, client);
      this.#histories?.note(activity, id, now, linkId, client);
      this.#noted.note(activity, client, ring, id);
      if (this.#observers.size > 0) this.#tell(ring, id, activity);
    }
  }

  #clientOf({ connectionId, linkId, program }: RequestOrigin): Client | undefined {
    if (program !== undefined) {
      return { connectionId: NO_CONNECTION, name: 'http', product: program, label: productName(program) };
    }
    if (connectionId === undefined) return undefined;
    const ofLink = linkId === undefined ? undefined : this.#clientsOfLinks.get(linkId);
    return ofLink ?? this.#clients.get(connectionId);
  }

  #clientOfLink(activity: Activity): Client | undefined {
    const linkId = 'linkId' in activity ? activity.linkId : undefined;
    return linkId === undefined ? undefined : this.#clientsOfLinks.get(linkId);
  }

  #tell(ring: ActivityRing, id: number, activity: Activity | ClientActivity): void {
    const read = () => ring.read(id) as ActivityRecord; // it was just written
    const content = 'content' in activity ? activity.content : undefined;
    for (const observer of this.#observers) {
      // Caught, because an error of an observer would fail the turn that the record is about, and the engine with it.
      try {
        observer(activity.kind, read, content);
      } catch (error) {
        this.#observerFailed(observer, error);
      }
    }
  }

  #observerFailed(observer: ActivityObserver, error: unknown): void {
    if (this.#faulty.has(observer)) return;
    this.#faulty.add(observer);
    this.#onFault(error);
  }
}

const DEAD_LETTER_SUFFIX = /\/\$DeadLetterQueue$/i;
const TOPIC_OF_SUBSCRIPTION = /^(.+)\/Subscriptions\/[^/]+$/i;

/** The kinds with which a message gets its number. Only a deferred message that is activated by hand keeps its number. */
const ARRIVALS: ReadonlySet<ActivityKind> = new Set([
  'accepted',
  'enqueued',
  'scheduled',
  'activated',
  'routed',
  'transfer-waiting',
]);

/** The records that may come between the arrival of a moved message and the record of its move. */
const OF_COPIES: ReadonlySet<ActivityKind | undefined> = new Set(['routed', 'unmatched', 'dead-lettered']);

/** The record of a move by hand that brought the message here. It follows the record of the arrival. */
function relocationTo(
  record: ActivityRecord,
  ring: ActivityRing,
): RecordOf<'moved' | 'resubmitted'> | undefined {
  if (record.kind !== 'enqueued' && record.kind !== 'accepted' && record.kind !== 'scheduled')
    return undefined;
  let id = record.id + 1;
  while (OF_COPIES.has(ring.kindOf(id))) id += 1;
  const next = ring.read(id);
  if (next?.kind !== 'moved' && next?.kind !== 'resubmitted') return undefined;
  const isThis = next.destination === record.path && next.newNumber === record.sequenceNumber;
  return isThis ? next : undefined;
}

type MessageKey = { readonly path: string; readonly sequenceNumber: number };

/** The path and number that the message had before this record of its arrival. */
function earlierKey(record: ActivityRecord): MessageKey | undefined {
  if (record.kind === 'activated') return { path: record.path, sequenceNumber: record.scheduledNumber };
  if (record.kind === 'moved' || record.kind === 'resubmitted') {
    const { path, sequenceNumber } = record;
    return { path: path.replace(DEAD_LETTER_SUFFIX, ''), sequenceNumber };
  }
  if (record.kind !== 'routed') return undefined;
  const topic = TOPIC_OF_SUBSCRIPTION.exec(record.path)?.[1];
  return topic === undefined ? undefined : { path: topic, sequenceNumber: record.acceptedNumber };
}
