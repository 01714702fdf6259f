// The record of the timeline: the events put together to messages and lanes. All of it has bounds, and costs no more with time.

import type { PageEvent } from '../../state/page-event.js';
import { type Hold, type Mark, openHold, type Source, type Stay } from './timeline-message.js';
import { STEP, type StepKind, TimelineSteps } from './timeline-steps.js';
import { peerName } from './timeline-words.js';

/** The marks and messages that are kept, each with its event. */
const MAX_KEPT = 20_000;
const MAX_LANES = 6000;
/** Forwarded messages whose arrival is still to come. */
const MAX_ON_THE_WAY = 100;
const MAX_ANCESTORS = 20;
/** Live events are at most this old; older times are those of a clock that goes otherwise. */
const MAX_DELAY_MS = 2000;

export type Lane = {
  readonly key: string;
  /** For the counts of its steps. */
  readonly index: number;
  readonly kind: 'client' | 'entity' | 'consumer';
  /** Empty for a client. */
  readonly path: string;
  readonly connectionId: number | undefined;
  readonly name: string;
};

type Handler = (event: PageEvent, mark: Mark, stay: Stay) => void;

export class TimelineRecord {
  readonly steps: TimelineSteps;
  /** The lanes by their keys, those that were used last at the end. */
  readonly lanes = new Map<string, Lane>();
  readonly #most: number;
  readonly #stays = new Map<string, Stay>();
  #marks: Mark[] = [];
  #onTheWay = new Map<string, Stay[]>();
  #nextLane = 0;
  #lastAt = 0;
  #lastId = 0;
  #isCut = false;

  constructor(most = MAX_KEPT, steps = new TimelineSteps()) {
    this.#most = most;
    this.steps = steps;
  }

  /** Oldest first. */
  get marks(): readonly Mark[] {
    return this.#marks;
  }

  get stays(): Iterable<Stay> {
    return this.#stays.values();
  }

  get lastId(): number {
    return this.#lastId;
  }

  /** Whether earlier events are no longer kept, or were never read. */
  get isCut(): boolean {
    return this.#isCut;
  }

  stayAt(path: string, sequenceNumber: number): Stay | undefined {
    return this.#stays.get(keyOf(path, sequenceNumber));
  }

