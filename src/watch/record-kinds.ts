// The kinds of records, each with its fields and its sentence. The log, `jitney tail`, the history of a message and the page say the same.

import type { Activity } from '../broker/contract/activity.js';
import type { ActivityKind, NotRecorded, RecordOf } from './activity-record.js';
import type { ClientActivity } from './client-activity.js';

/** The fields that have their own columns, and the fields that no record has. */
type Common = 'kind' | 'path' | 'sequenceNumber' | 'linkId' | NotRecorded;

type FieldsOf<A> = A extends Activity | ClientActivity ? Exclude<keyof A, Common> : never;
type Field = FieldsOf<Activity | ClientActivity>;

/** The other fields of a kind: at most three numbers and three texts. */
type Fields = { readonly numbers?: readonly Field[]; readonly texts?: readonly Field[] };

type RecordKind<Kind extends ActivityKind> = Fields & {
  /** The sentence has neither the message nor the entity nor the client. */
  readonly sentence: (record: RecordOf<Kind>) => string;
};

const STORED = { numbers: ['sizeBytes'], texts: ['messageId', 'sessionId', 'correlationId'] } as const;
const HELD = { numbers: ['heldMs'] } as const;
const COUNTED = { numbers: ['heldMs', 'deliveryCount', 'maxDeliveryCount'] } as const;
const RELOCATED = { numbers: ['newNumber'], texts: ['destination'] } as const;
const SESSION = { texts: ['sessionId'] } as const;
const SESSION_LOCK = { numbers: ['lockedUntil'], texts: ['sessionId'] } as const;
const ENTITY = { texts: ['entity'] } as const;

