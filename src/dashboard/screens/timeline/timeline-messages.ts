// The messages of the timeline: the events put together to one row a message, its life cut into spans. All of it is bounded.

import { clientName } from '../../state/format.js';
import type { PageEvent } from '../../state/page-event.js';

/** Messages and steps that are kept. */
const MAX_KEPT = 10_000;
/** The last spans and steps of one message, which may be delivered again and again. */
const MAX_OF_A_MESSAGE = 200;
/** Forwarded messages whose arrival is still to come, of one entity. */
const MAX_ON_THE_WAY = 100;

export type SpanState = 'scheduled' | 'waiting' | 'locked' | 'deferred' | 'dead';

/** A part of a message's life. Times are milliseconds since 1970 by the broker's clock. */
export type Span = {
  readonly state: SpanState;
  readonly from: number;
  /** Undefined while it goes on. */
  to: number | undefined;
  /** The client that has it locked. */
  readonly holder: string | undefined;
  /** The kind of the event that ended it. */
  outcome: string | undefined;
  /** Why the message is dead. */
  readonly reason: string | undefined;
};

/** One event, and the message that it is about. */
export type TimelineStep = { readonly event: PageEvent; readonly message: TimelineMessage | undefined };

/** One message of one entity, from its arrival to its end; as a dead letter it stays the same. */
export type TimelineMessage = {
  /** The number of its first event. */
  readonly id: number;
  /** The queue, topic or subscription. */
  readonly entity: string;
  /** Where it is now: the entity or one of its sub-queues. */
  path: string;
  /** A scheduled message gets another when it is activated. */
  sequenceNumber: number;
  readonly messageId: string | undefined;
  readonly correlationId: string | undefined;
  readonly sessionId: string | undefined;
  /** Who sent it, and who has had it. */
  readonly clients: Set<string>;
  /** The message that it was made from: by a topic, by forwarding, by hand. */
  origin: TimelineMessage | undefined;
  readonly spans: Span[];
  readonly steps: PageEvent[];
  /** The event with which it left the entity. */
  end: PageEvent | undefined;
  isListed: boolean;
};

type Handler = (event: PageEvent, at: number, message: TimelineMessage) => void;

export class TimelineMessages {
  /** In the order of their arrival. */
  messages: TimelineMessage[] = [];
  steps: TimelineStep[] = [];
  /** Messages that have been forgotten. */
  droppedCount = 0;
  /** The time of the last event. */
  lastAt = 0;
  readonly #most: number;
  readonly #byKey = new Map<string, TimelineMessage>();
  readonly #onTheWay = new Map<string, TimelineMessage[]>();

  constructor(most = MAX_KEPT) {
    this.#most = most;
  }

  at(path: string, sequenceNumber: number): TimelineMessage | undefined {
    return this.#byKey.get(keyOf(path, sequenceNumber));
  }