  /**
   * Adds events in their order, as they came at `now`. Those of a clock that stands still or is ahead are put where they came,
   * if they came live. Returns the marks that they have made.
   */
  add(
    events: readonly PageEvent[],
    now: number,
    { isLive, offsetMs = 0 }: { isLive: boolean; offsetMs?: number },
  ): readonly Mark[] {
    const made: Mark[] = [];
    for (const event of events) {
      if (event.id <= this.#lastId) continue;
      this.#isCut ||= event.id > this.#lastId + 1;
      this.#lastId = event.id;
      const time = Math.min(now, Date.parse(event.time) - offsetMs);
      this.#lastAt = Math.max(this.#lastAt, isLive ? Math.max(time, now - MAX_DELAY_MS) : time);
      const mark = this.#take(event, this.#lastAt);
      if (mark !== undefined) made.push(mark);
    }
    // Room for new ones is made for many at a time.
    for (const mark of made) this.#marks.push(mark);
    if (this.#marks.length > this.#most * 1.1) this.#forget();
    return made;
  }

  clear(): void {
    this.#stays.clear();
    this.lanes.clear();
    this.#onTheWay.clear();
    this.steps.clear();
    this.#marks = [];
    this.#lastId = 0;
    this.#lastAt = 0;
    this.#isCut = false;
  }

  #forget(): void {
    this.#marks = this.#marks.slice(-this.#most);
    this.#isCut = true;
    // A message that has left is kept as long as its last step. With the others go their events.
    const first = this.#marks[0]?.id ?? 0;
    for (const [key, { end }] of this.#stays)
      if (end !== undefined && end.id < first) this.#stays.delete(key);
    drop(this.#stays, this.#most);
    drop(this.lanes, MAX_LANES);
  }

  #take(event: PageEvent, at: number): Mark | undefined {
    const { kind, path, sequenceNumber } = event;
    if (path === undefined) return undefined;
    if (sequenceNumber === undefined) return this.#takeOfEntity(event, at);
    if (ARRIVALS.has(kind)) return this.#arrive(event, at);
    const handler = this.#handlers[kind];
    const known = this.stayAt(path, sequenceNumber);
    if (handler === undefined) {
      const isShown = SHOWN.has(kind);
      return isShown ? { id: event.id, at, event, stay: known } : undefined;
    }
    const stay = known ?? this.#open(event, undefined, undefined);
    const mark = { id: event.id, at, event, stay };
    handler(event, mark, stay);
    return mark;
  }

  /** An event about no single message. */
  #takeOfEntity(event: PageEvent, at: number): Mark | undefined {
    const { kind, path = '' } = event;
    const mark: Mark = { id: event.id, at, event, stay: undefined };
    if (kind === 'purged' || kind === 'entity-deleted') {
      for (const stay of this.#stays.values()) {
        if (stay.path !== path) continue;
        this.#endHold(stay, mark, STEP.done);
        stay.end ??= mark;
      }
    } else if (!SHOWN.has(kind)) {
      return undefined;
    }
    this.#count(mark, this.#entityLane(path), kind === 'session-lost' ? STEP.bad : STEP.done);
    return mark;
  }

  readonly #handlers: Readonly<Record<string, Handler>> = {
    locked: (event, mark, stay) => this.#hold(event, mark, stay),
    consumed: (event, mark, stay) => {
      this.#hold(event, mark, stay);
      this.#endHold(stay, mark, STEP.done);
      stay.end = mark;
    },
    completed: (_, mark, stay) => {
      this.#endHold(stay, mark, STEP.done);
      stay.end = mark;
    },
    abandoned: (_, mark, stay) => this.#endHold(stay, mark, STEP.bad),
    'lock-expired': (_, mark, stay) => this.#endHold(stay, mark, STEP.bad),
    released: (_, mark, stay) => this.#endHold(stay, mark, STEP.done),
    deferred: (_, mark, stay) => this.#endHold(stay, mark, STEP.done),
    unmatched: (_, mark, stay) => this.#leave(mark, stay, STEP.bad),
    expired: (_, mark, stay) => this.#leave(mark, stay, STEP.bad),
    cancelled: (_, mark, stay) => this.#leave(mark, stay, STEP.done),
    deleted: (_, mark, stay) => this.#leave(mark, stay, STEP.done),
    'dead-lettered': (event, mark, stay) => {
      this.#endHold(stay, mark, STEP.bad);
      stay.end = mark;
      this.#count(mark, stay.lane, STEP.bad);
      const path = `${stay.path}/$DeadLetterQueue`;
      const dead = this.#open({ ...event, path }, { ...mark, stay }, { kind: 'dead', stay });
      this.#count(mark, dead.lane, STEP.in);
    },
    forwarded: ({ destination = '' }, mark, stay) => {
      this.#leave(mark, stay, STEP.done);
      const waiting = this.#onTheWay.get(destination) ?? [];
      this.#onTheWay.set(destination, [...waiting, stay].slice(-MAX_ON_THE_WAY));
    },
    moved: (event, mark, stay) => this.#move(event, mark, stay),
    resubmitted: (event, mark, stay) => this.#move(event, mark, stay),
  };