const TABLE: { readonly [Kind in ActivityKind]: RecordKind<Kind> } = {
  accepted: { ...STORED, sentence: (one) => `Accepted ${stored(one)}` },
  enqueued: { ...STORED, sentence: (one) => `Enqueued ${stored(one)}` },
  scheduled: {
    numbers: ['sizeBytes', 'enqueueAt'],
    texts: STORED.texts,
    sentence: (one) =>
      `Scheduled for ${clock(one.enqueueAt, one.time) ?? 'a time that no date has'} ${stored(one)}`,
  },
  duplicate: {
    texts: ['messageId', 'correlationId'],
    sentence: ({ messageId }) => `Dropped a duplicate: the id ${quoted(messageId)} is there already`,
  },
  routed: {
    numbers: ['acceptedNumber'],
    texts: ['rule'],
    sentence: ({ rule, acceptedNumber }) => `Copied by rule ${quoted(rule)} from #${acceptedNumber}`,
  },
  unmatched: { sentence: () => 'Matched no rule: no subscription takes it' },
  activated: {
    numbers: ['scheduledNumber'],
    sentence: ({ scheduledNumber, sequenceNumber }) =>
      scheduledNumber === sequenceNumber
        ? 'Activated: it was deferred'
        : `Activated: it was scheduled as #${scheduledNumber}`,
  },
  locked: {
    numbers: ['lockedUntil', 'deliveryCount'],
    texts: ['lockToken'],
    sentence: (one) => `Locked ${until(one.lockedUntil, one.time)}, delivery ${one.deliveryCount + 1}`,
  },
  consumed: { sentence: () => 'Received and deleted' },
  renewed: {
    numbers: ['lockedUntil', 'renewalCount'],
    texts: ['lockToken'],
    sentence: ({ renewalCount = 1, lockedUntil, time }) =>
      `Lock renewed${renewalCount > 1 ? ` ${renewalCount} times,` : ''} ${until(lockedUntil, time)}`,
  },
  completed: { ...HELD, sentence: ({ heldMs }) => `Completed after ${shortDuration(heldMs)}` },
  abandoned: { ...COUNTED, sentence: (one) => `Abandoned after ${deliveryEnd(one)}` },
  'lock-expired': { ...COUNTED, sentence: (one) => `Lock ran out after ${deliveryEnd(one)}` },
  released: { ...HELD, sentence: ({ heldMs }) => `Released after ${shortDuration(heldMs)}` },
  deferred: { ...HELD, sentence: ({ heldMs }) => `Deferred after ${shortDuration(heldMs)}` },
  'dead-lettered': {
    texts: ['reason', 'description', 'outcome'],
    sentence: (one) =>
      one.reason === undefined ? 'Dead-lettered without a reason' : `Dead-lettered: ${deadLetterReason(one)}`,
  },
  expired: { sentence: () => 'Expired: its time to live is over' },
  forwarded: { texts: ['destination'], sentence: ({ destination }) => `Forwarded to '${destination}'` },
  moved: { ...RELOCATED, sentence: (one) => `Moved to '${one.destination}' as #${one.newNumber}` },
  resubmitted: {
    ...RELOCATED,
    sentence: (one) => `Resubmitted to '${one.destination}' as #${one.newNumber}`,
  },
  'transfer-waiting': { texts: ['destination'], sentence: ({ destination }) => `Waits for '${destination}'` },
  cancelled: { sentence: () => 'Cancelled' },
  deleted: { sentence: () => 'Deleted' },
  purged: {
    numbers: ['messageCount'],
    sentence: ({ messageCount }) => `Purged of ${messageCount} message${messageCount === 1 ? '' : 's'}`,
  },
  'session-accepted': { ...SESSION_LOCK, sentence: (one) => `Session ${quoted(one.sessionId)} accepted` },
  'session-renewed': {
    ...SESSION_LOCK,
    sentence: (one) => `Session ${quoted(one.sessionId)} renewed ${until(one.lockedUntil, one.time)}`,
  },
  'session-lost': {
    ...SESSION,
    sentence: ({ sessionId }) => `Session ${quoted(sessionId)} lost: its lock ran out`,
  },
  'session-released': { ...SESSION, sentence: ({ sessionId }) => `Session ${quoted(sessionId)} released` },
  'session-state-set': {
    ...SESSION,
    sentence: ({ sessionId }) => `State of session ${quoted(sessionId)} set`,
  },
  'transaction-declared': {
    numbers: ['transactionId'],
    sentence: ({ transactionId }) => `Transaction ${transactionId} declared`,
  },
  'transaction-committed': {
    numbers: ['transactionId', 'operationCount'],
    sentence: (one) => `Transaction ${one.transactionId} committed, ${one.operationCount} operations`,
  },
  'transaction-rolled-back': {
    numbers: ['transactionId', 'operationCount'],
    texts: ['cause'],
    sentence: (one) => `Transaction ${one.transactionId} rolled back${becauseOf(one.cause)}`,
  },
  'entity-created': { ...ENTITY, sentence: ({ entity }) => `${capitalized(entity)} created` },
  'entity-updated': { ...ENTITY, sentence: ({ entity }) => `${capitalized(entity)} changed` },
  'entity-deleted': { ...ENTITY, sentence: ({ entity }) => `${capitalized(entity)} deleted` },
  refused: {
    texts: ['command', 'reason', 'text'],
    sentence: ({ command, text }) => `Refused ${command}: ${text}`,
  },
  'connection-opened': { texts: ['transport'], sentence: ({ transport }) => `Connected over ${transport}` },
  'connection-closed': { texts: ['cause'], sentence: ({ cause }) => `Connection closed${becauseOf(cause)}` },
  'link-attached': { texts: ['role'], sentence: ({ role }) => `${capitalized(role)} attached` },
  'link-refused': {
    texts: ['role', 'condition', 'text'],
    sentence: ({ role, condition, text }) => `${capitalized(role)} refused: ${condition}: ${text}`,
  },
  'link-detached': {
    texts: ['condition', 'text'],
    sentence: ({ text }) => `Link detached${becauseOf(text)}`,
  },
  'token-accepted': { texts: ['policy'], sentence: () => 'Token accepted' },
  'token-refused': { texts: ['reason', 'text'], sentence: ({ text }) => `Token refused: ${text}` },
  'fault-fired': {
    numbers: ['fault'],
    texts: ['operation', 'effect'],
    sentence: ({ operation, effect }) => `Fault on ${operation}: ${effect}`,
  },
  // A whole sentence, which the log has as well.
  'client-refused': { texts: ['text'], sentence: ({ text }) => text },
  'request-refused': {
    numbers: ['status'],
    texts: ['method', 'text'],
    sentence: ({ method, status, text }) => `${method} refused with ${status}: ${text}`,
  },
  'http-request': {
    numbers: ['status', 'durationMs'],
    texts: ['method'],
    sentence: ({ method, status, durationMs }) =>
      `${method} answered with ${status} in ${shortDuration(durationMs)}`,
  },
};