  /** Adds events in their order. Messages for which `isKept` is true are forgotten last. */
  add(events: readonly PageEvent[], isKept: (message: TimelineMessage) => boolean): void {
    for (const event of events) {
      if (event.path === undefined || !KINDS.has(event.kind)) continue;
      this.lastAt = Date.parse(event.time);
      const message = this.#take(event, this.lastAt);
      this.steps.push({ event, message });
      if (message === undefined) continue;
      push(message.steps, event);
      if (event.client !== undefined) message.clients.add(clientName(event.client));
    }
    if (this.messages.length > this.#most * 1.1) this.#forgetMessages(isKept);
    if (this.steps.length > this.#most * 2.2) {
      this.steps = this.steps.filter(
        ({ message }, index) =>
          index >= this.steps.length - this.#most * 2 || (message !== undefined && isKept(message)),
      );
    }
  }

  /** How many of these events, which are not added yet, would be steps that match. A message is judged by what is known of it until now. */
  countSteps(events: readonly PageEvent[], matches: (step: TimelineStep) => boolean): number {
    const ahead = new TimelineMessages(this.#most);
    ahead.add(events, () => true);
    return ahead.steps.filter(({ event, message }) => {
      const known = this.at(event.path ?? '', event.sequenceNumber ?? 0);
      return matches({ event, message: known ?? message });
    }).length;
  }

  clear(): void {
    this.messages = [];
    this.steps = [];
    this.#byKey.clear();
    this.#onTheWay.clear();
  }

  #forgetMessages(isKept: (message: TimelineMessage) => boolean): void {
    const excess = this.messages.length - this.#most;
    const kept = this.messages
      .slice(0, excess)
      .filter(isKept)
      .slice(-this.#most / 2);
    this.droppedCount += excess - kept.length;
    this.messages = [...kept, ...this.messages.slice(excess)];
    const all = new Set(this.messages);
    // A message that a topic has accepted is not listed, but its copies name it as their origin.
    const oldest = this.messages[kept.length]?.id ?? 0;
    for (const [key, message] of this.#byKey) {
      if (!all.has(message) && message.id < oldest) this.#byKey.delete(key);
    }
    for (const message of this.messages) {
      if (message.origin !== undefined && message.origin.id < oldest && !all.has(message.origin)) {
        message.origin = undefined;
      }
    }
  }

  #take(event: PageEvent, at: number): TimelineMessage | undefined {
    const { kind, path = '', sequenceNumber } = event;
    if (sequenceNumber === undefined) {
      if (kind === 'purged' || kind === 'entity-deleted') this.#endAll(path, event, at);
      return undefined;
    }
    if (ARRIVALS.has(kind)) return this.#arrive(event, at);
    const handler = this.#handlers[kind];
    const known = this.at(path, kind === 'activated' ? (event.scheduledNumber ?? 0) : sequenceNumber);
    if (handler === undefined) return known;
    const message = known ?? this.#open(event, undefined);
    handler(event, at, message);
    if (message.spans.length > 0 || message.end !== undefined) this.#list(message);
    return message;
  }

  #arrive(event: PageEvent, at: number): TimelineMessage {
    const origin = this.#originOf(event);
    const message = this.#open(event, origin);
    if (event.kind === 'routed' && origin !== undefined) {
      origin.end ??= event;
      closeSpan(origin, at, 'routed');
      const accepted = origin.steps.at(-1);
      if (accepted !== undefined) push(message.steps, accepted);
    }
    // A topic keeps nothing but what is scheduled.
    if (event.kind === 'accepted') return message;
    openSpan(message, event.kind === 'scheduled' ? 'scheduled' : 'waiting', at);
    this.#list(message);
    return message;
  }

  #originOf({
    kind,
    path = '',
    acceptedNumber = 0,
    client,
    messageId,
  }: PageEvent): TimelineMessage | undefined {
    if (kind === 'routed') return this.at(path.replace(/\/Subscriptions\/[^/]+$/i, ''), acceptedNumber);
    const waiting = client === undefined ? this.#onTheWay.get(path) : undefined;
    const index = waiting?.findIndex((each) => each.messageId === messageId) ?? -1;
    return index < 0 ? undefined : waiting?.splice(index, 1)[0];
  }

  #open(event: PageEvent, origin: TimelineMessage | undefined): TimelineMessage {
    const { id, path = '', sequenceNumber = 0 } = event;
    const { messageId, correlationId, sessionId } = 'messageId' in event ? event : (origin ?? event);
    const message: TimelineMessage = {
      id,
      entity: path.replace(SUB_QUEUE, ''),
      path,
      sequenceNumber,
      messageId,
      correlationId,
      sessionId,
      clients: new Set(),
      origin,
      spans: [],
      steps: [],
      end: undefined,
      isListed: false,
    };
    this.#byKey.set(keyOf(path, sequenceNumber), message);
    return message;
  }

  #list(message: TimelineMessage): void {
    if (!message.isListed) this.messages.push(message);
    message.isListed = true;
  }

  #rename(message: TimelineMessage, path: string, sequenceNumber: number): void {
    this.#byKey.delete(keyOf(message.path, message.sequenceNumber));
    message.path = path;
    message.sequenceNumber = sequenceNumber;
    this.#byKey.set(keyOf(path, sequenceNumber), message);
  }

  readonly #handlers: Readonly<Record<string, Handler>> = {
    activated: (event, at, message) => {
      closeSpan(message, at, event.kind);
      this.#rename(message, message.path, event.sequenceNumber ?? 0);
      openSpan(message, 'waiting', at);
    },
    locked: (event, at, message) => {
      closeSpan(message, at, event.kind);
      message.end = undefined;
      openSpan(message, 'locked', at, { holder: clientName(event.client) });
    },
    abandoned: giveBack,
    'lock-expired': giveBack,
    released: giveBack,
    deferred: (event, at, message) => {
      endLock(event, at, message);
      openSpan(message, 'deferred', at);
    },
    'dead-lettered': (event, at, message) => {
      closeSpan(message, at, event.kind);
      message.end = undefined;
      this.#rename(message, `${event.path}/$DeadLetterQueue`, message.sequenceNumber);
      openSpan(message, 'dead', at, { reason: event.reason });
    },
    forwarded: (event, at, message) => {
      leave(event, at, message);
      const waiting = this.#onTheWay.get(event.destination ?? '') ?? [];
      this.#onTheWay.set(event.destination ?? '', [...waiting, message].slice(-MAX_ON_THE_WAY));
    },
    moved: (event, at, message) => this.#move(event, at, message),
    resubmitted: (event, at, message) => this.#move(event, at, message),
    consumed: leave,
    completed: leave,
    unmatched: leave,
    expired: leave,
    cancelled: leave,
    deleted: leave,
  };

  /** The event of a move by hand comes after that of the arrival. */
  #move(event: PageEvent, at: number, message: TimelineMessage): void {
    leave(event, at, message);
    const moved = this.at(event.destination ?? '', event.newNumber ?? 0);
    if (moved !== undefined) moved.origin = message;
  }

  #endAll(path: string, event: PageEvent, at: number): void {
    for (const message of this.messages) {
      if (message.end === undefined && message.path === path) leave(event, at, message);
    }
  }
}

