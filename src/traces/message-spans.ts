// The spans of messages, made from the records of the stream: acceptance, deliveries and their ends, dead letters and moves.

import type { Attributes, AttributeValue, Context, Span, SpanContext, Tracer } from '@opentelemetry/api';
import { traceContextOf } from '../content/trace-context.js';
import type { ActivityKind, ActivityRecord, RecordOf } from '../watch/activity-record.js';
import { deadLetterReason } from '../watch/record-kinds.js';
import { ATTRIBUTE, type OperationType, SpanKinds } from './conventions.js';
import { type Acceptance, type TracedMessage, TracedMessages } from './traced-messages.js';

/** OpenTelemetry's own functions. */
export type OpenTelemetryApi = Pick<
  typeof import('@opentelemetry/api'),
  'ROOT_CONTEXT' | 'SpanKind' | 'SpanStatusCode' | 'createTraceState' | 'metrics' | 'trace'
>;

type Arrival = RecordOf<'accepted' | 'enqueued' | 'scheduled'>;
type EndOfDelivery = RecordOf<'completed' | 'abandoned' | 'deferred' | 'released' | 'lock-expired'>;
type OfMessage = Extract<ActivityRecord, { readonly sequenceNumber: number }>;

/** A message that has just arrived. Its span is made when the turn is over, because the record of a resubmit comes after the arrival. */
type Arrived = {
  readonly record: Arrival;
  readonly acceptance: Acceptance;
  readonly time: number;
  isUnmatched: boolean;
};

/** Reads the bytes of a stored message; undefined if it is gone. */
export type ReadStoredBytes = (path: string, sequenceNumber: number) => Promise<Uint8Array | undefined>;

type Options = {
  /** The time of this machine in milliseconds since 1970. */
  readonly now?: () => number;
  readonly maxMessages?: number;
  /** For messages whose arrival was not seen. Default: what happens to them begins a new trace. */
  readonly readStoredBytes?: ReadStoredBytes;
};

type SpanFacts = {
  readonly operation: string;
  readonly type?: OperationType;
  readonly parent: SpanContext | undefined;
  /** Default: now. */
  readonly startTime?: number;
  readonly endTime?: number;
  /** Whether it was a client that asked for it. */
  readonly isOfClient?: boolean;
  readonly attributes?: Attributes;
  /** Undefined: it went well. */
  readonly error?: { readonly type: string; readonly text: string } | undefined;
};

/** So many messages are looked up at a time. */
const MAX_LOOK_UPS = 100;

/** The ends of a delivery for which a receiver decides. */
const SETTLEMENTS = { completed: 'complete', abandoned: 'abandon', deferred: 'defer' } as const;

/** The kinds that make spans, or say where a message has gone. Records of other kinds are not even read. */
const TRACED: ReadonlySet<ActivityKind> = new Set([
  ...(['accepted', 'enqueued', 'scheduled', 'duplicate', 'routed', 'unmatched', 'activated'] as const),
  ...(['locked', 'consumed', 'renewed', 'completed', 'abandoned', 'lock-expired', 'released'] as const),
  ...(['deferred', 'dead-lettered', 'expired', 'forwarded', 'moved', 'resubmitted'] as const),
  ...(['cancelled', 'deleted', 'purged', 'entity-deleted'] as const),
]);

/**
 * Makes spans with OpenTelemetry's tracer. They have the times of this machine's clock, as those of the clients, also when the broker's
 * clock is set to another time.
 */
export class MessageSpans {
  readonly #api: OpenTelemetryApi;
  readonly #tracer: Tracer;
  readonly #now: () => number;
  readonly #messages: TracedMessages;
  readonly #readStoredBytes: ReadStoredBytes | undefined;
  readonly #kinds = new SpanKinds();
  #lookUpCount = 0;
  #arrived: Arrived | undefined;
  /** The span of a message that was just forwarded: the next record is its arrival elsewhere. */
  #forwarded: { readonly recordId: number; readonly span: SpanContext } | undefined;
  /** A message that has just expired: it is gone unless it is dead-lettered now. */
  #expired: RecordOf<'expired'> | undefined;

