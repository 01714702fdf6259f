// One line of text for a record: what happened, to which message, and for which client. It is for people; programs read the fields.

import { isoTime } from '../broker/contract/instant.js';
import { type ActivityRecord, type Client, NO_CONNECTION, type RecordOf } from './activity-record.js';
import { clientText } from './client-label.js';

/** The texts by kind. Each names everything except the client, which `describeActivity` adds. */
const TEXTS: { readonly [Kind in ActivityRecord['kind']]: (record: RecordOf<Kind>) => string } = {
  accepted: (one) => `accepted    ${messageName(one)} ${stored(one)}`,
  enqueued: (one) => `enqueued    ${messageName(one)} ${stored(one)}`,
  scheduled: (one) => `scheduled   ${messageName(one)} for ${instant(one.enqueueAt)} ${stored(one)}`,
  duplicate: (one) => `duplicate   ${messageName(one)} has the id ${quoted(one.messageId)} already; dropped`,
  routed: (one) => `routed      ${messageName(one)} by rule ${quoted(one.rule)} from #${one.acceptedNumber}`,
  unmatched: (one) => `unmatched   ${messageName(one)} no subscription takes it`,
  activated: (one) =>
    `activated   ${messageName(one)} was ${one.scheduledNumber === one.sequenceNumber ? 'deferred' : `scheduled as #${one.scheduledNumber}`}`,
  locked: (one) =>
    `locked      ${messageName(one)} until ${instant(one.lockedUntil)}, delivery ${one.deliveryCount + 1}`,
  consumed: (one) => `consumed    ${messageName(one)} received and deleted`,
  renewed: (one) => `renewed     ${messageName(one)} until ${instant(one.lockedUntil)}`,
  completed: (one) => `completed   ${messageName(one)} after ${shortDuration(one.heldMs)}`,
  abandoned: (one) =>
    `abandoned   ${messageName(one)} after ${shortDuration(one.heldMs)}, ${deliveries(one)}`,
  'lock-expired': (one) =>
    `lock ended  ${messageName(one)} after ${shortDuration(one.heldMs)}, ${deliveries(one)}`,
  released: (one) => `released    ${messageName(one)} after ${shortDuration(one.heldMs)}`,
  deferred: (one) => `deferred    ${messageName(one)} after ${shortDuration(one.heldMs)}`,
  'dead-lettered': (one) => `dead-letter ${messageName(one)} ${deadLetterReason(one)}`,
  expired: (one) => `expired     ${messageName(one)} its time to live is over`,
  forwarded: (one) => `forwarded   ${messageName(one)} to '${one.destination}'`,
  moved: (one) => `moved       ${messageName(one)} to '${one.destination}' #${one.newNumber}`,
  resubmitted: (one) => `resubmitted ${messageName(one)} to '${one.destination}' #${one.newNumber}`,
  'transfer-waiting': (one) => `waiting     ${messageName(one)} for '${one.destination}'`,
  cancelled: (one) => `cancelled   ${messageName(one)}`,
  deleted: (one) => `deleted     ${messageName(one)}`,
  purged: (one) => `purged      '${one.path}' of ${one.messageCount} messages`,
  'session-accepted': (one) => `session     '${one.path}' ${quoted(one.sessionId)} accepted`,
  'session-renewed': (one) =>
    `session     '${one.path}' ${quoted(one.sessionId)} renewed until ${instant(one.lockedUntil)}`,
  'session-lost': (one) => `session     '${one.path}' ${quoted(one.sessionId)} lost: its lock has expired`,
  'session-released': (one) => `session     '${one.path}' ${quoted(one.sessionId)} released`,
  'session-state-set': (one) => `session     '${one.path}' ${quoted(one.sessionId)} state set`,
  'transaction-declared': (one) => `transaction ${one.transactionId} declared`,
  'transaction-committed': (one) =>
    `transaction ${one.transactionId} committed, ${one.operationCount} operations`,
  'transaction-rolled-back': (one) => `transaction ${one.transactionId} rolled back${becauseOf(one.cause)}`,
  'entity-created': (one) => `created     ${one.entity} '${one.path}'`,
  'entity-updated': (one) => `updated     ${one.entity} '${one.path}'`,
  'entity-deleted': (one) => `deleted     ${one.entity} '${one.path}'`,
  refused: (one) =>
    `refused     ${one.command}${one.path === undefined ? '' : ` '${one.path}'`}: ${one.text}`,
  'connection-opened': (one) => `connected   over ${one.transport}`,
  'connection-closed': (one) => `closed      connection${becauseOf(one.cause)}`,
  'link-attached': (one) => `attached    ${one.role} '${one.path}'`,
  'link-refused': (one) => `refused     ${one.role} '${one.path}': ${one.condition}: ${one.text}`,
  'link-detached': (one) => `detached    '${one.path}'${becauseOf(one.text)}`,
  'token-accepted': (one) => `token       accepted for '${one.path}'`,
  'token-refused': (one) => `token       refused for '${one.path}': ${one.text}`,
  'fault-fired': (one) =>
    `fault       ${one.operation}${one.path === '' ? '' : ` '${one.path}'`}: ${one.effect}`,
  'client-refused': (one) => `refused     a client: ${one.text}`,
  'request-refused': (one) => `refused     ${one.method} ${one.path} ${one.status}: ${one.text}`,
  'http-request': (one) =>
    `http        ${one.method} ${one.path} ${one.status} in ${shortDuration(one.durationMs)}`,
};

/** Describes a record in one line without a line feed. Values from clients may have control characters, which the writer of the log escapes. */
export function describeActivity(record: ActivityRecord): string {
  const text = (TEXTS[record.kind] as (record: ActivityRecord) => string)(record);
  return record.client === undefined ? text : `${text}  [${clientWithConnection(record.client)}]`;
}

/** Names a client for people, with its connection. */
export function clientWithConnection(client: Client): string {
  const { connectionId } = client;
  return `${connectionId === NO_CONNECTION ? 'by hand' : `connection ${connectionId}`}, ${clientText(client)}`;
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

export function messageName({ path, sequenceNumber }: { path: string; sequenceNumber: number }): string {
  return `'${path}' #${sequenceNumber}`;
}

/** The reason and description of a dead-lettered message. */
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
  const correlation = correlationId === undefined ? '' : ` correlation ${quoted(correlationId)}`;
  const session = sessionId === undefined ? '' : ` session ${quoted(sessionId)}`;
  return `id ${quoted(messageId)}${correlation}${session} ${sizeBytes} bytes`;
}

function deliveries(one: RecordOf<'abandoned' | 'lock-expired'>): string {
  return `delivery ${one.deliveryCount} of ${one.maxDeliveryCount}`;
}

function becauseOf(cause: string | undefined): string {
  return cause === undefined ? '' : `: ${cause}`;
}

function quoted(text: string | undefined): string {
  return text === undefined ? '(none)' : JSON.stringify(text);
}

function instant(ms: number): string {
  return isoTime(ms) ?? 'ever';
}