const ARRIVALS: ReadonlySet<string> = new Set([
  ...['accepted', 'enqueued', 'scheduled', 'routed', 'transfer-waiting'],
]);
/** All events that are steps of the timeline. */
const KINDS: ReadonlySet<string> = new Set([
  ...ARRIVALS,
  ...[
    'activated',
    'locked',
    'abandoned',
    'lock-expired',
    'released',
    'deferred',
    'dead-lettered',
    'forwarded',
  ],
  ...['moved', 'resubmitted', 'consumed', 'completed', 'unmatched', 'expired', 'cancelled', 'deleted'],
  ...['renewed', 'duplicate', 'purged', 'entity-deleted', 'refused'],
  ...['session-accepted', 'session-renewed', 'session-lost', 'session-released', 'session-state-set'],
]);
const SUB_QUEUE = /(\/\$Transfer)?\/\$?DeadLetterQueue$|\/\$Transfer$/i;

function keyOf(path: string, sequenceNumber: number): string {
  return `${path.toLowerCase()}#${sequenceNumber}`;
}

function openSpan(
  message: TimelineMessage,
  state: SpanState,
  at: number,
  { holder, reason }: { readonly holder?: string; readonly reason?: string | undefined } = {},
): void {
  push(message.spans, { state, from: at, to: undefined, holder, outcome: undefined, reason });
}

/** Ends the span that goes on. One that was over at once because of what the same turn did next, is none. */
function closeSpan(message: TimelineMessage, at: number, outcome: string): void {
  const last = message.spans.at(-1);
  if (last === undefined || last.to !== undefined) return;
  const isPassed =
    last.from >= at && last.state === 'waiting' && outcome !== 'locked' && message.spans.length > 1;
  if (isPassed || (last.from >= at && outcome === 'routed')) {
    message.spans.pop();
    return;
  }
  last.to = Math.max(last.from, at);
  last.outcome = outcome;
}

/** Ends a lock; one whose begin is not known began as long ago as the event says. */
function endLock({ kind, heldMs, client }: PageEvent, at: number, message: TimelineMessage): void {
  if (message.spans.length === 0 && heldMs !== undefined) {
    openSpan(message, 'locked', at - heldMs, { holder: clientName(client) });
  }
  closeSpan(message, at, kind);
}

function giveBack(event: PageEvent, at: number, message: TimelineMessage): void {
  endLock(event, at, message);
  openSpan(message, SUB_QUEUE.test(message.path) ? 'dead' : 'waiting', at);
}

function leave(event: PageEvent, at: number, message: TimelineMessage): void {
  endLock(event, at, message);
  message.end = event;
}

function push<Item>(items: Item[], item: Item): void {
  items.push(item);
  // The first says how it began.
  if (items.length > MAX_OF_A_MESSAGE) items.splice(1, 1);
}