  constructor(
    api: OpenTelemetryApi,
    tracer: Tracer,
    { now = preciseNow, maxMessages, readStoredBytes }: Options = {},
  ) {
    this.#api = api;
    this.#tracer = tracer;
    this.#now = now;
    this.#messages = new TracedMessages(maxMessages);
    this.#readStoredBytes = readStoredBytes;
  }

  /** The number of messages whose span is known. */
  get messageCount(): number {
    return this.#messages.count;
  }

  /** An observer of the stream of records. */
  observe(kind: ActivityKind, read: () => ActivityRecord, content: Uint8Array | undefined): void {
    if (!TRACED.has(kind)) return;
    const record = read();
    const expired = this.#expired;
    this.#expired = undefined;
    if (expired !== undefined && record.kind !== 'dead-lettered') this.#messages.take(expired);
    switch (record.kind) {
      case 'accepted':
      case 'enqueued':
      case 'scheduled':
        return this.#arrive(record, content);
      case 'routed':
        return this.#route(record);
      case 'unmatched':
        if (this.#arrived !== undefined) this.#arrived.isUnmatched = true;
        return;
      case 'moved':
      case 'resubmitted':
        return this.#relocate(record);
      default:
        this.#endArrival();
        this.#tell(record);
    }
  }

  #tell(record: ActivityRecord): void {
    switch (record.kind) {
      case 'locked':
        return this.#lock(record);
      case 'renewed':
        return this.#renew(record);
      case 'completed':
      case 'abandoned':
      case 'deferred':
      case 'released':
      case 'lock-expired':
        return this.#endDelivery(record);
      case 'consumed':
        this.#span(record, this.#messages.take(record), { operation: 'deliver', type: 'receive' });
        return;
      case 'dead-lettered':
        return this.#deadLetter(record);
      case 'forwarded':
        return this.#forward(record);
      default:
        this.#tellRare(record);
    }
  }