export const KINDS = Object.keys(TABLE) as readonly ActivityKind[];

export type Shape = Required<Fields>;

export const SHAPES = Object.fromEntries(
  Object.entries(TABLE).map(([kind, { numbers = [], texts = [] }]) => [kind, { numbers, texts }]),
) as { readonly [Kind in ActivityKind]: Shape };

export function isKind(kind: string): kind is ActivityKind {
  return Object.hasOwn(TABLE, kind);
}

/**
 * The sentence of a record, such as `Locked until 10:00:30, delivery 1`, without the message, the entity and the client. `event` is a
 * record, or an event of the control interface, in which times are texts. Times are shown in the time zone of the reader.
 */
export function eventText(event: { readonly kind: string }): string {
  const { kind } = event;
  // A newer emulator may have kinds that this page does not know.
  if (!isKind(kind)) return capitalized(kind.replaceAll('-', ' '));
  return (TABLE[kind].sentence as (event: object) => string)(event);
}

const HOUR_MS = 3_600_000;

/** A rounded duration: `13 ms`, `5 s`, `2 min`, `36.5 h` or `365 days`. */
export function shortDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${Math.round(ms / 100) / 10} s`;
  if (ms < 2 * HOUR_MS) return `${Math.round(ms / 60_000)} min`;
  if (ms < 48 * HOUR_MS) return `${Math.round(ms / (HOUR_MS / 10)) / 10} h`;
  return `${Math.round(ms / (2.4 * HOUR_MS)) / 10} days`;
}

export function deadLetterReason({ reason, description }: RecordOf<'dead-lettered'>): string {
  if (reason === undefined) return 'without a reason';
  return description === undefined ? reason : `${reason}: ${description}`;
}

function stored({
  messageId,
  correlationId,
  sessionId,
  sizeBytes,
}: RecordOf<'enqueued' | 'accepted' | 'scheduled'>): string {
  const correlation = correlationId === undefined ? '' : `, correlation ${quoted(correlationId)}`;
  const session = sessionId === undefined ? '' : `, session ${quoted(sessionId)}`;
  return `with id ${quoted(messageId)}${correlation}${session}, ${sizeBytes} bytes`;
}

function deliveryEnd({
  heldMs,
  deliveryCount,
  maxDeliveryCount,
}: RecordOf<'abandoned' | 'lock-expired'>): string {
  return `${shortDuration(heldMs)}, delivery ${deliveryCount} of ${maxDeliveryCount}`;
}

function becauseOf(cause: string | undefined): string {
  return cause === undefined ? '' : `: ${cause}`;
}

function quoted(text: string | undefined): string {
  return text === undefined ? '(none)' : JSON.stringify(text);
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).replaceAll('-', ' ');
}

/** A lock that a receiver holds until it detaches has no time. */
function until(given: number | string | undefined, recordTime: number | string): string {
  return `until ${clock(given, recordTime) ?? 'its receiver detaches'}`;
}

/** The time of day, with its date unless that is the one of the record. Undefined for a time that no date has; a text is ISO 8601. */
function clock(given: number | string | undefined, recordTime: number | string): string | undefined {
  const date = new Date(given ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return undefined;
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
  if (date.toDateString() === new Date(recordTime).toDateString()) return time;
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())} ${time}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