  #arrive(event: PageEvent, at: number): Mark {
    const source = this.#sourceOf(event);
    const mark: { -readonly [Key in keyof Mark]: Mark[Key] } = { id: event.id, at, event, stay: undefined };
    const stay = this.#open(event, mark, source);
    mark.stay = stay;
    this.#count(mark, stay.lane, STEP.in);
    if (source?.kind === 'sent') this.#count(mark, source.lane, STEP.in);
    // A topic keeps nothing but what is scheduled.
    if (event.kind === 'accepted') stay.end = mark;
    return mark;
  }

  #sourceOf(event: PageEvent): Source | undefined {
    const { kind, path = '', acceptedNumber, scheduledNumber, client, messageId } = event;
    if (kind === 'routed' || kind === 'activated') {
      const from = kind === 'routed' ? topicOf(path) : path;
      const stay = this.stayAt(from, acceptedNumber ?? scheduledNumber ?? 0);
      if (stay === undefined) return undefined;
      if (kind === 'activated') stay.end = { id: event.id, at: this.#lastAt, event, stay };
      return { kind: kind === 'routed' ? 'routed' : 'moved', stay };
    }
    const waiting = client === undefined ? this.#onTheWay.get(path) : undefined;
    const index = waiting?.findIndex((stay) => stay.messageId === messageId) ?? -1;
    const [stay] = index < 0 ? [] : (waiting?.splice(index, 1) ?? []);
    if (waiting?.length === 0) this.#onTheWay.delete(path);
    if (stay !== undefined) return { kind: 'forwarded', stay };
    return client === undefined ? undefined : { kind: 'sent', lane: this.#clientLane(client) };
  }

  #open(event: PageEvent, arrival: Mark | undefined, source: Source | undefined): Stay {
    const { path = '', sequenceNumber = 0 } = event;
    const from = source === undefined || source.kind === 'sent' ? undefined : source.stay;
    const { messageId, correlationId, sessionId } = 'messageId' in event ? event : (from ?? event);
    const stay = {
      key: keyOf(path, sequenceNumber),
      path,
      sequenceNumber,
      lane: this.#entityLane(path),
      messageId,
      correlationId,
      sessionId,
      arrival,
      source,
      rule: event.rule,
      holds: [] as Hold[],
      end: undefined,
    };
    const opened: Stay = Object.assign(stay, { root: stay as unknown as Stay });
    if (from !== undefined) opened.root = from.root;
    cutAncestors(opened);
    this.#stays.delete(opened.key);
    this.#stays.set(opened.key, opened);
    return opened;
  }

  #hold({ client, path = '', deliveryCount = 0 }: PageEvent, mark: Mark, stay: Stay): void {
    const lane = this.#consumerLane(path, client);
    stay.end = undefined;
    stay.holds.push({ lane, start: mark, end: undefined, delivery: deliveryCount + 1 });
    // A message that comes back again and again keeps its last deliveries.
    if (stay.holds.length > 50) stay.holds.shift();
    this.#count(mark, lane, STEP.held);
  }

  #endHold(stay: Stay, mark: Mark, kind: StepKind): void {
    const hold = openHold(stay);
    if (hold === undefined) return;
    hold.end = mark;
    this.#count(mark, hold.lane, kind);
  }

  #leave(mark: Mark, stay: Stay, kind: StepKind): void {
    this.#endHold(stay, mark, kind);
    stay.end = mark;
    this.#count(mark, stay.lane, kind);
  }

  /** The record of a move by hand comes behind that of the arrival. */
  #move({ destination = '', newNumber = 0 }: PageEvent, mark: Mark, stay: Stay): void {
    this.#leave(mark, stay, STEP.done);
    const moved = this.stayAt(destination, newNumber);
    if (moved === undefined) return;
    moved.source = { kind: 'moved', stay };
    moved.root = stay.root;
    cutAncestors(moved);
  }

  #count(mark: Mark, lane: string, kind: StepKind): void {
    const index = this.lanes.get(lane)?.index;
    if (index !== undefined) this.steps.add(mark.at, index, kind);
  }

  #entityLane(path: string): string {
    return this.#lane(`e:${path.toLowerCase()}`, { kind: 'entity', path, connectionId: undefined, name: '' });
  }

  #clientLane(client: NonNullable<PageEvent['client']>): string {
    const { connectionId } = client;
    return this.#lane(`s:${connectionId}`, {
      kind: 'client',
      path: '',
      connectionId,
      name: peerName(client),
    });
  }

  #consumerLane(path: string, client: PageEvent['client']): string {
    const connectionId = client?.connectionId;
    const key = `c:${path.toLowerCase()}:${connectionId ?? ''}`;
    return this.#lane(key, { kind: 'consumer', path, connectionId, name: peerName(client) });
  }

  #lane(key: string, lane: Omit<Lane, 'key' | 'index'>): string {
    const known = this.lanes.get(key);
    if (known === undefined) this.lanes.set(key, { key, index: this.#nextLane++, ...lane });
    else if (this.lanes.size > MAX_LANES / 2) {
      this.lanes.delete(key);
      this.lanes.set(key, known);
    }
    return key;
  }
}

const ARRIVALS: ReadonlySet<string> = new Set([
  'accepted',
  'enqueued',
  'scheduled',
  'routed',
  'activated',
  'transfer-waiting',
]);
/** Events that change no message, and stand in the list all the same. */
const SHOWN: ReadonlySet<string> = new Set([
  ...['renewed', 'duplicate', 'session-accepted', 'session-renewed', 'session-lost', 'session-released'],
  ...['session-state-set', 'purged', 'refused'],
]);

function keyOf(path: string, sequenceNumber: number): string {
  return `${path.toLowerCase()}#${sequenceNumber}`;
}

function topicOf(path: string): string {
  return path.replace(/\/Subscriptions\/[^/]+$/i, '');
}

/** A message that goes round and round does not keep all that it has been. */
function cutAncestors(stay: Stay): void {
  let ancestor: Stay | undefined = stay;
  for (let depth = 0; depth < MAX_ANCESTORS && ancestor !== undefined; depth++) {
    ancestor =
      ancestor.source !== undefined && ancestor.source.kind !== 'sent' ? ancestor.source.stay : undefined;
  }
  if (ancestor !== undefined) ancestor.source = undefined;
}

/** Forgets the oldest. */
function drop<Value>(map: Map<string, Value>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}