  #tellRare(record: ActivityRecord): void {
    switch (record.kind) {
      case 'activated':
        return this.#activate(record);
      case 'duplicate':
        this.#span(record, this.#messages.find(record), { operation: 'drop_duplicate', isOfClient: true });
        return;
      case 'expired': {
        const error = { type: 'TTLExpiredException', text: 'Its time to live is over' };
        this.#span(record, this.#messages.get(record), { operation: 'expire', error });
        this.#expired = record;
        return;
      }
      case 'cancelled':
      case 'deleted':
        this.#messages.take(record);
        return;
      case 'purged':
      case 'entity-deleted':
        this.#messages.forgetAll(record.path);
        return;
      default:
    }
  }

  #arrive(record: Arrival, content: Uint8Array | undefined): void {
    this.#endArrival();
    const forwarded = this.#forwarded?.recordId === record.id - 1 ? this.#forwarded.span : undefined;
    this.#forwarded = undefined;
    const span = forwarded ?? this.#sentSpan(content);
    const acceptance = { messageId: record.messageId, span };
    this.#messages.add(record, acceptance);
    this.#arrived = { record, acceptance, time: this.#now(), isUnmatched: false };
    queueMicrotask(() => this.#endArrival());
  }

  /** The span in which the sender made the message. */
  #sentSpan(content: Uint8Array | undefined): SpanContext | undefined {
    const sent = content === undefined ? undefined : traceContextOf(content);
    if (sent === undefined) return undefined;
    const { traceState, ...ids } = sent;
    const state = traceState === undefined ? {} : { traceState: this.#api.createTraceState(traceState) };
    return { ...ids, ...state, isRemote: true };
  }

  #endArrival(): void {
    const arrived = this.#arrived;
    this.#arrived = undefined;
    if (arrived === undefined) return;
    const { record, acceptance, time, isUnmatched } = arrived;
    acceptance.span = this.#span(record, undefined, {
      operation: record.kind === 'scheduled' ? 'schedule' : 'accept',
      type: 'send',
      parent: acceptance.span,
      startTime: time,
      endTime: time,
      isOfClient: true,
      attributes: {
        [ATTRIBUTE.messageId]: record.messageId,
        [ATTRIBUTE.correlationId]: record.correlationId,
        [ATTRIBUTE.sessionId]: record.sessionId,
        [ATTRIBUTE.sizeBytes]: record.sizeBytes,
        [ATTRIBUTE.isUnmatched]: isUnmatched || undefined,
      },
    });
  }

  #route(record: RecordOf<'routed'>): void {
    const [path] = record.path.split('/Subscriptions/');
    const accepted = this.#messages.get({ path: path ?? '', sequenceNumber: record.acceptedNumber });
    this.#messages.add(record, accepted.acceptance);
  }

  /** The record of a move by hand follows that of the arrival. */
  #relocate(record: RecordOf<'moved' | 'resubmitted'>): void {
    const arrived = this.#arrived;
    const isArrival =
      arrived?.record.path === record.destination && arrived.record.sequenceNumber === record.newNumber;
    if (!isArrival) this.#endArrival();
    const message = this.#messages.take(record);
    // A message that was there before has the sender's span in its bytes.
    if (isArrival) message.acceptance.span ??= arrived.acceptance.span;
    const span = this.#span(record, message, {
      operation: record.kind === 'moved' ? 'move' : 'resubmit',
      isOfClient: true,
      attributes: { [ATTRIBUTE.movedTo]: record.destination },
    });
    if (isArrival) arrived.acceptance.span = span;
  }

  #lock(record: RecordOf<'locked'>): void {
    const message = this.#messages.find(record) ?? this.#recall(record);
    message.delivery = {
      startTime: this.#now(),
      deliveryCount: record.deliveryCount + 1,
      client: record.client?.label,
      renewalCount: 0,
    };
  }

  /** Reads the sender's span of a message that was there before. It is known by the end of the delivery, which needs the same bytes. */
  #recall(record: RecordOf<'locked'>): TracedMessage {
    const acceptance: Acceptance = { messageId: undefined, span: undefined };
    if (this.#readStoredBytes !== undefined && this.#lookUpCount < MAX_LOOK_UPS) {
      this.#lookUpCount += 1;
      this.#readStoredBytes(record.path, record.sequenceNumber)
        .then((content) => {
          acceptance.span ??= this.#sentSpan(content);
        })
        .catch(() => {}) // it belongs to no trace that is known
        .finally(() => {
          this.#lookUpCount -= 1;
        });
    }
    return this.#messages.add(record, acceptance);
  }

  #renew(record: RecordOf<'renewed'>): void {
    const delivery = this.#messages.find(record)?.delivery;
    if (delivery !== undefined) delivery.renewalCount += 1;
  }

  #endDelivery(record: EndOfDelivery): void {
    const isGone = record.kind === 'completed';
    const message = isGone ? this.#messages.take(record) : this.#messages.get(record);
    const hasExpired = record.kind === 'lock-expired';
    const text = 'The lock ended before the receiver had settled the message';
    const delivered = this.#deliver(
      record,
      message,
      hasExpired ? { type: 'MessageLockLost', text } : undefined,
    );
    if (hasExpired || record.kind === 'released') return;
    const operation = SETTLEMENTS[record.kind];
    const attributes = { [ATTRIBUTE.disposition]: operation };
    this.#span(record, message, {
      operation,
      type: 'settle',
      parent: delivered,
      isOfClient: true,
      attributes,
    });
  }

  /** The span of a delivery, from its lock to now. */
  #deliver(record: OfMessage, message: TracedMessage, error?: SpanFacts['error']): SpanContext {
    const { delivery } = message;
    message.delivery = undefined;
    return this.#span(record, message, {
      operation: 'deliver',
      type: 'receive',
      ...(delivery === undefined ? {} : { startTime: delivery.startTime }),
      error,
      attributes: {
        [ATTRIBUTE.deliveryCount]: delivery?.deliveryCount,
        [ATTRIBUTE.client]: delivery?.client,
        [ATTRIBUTE.renewals]: delivery?.renewalCount || undefined,
      },
    });
  }

  #deadLetter(record: RecordOf<'dead-lettered'>): void {
    const message = this.#messages.get(record);
    const isSettlement = record.outcome !== undefined;
    if (message.delivery !== undefined) this.#deliver(record, message);
    message.span = this.#span(record, message, {
      operation: 'dead_letter',
      ...(isSettlement ? { type: 'settle', isOfClient: true } : {}),
      error: { type: errorType(record.reason), text: deadLetterReason(record) },
      attributes: {
        [ATTRIBUTE.reason]: record.reason,
        [ATTRIBUTE.description]: record.description,
        [ATTRIBUTE.disposition]: isSettlement ? 'dead_letter' : undefined,
      },
    });
  }

  #forward(record: RecordOf<'forwarded'>): void {
    const message = this.#messages.take(record);
    // The arrival of one that was there before is told with its bytes.
    if (message.span === undefined && message.acceptance.span === undefined) return;
    const span = this.#span(record, message, {
      operation: 'forward',
      attributes: { [ATTRIBUTE.movedTo]: record.destination },
    });
    this.#forwarded = { recordId: record.id, span };
  }

  /** A scheduled message becomes active under a new number. */
  #activate(record: RecordOf<'activated'>): void {
    const { path, scheduledNumber } = record;
    const message = this.#messages.take({ path, sequenceNumber: scheduledNumber });
    this.#messages.put(record, message);
    this.#span(record, message, { operation: 'activate' });
  }

  /** Makes a span. Its parent is by default the one of the message, and the first span of a message without any becomes that. */
  #span(
    record: OfMessage,
    message: TracedMessage | undefined,
    facts: Omit<SpanFacts, 'parent'> & Partial<Pick<SpanFacts, 'parent'>>,
  ): SpanContext {
    const { SpanKind, SpanStatusCode } = this.#api;
    const { operation, type, startTime, endTime, isOfClient = false, attributes, error } = facts;
    const now = startTime === undefined || endTime === undefined ? this.#now() : endTime;
    const parent = facts.parent ?? message?.span ?? message?.acceptance.span;
    const { name, attributes: always } = this.#kinds.of(operation, type, record.path);
    const kind = isOfClient ? SpanKind.SERVER : SpanKind.INTERNAL;
    const start = { kind, startTime: startTime ?? now, attributes: always };
    const span = this.#tracer.startSpan(name, start, this.#within(parent));
    setGiven(span, ATTRIBUTE.sequenceNumber, record.sequenceNumber);
    setGiven(span, ATTRIBUTE.messageId, message?.acceptance.messageId);
    setGiven(span, ATTRIBUTE.client, record.client?.label);
    for (const key in attributes) setGiven(span, key, attributes[key]);
    setGiven(span, ATTRIBUTE.errorType, error?.type);
    if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error.text });
    span.end(endTime ?? now);
    const context = span.spanContext();
    if (message !== undefined) message.acceptance.span ??= context;
    return context;
  }

  #within(parent: SpanContext | undefined): Context {
    const { ROOT_CONTEXT, trace } = this.#api;
    return parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
  }
}

function setGiven(span: Span, name: string, value: AttributeValue | undefined): void {
  if (value !== undefined) span.setAttribute(name, value);
}

/** The reasons of the broker. Receivers may give any others, and the conventions ask for few values. */
const REASONS: ReadonlySet<string | undefined> = new Set([
  'MaxDeliveryCountExceeded',
  'TTLExpiredException',
  'MaxTransferHopCountExceeded',
  'ContentUnreadable',
]);

function errorType(reason: string | undefined): string {
  return reason !== undefined && REASONS.has(reason) ? reason : '_OTHER';
}

/** The clock of the machine with parts of milliseconds, so that spans within one are in their order. */
function preciseNow(): number {
  const now = performance.timeOrigin + performance.now();
  const machine = Date.now();
  // Unless the machine's clock was set, or it slept.
  return Math.abs(now - machine) < 2 ? now : machine;
}
