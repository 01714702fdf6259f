// The list "Needs a look": what is wrong now, in sentences. Dead letters, full entities and refused forwarding are in the broker's state;
// the rest is noted here from what happens, and ends when it is over.

import type { Activity } from '../broker/contract/activity.js';
import type { InspectedCauses } from '../broker/contract/inspection.js';
import { type ActivityRecord, type Client, NO_CONNECTION } from './activity-record.js';
import { clientWithConnection } from './activity-text.js';
import type { ClientActivity } from './client-activity.js';
import { chosenName } from './client-label.js';
import { shortDuration } from './record-kinds.js';

export const CAUSE_KINDS = [
  'dead-letters',
  'locks-run-out',
  'sessions-lost',
  'missing-entity',
  'refused',
  'client-refused',
  'full',
  'forwarding',
  'unmatched',
  'fault',
] as const;

type CauseKind = (typeof CAUSE_KINDS)[number];

/** Texts of clients are in it as they came. */
export type Cause = {
  /** Unique, and the same for as long as the cause lasts. */
  readonly key: string;
  readonly kind: CauseKind;
  /** Whether somebody must act, and not only know. */
  readonly isBad: boolean;
  readonly title: string;
  readonly text: string;
  /** The path of the entity, without its sub-queue. */
  readonly path?: string | undefined;
  readonly subQueue?: 'deadletter' | 'transferDeadLetter' | undefined;
  readonly reason?: string | undefined;
  readonly description?: string | undefined;
  readonly count: number;
  readonly oldestTime: number;
  readonly newestTime: number;
  readonly sequenceNumber?: number | undefined;
  readonly lastHolder?: string | undefined;
  readonly client?: Client | undefined;
  /** The entity that was probably meant. */
  readonly suggestion?: string | undefined;
};

/** The facts about entities that sentences need. */
export type CauseContext = {
  /** Undefined for an entity that is not there, and for a topic. */
  readonly lockDurationMs: (path: string) => number | undefined;
  readonly isThere: (path: string) => boolean;
  /** The path that is most like a missing one. */
  readonly nearest: (path: string) => string | undefined;
};

/** The most causes that are kept; the oldest go first. */
const MAX_KEPT = 200;
/** A cause of which no end is seen is kept for so long. */
const LASTS_MS = 15 * 60_000;

type NotedKind = Exclude<CauseKind, 'dead-letters' | 'full' | 'forwarding'>;

type NotedCause = {
  readonly key: string;
  readonly kind: NotedKind;
  /** In lower case. */
  readonly path: string;
  count: number;
  readonly oldestTime: number;
  last: ActivityRecord;
  /** The machine's time at which the last one was noted. The record has that of the broker's clock, which may be any. */
  notedAt: number;
};

type NotedCausesOptions = {
  /** The machine's time in milliseconds since 1970. */
  readonly now: () => number;
  readonly isOpen: (connectionId: number) => boolean;
};

type Records = { read(id: number): ActivityRecord | undefined };

/** Refusals that another record tells of, or that are no cause: somebody asked for what is not there. */
const NOT_NOTED: ReadonlySet<string> = new Set([
  'entity-not-found',
  'message-not-found',
  'message-lock-lost',
  'session-lock-lost',
  'quota-exceeded',
]);

/** The conditions of a detach that is no cause: the client asked for it, its session is told of, or the entity was deleted. */
const ENDED_LINKS: ReadonlySet<string> = new Set(['', 'com.microsoft:session-lock-lost', 'amqp:not-found']);

export class NotedCauses {
  readonly #byKey = new Map<string, NotedCause>();
  readonly #byPath = new Map<string, Set<NotedCause>>();
  readonly #options: NotedCausesOptions;

  constructor(options: NotedCausesOptions) {
    this.#options = options;
  }

  /** Notes a cause, or the end of one. Only the record of a cause is read from the ring. */
  note(activity: Activity | ClientActivity, client: Client | undefined, ring: Records, id: number): void {
    switch (activity.kind) {
      case 'completed':
      case 'consumed':
      case 'enqueued':
      case 'accepted':
      case 'scheduled':
      case 'transaction-committed':
      case 'token-accepted':
      case 'link-attached':
      case 'entity-created':
      case 'entity-updated':
      case 'entity-deleted':
      case 'http-request':
        if (this.#byKey.size > 0) this.#end(activity, client);
        return;
      case 'lock-expired':
      case 'session-lost':
      case 'unmatched':
      case 'link-refused':
      case 'link-detached':
      case 'token-refused':
      case 'client-refused':
      case 'request-refused':
      case 'refused':
      case 'transaction-rolled-back':
      case 'fault-fired':
        this.#begin(ring.read(id));
        return;
      default:
    }
  }

  /** The causes that are not over, the newest last. */
  list(): readonly NotedCause[] {
    const now = this.#options.now();
    for (const noted of this.#byKey.values()) {
      if (noted.notedAt + LASTS_MS <= now) this.#remove(noted);
    }
    return [...this.#byKey.values()];
  }

  #begin(record: ActivityRecord | undefined): void {
    const kind = record && kindOf(record);
    if (record === undefined || kind === undefined) return;
    const path = ownerOf(pathOf(record)).toLowerCase();
    const key = [kind, path, differenceOf(kind, record)].join(' ').trimEnd();
    const known = this.#byKey.get(key);
    // The newest at the end, so that the oldest can go.
    this.#byKey.delete(key);
    const notedAt = this.#options.now();
    const noted = known ?? { key, kind, path, count: 0, oldestTime: record.time, last: record, notedAt };
    noted.count += 1;
    noted.last = record;
    noted.notedAt = notedAt;
    this.#byKey.set(key, noted);
    if (known !== undefined) return;
    const here = this.#byPath.get(path) ?? new Set();
    this.#byPath.set(path, here.add(noted));
    const [oldest] = this.#byKey.values();
    if (oldest !== undefined && this.#byKey.size > MAX_KEPT) this.#remove(oldest);
  }

  #end(activity: Activity | ClientActivity, client: Client | undefined): void {
    if (activity.kind === 'http-request') {
      if (activity.status >= 400) return;
      const path = decoded(activity.path).toLowerCase();
      for (const noted of [...this.#byKey.values()]) {
        const { last } = noted;
        const isThere = path === noted.path || path.startsWith(`${noted.path}/`);
        if (last.kind === 'request-refused' && isThere && this.#isSame(last.client, client)) {
          this.#remove(noted);
        }
      }
      return;
    }
    const path = 'path' in activity ? ownerOf(activity.path ?? '').toLowerCase() : '';
    if (activity.kind === 'entity-created' || activity.kind === 'entity-updated') this.#rulesChanged(path);
    for (const noted of this.#byPath.get(path) ?? []) {
      const isSame = () => this.#isSame(noted.last.client, client);
      if (isOver(noted, activity, isSame)) this.#remove(noted);
    }
  }

  /** A topic whose subscriptions or rules have changed may match what it did not match before. */
  #rulesChanged(path: string): void {
    const [topic = ''] = path.split('/subscriptions/', 1);
    for (const noted of this.#byPath.get(topic) ?? []) {
      if (noted.kind === 'unmatched') this.#remove(noted);
    }
  }

  /**
   * Whether both are one program, which has another connection when it is started again. A program without a name of its own is like any
   * other of its SDK, and so it is not another one's successor before the connection of that one is closed.
   */
  #isSame(before: Client | undefined, client: Client | undefined): boolean {
    if (before === undefined || client === undefined) return before === client;
    const { connectionId, identifier, product } = before;
    if (connectionId === client.connectionId && connectionId !== NO_CONNECTION) return true;
    if (identifier !== undefined && client.identifier !== undefined) return identifier === client.identifier;
    const [name, other] = [chosenName(before), chosenName(client)];
    if (name !== undefined || other !== undefined) return name === other;
    return product !== undefined && product === client.product && !this.#options.isOpen(connectionId);
  }

  #remove(noted: NotedCause): void {
    this.#byKey.delete(noted.key);
    const here = this.#byPath.get(noted.path);
    here?.delete(noted);
    if (here?.size === 0) this.#byPath.delete(noted.path);
  }
}

function kindOf(record: ActivityRecord): NotedKind | undefined {
  if (isMissing(record)) return 'missing-entity';
  switch (record.kind) {
    case 'lock-expired':
      return 'locks-run-out';
    case 'session-lost':
      return 'sessions-lost';
    case 'unmatched':
      return 'unmatched';
    case 'client-refused':
      return 'client-refused';
    case 'fault-fired':
      return 'fault';
    case 'link-refused':
    case 'token-refused':
    case 'request-refused':
      return 'refused';
    case 'refused':
      return NOT_NOTED.has(record.reason) ? undefined : 'refused';
    case 'link-detached': {
      const { condition = '' } = record;
      return ENDED_LINKS.has(condition) ? undefined : 'refused';
    }
    case 'transaction-rolled-back':
      return record.cause === undefined ? undefined : 'refused';
    default:
      return undefined;
  }
}

/** Whether a client wanted an entity that is not there. */
export function isMissing(record: ActivityRecord): boolean {
  switch (record.kind) {
    case 'link-refused':
      return record.condition === 'amqp:not-found';
    case 'token-refused':
      return record.reason === 'entity-not-found';
    case 'request-refused':
      return record.status === 410;
    default:
      return false;
  }
}

/** The part of a record, besides its kind and path, in which it differs from other causes. */
function differenceOf(kind: NotedKind, record: ActivityRecord): string | number {
  switch (kind) {
    case 'locks-run-out':
    case 'sessions-lost':
      return record.client?.connectionId ?? '';
    case 'client-refused':
      return record.kind === 'client-refused' ? record.text : '';
    case 'fault':
      return record.kind === 'fault-fired' ? `${record.operation} ${record.effect}` : '';
    case 'refused':
      return refusalOf(record);
    default:
      return '';
  }
}

function refusalOf(record: ActivityRecord): string {
  switch (record.kind) {
    case 'link-refused':
      return `${record.role} ${record.condition}`;
    case 'link-detached':
      return `detached ${record.condition}`;
    case 'token-refused':
      return `token ${record.reason}`;
    case 'request-refused':
      return `${record.method} ${record.status}`;
    case 'refused':
      return `${record.command} ${record.reason}`;
    case 'transaction-rolled-back':
      return `transaction ${record.cause}`;
    default:
      return record.kind;
  }
}

/** Whether the activity, at the same path and of the same client or of another, says that it goes well again. */
function isOver(
  { kind, last }: NotedCause,
  activity: Activity | ClientActivity,
  isSameClient: () => boolean,
): boolean {
  if (activity.kind === 'entity-deleted') return activity.entity !== 'rule' && kind !== 'missing-entity';
  switch (kind) {
    case 'missing-entity':
      return activity.kind === 'entity-created' || activity.kind === 'link-attached';
    case 'locks-run-out':
    case 'sessions-lost': {
      const isReceived = activity.kind === 'completed' || activity.kind === 'consumed';
      return isReceived && (last.client === undefined || isSameClient());
    }
    case 'refused':
      if (activity.kind === 'entity-created') return mayBeMissing(last);
      return isSuccessOf(last, activity) && isSameClient();
    default:
      return false;
  }
}

function isSuccessOf(refused: ActivityRecord, { kind, ...activity }: Activity | ClientActivity): boolean {
  switch (refused.kind) {
    case 'link-refused':
      return kind === 'link-attached' && 'role' in activity && activity.role === refused.role;
    case 'link-detached':
      return kind === 'link-attached';
    case 'token-refused':
      return kind === 'token-accepted';
    case 'transaction-rolled-back':
      return kind === 'transaction-committed';
    case 'refused':
      if (refused.command === 'settle' || refused.command === 'settle-many') return kind === 'completed';
      return refused.command === 'send' && STORED.has(kind);
    default:
      return false;
  }
}

const STORED: ReadonlySet<string> = new Set(['enqueued', 'accepted', 'scheduled']);

/** All causes, the newest first. */
export function causesOf(
  noted: readonly NotedCause[],
  inspected: InspectedCauses,
  context: CauseContext,
): readonly Cause[] {
  return [
    ...inspected.deadLetters.map(deadLetterCause),
    ...inspected.full.map(fullCause),
    ...inspected.waiting.map(waitingCause),
    ...noted.map((each) => notedCause(each, context)),
  ].sort((a, b) => b.newestTime - a.newestTime || (a.key < b.key ? -1 : 1));
}

function deadLetterCause(group: InspectedCauses['deadLetters'][number]): Cause {
  const { path, isTransfer, isRest, reason, description, maskedReason, maskedDescription, count } = group;
  const where = spokenPath(path);
  const more = isRest ? ' more' : '';
  const title = isTransfer
    ? `${counted(count, `${more} failed transfer`)} of ${where}`
    : `${counted(count, `${more} dead letter`)} in ${where}`;
  const isSaid = description === undefined || description === '' || description === reason;
  const details = isSaid ? '' : ` ${sentence(description)}`;
  const why = isRest ? 'They have further reasons.' : `${sentence(reason ?? 'Without a reason')}${details}`;
  const kind = isTransfer ? 'forwarding' : 'dead-letters';
  const subQueue = isTransfer ? 'transferDeadLetter' : 'deadletter';
  return {
    key: [kind, path, subQueue, isRest ? 'rest' : JSON.stringify([maskedReason, maskedDescription])].join(
      ' ',
    ),
    kind,
    isBad: true,
    title,
    text: `${why} ${lastText(group)}`,
    path,
    subQueue,
    reason,
    description: maskedDescription,
    count,
    oldestTime: group.oldestTime,
    newestTime: group.newestTime,
    sequenceNumber: group.sequenceNumber,
    lastHolder: group.lastHolder,
  };
}

/** `Last: #7, by worker.` The holder has chosen the reason, unless its delivery was the last one that the entity allows. */
function lastText({
  reason,
  count,
  sequenceNumber,
  lastHolder,
}: InspectedCauses['deadLetters'][number]): string {
  const held = reason === 'MaxDeliveryCountExceeded' ? 'last held by' : 'by';
  const who = lastHolder === undefined ? '' : `, ${held} ${lastHolder}`;
  return `${count === 1 ? 'It is' : 'The last is'} #${sequenceNumber}${who}.`;
}

function fullCause({ path, sizeBytes, limitBytes, accessedTime }: InspectedCauses['full'][number]): Cause {
  return {
    key: `full ${path}`,
    kind: 'full',
    isBad: true,
    title: `${spokenPath(path)} is full`,
    text: `It holds ${megabytes(sizeBytes)} of ${megabytes(limitBytes)}, and takes no message before some are received or deleted.`,
    path,
    count: 1,
    oldestTime: accessedTime,
    newestTime: accessedTime,
  };
}

function waitingCause(waiting: InspectedCauses['waiting'][number]): Cause {
  const { path, isDeadLetter, destination, count, enqueuedTime } = waiting;
  const what = counted(count, isDeadLetter ? ' dead letter' : ' message');
  return {
    key: `forwarding ${path} ${isDeadLetter ? 'deadletter ' : ''}${destination}`,
    kind: 'forwarding',
    isBad: true,
    title: `${what} in ${spokenPath(path)} ${count === 1 ? 'waits' : 'wait'} for ${spokenPath(destination)}`,
    text: `'${destination}' does not take ${count === 1 ? 'it' : 'them'}. It is tried again after 1 s, and after twice as long each time, up to 30 s.`,
    path,
    subQueue: isDeadLetter ? 'deadletter' : undefined,
    count,
    oldestTime: enqueuedTime,
    newestTime: enqueuedTime,
  };
}

function notedCause(noted: NotedCause, context: CauseContext): Cause {
  const { key, count, oldestTime, last } = noted;
  const path = pathOf(last);
  const kind = kindNow(noted, context);
  const suggestion = kind === 'missing-entity' ? context.nearest(ownerOf(path)) : undefined;
  const by = last.client === undefined ? 'a client' : clientWithConnection(last.client);
  return {
    key,
    kind,
    count,
    oldestTime,
    newestTime: last.time,
    ...wordsOf({ ...noted, kind }, { by, suggestion, ...context }),
    path: path === '' ? undefined : ownerOf(path),
    subQueue: subQueueOf(path),
    reason: 'reason' in last ? last.reason : undefined,
    sequenceNumber: 'sequenceNumber' in last ? last.sequenceNumber : undefined,
    client: last.client,
    suggestion,
  };
}

/** Over HTTP a message that is not found, or a lost lock, has the status of an entity that is not there. */
function kindNow({ kind, last }: NotedCause, { isThere }: CauseContext): NotedKind {
  return mayBeMissing(last) && !isThere(ownerOf(pathOf(last))) ? 'missing-entity' : kind;
}

function mayBeMissing(record: ActivityRecord): boolean {
  return record.kind === 'request-refused' && record.status === 404;
}

type Words = Pick<Cause, 'isBad' | 'title' | 'text'>;
type WordsContext = Pick<CauseContext, 'lockDurationMs' | 'isThere'> & {
  readonly by: string;
  readonly suggestion: string | undefined;
};

function wordsOf({ last, kind, count }: NotedCause, context: WordsContext): Words {
  const where = spokenPath(ownerOf(pathOf(last)));
  const times = count > 1 ? `, ${grouped(count)} times` : '';
  if (kind === 'missing-entity') {
    const text = `Asked for by ${context.by}${times}. ${hintOf(last, context)}`;
    return { isBad: true, title: `'${where}' not found`, text };
  }
  switch (last.kind) {
    case 'lock-expired': {
      const title =
        count > 1
          ? `${grouped(count)} locks ran out in ${where}`
          : `The lock of ${where} #${last.sequenceNumber} ran out`;
      const held = ` It was held ${shortDuration(last.heldMs)}. Delivery ${last.deliveryCount} of ${last.maxDeliveryCount}.`;
      return { isBad: false, title, text: heldText(last, context) + held };
    }
    case 'session-lost': {
      const title =
        count > 1
          ? `${grouped(count)} session locks ran out in ${where}`
          : `The lock of session '${last.sessionId}' of ${where} ran out`;
      const newest = count > 1 ? ` The last was of session '${last.sessionId}'.` : '';
      return { isBad: false, title, text: heldText(last, context) + newest };
    }
    case 'unmatched':
      return {
        isBad: false,
        title: `${counted(count, ' message')} to ${where} matched no rule`,
        text: `No subscription took ${count > 1 ? 'them; the last was ' : ''}#${last.sequenceNumber}. It is not kept: the rules tester says why with one like it.`,
      };
    case 'fault-fired':
      return {
        isBad: false,
        title: `Fault on ${last.operation}${where === '' ? '' : ` of ${where}`}${times}`,
        text: `${last.effect}, as asked for.`,
      };
    default:
      return refusalWords(last, { where, times, by: context.by });
  }
}

/** A topic is there for senders, and still not found by a receiver. */
function hintOf(last: ActivityRecord, { suggestion, isThere }: WordsContext): string {
  if (suggestion !== undefined) return `Did you mean '${suggestion}'?`;
  if (isThere(ownerOf(pathOf(last))) && 'text' in last) return sentence(last.text ?? '');
  return 'There is no entity of that name.';
}

function refusalWords(
  last: ActivityRecord,
  { where, times, by }: { readonly where: string; readonly times: string; readonly by: string },
): Words {
  const place = where === '' ? '' : ` in ${where}`;
  switch (last.kind) {
    case 'link-refused':
      return {
        isBad: true,
        title: `${capitalized(last.role)} of '${where}' refused${times}`,
        text: sentence(last.text),
      };
    case 'link-detached':
      return {
        isBad: false,
        title: `Link of ${where} detached${times}`,
        text: sentence(last.text ?? last.condition ?? ''),
      };
    case 'token-refused':
      return {
        isBad: true,
        title: `Token for '${where}' refused${times}`,
        text: `${by}: ${sentence(last.text)}`,
      };
    case 'request-refused':
      return {
        isBad: true,
        title: `${last.method} of '${where}' refused${times}`,
        text: `${by}: ${sentence(last.text)}`,
      };
    case 'client-refused':
      return { isBad: true, title: `A client was refused${times}`, text: sentence(last.text) };
    case 'transaction-rolled-back':
      return { isBad: false, title: `Transaction rolled back${times}`, text: sentence(last.cause ?? '') };
    case 'refused':
      return {
        isBad: true,
        title: `${capitalized(last.command.replaceAll('-', ' '))} refused${place}${times}`,
        text: sentence(last.text),
      };
    default:
      return { isBad: true, title: `Refused${place}${times}`, text: '' };
  }
}

function heldText({ client, ...record }: ActivityRecord, { by, lockDurationMs }: WordsContext): string {
  if (client?.connectionId === NO_CONNECTION)
    return `It was ended by hand (${client.product ?? 'a program'}).`;
  if (client === undefined) return 'Its receiver had gone without settling it.';
  const durationMs = lockDurationMs(ownerOf('path' in record ? (record.path ?? '') : ''));
  const limit = durationMs === undefined ? '' : ` than ${shortDuration(durationMs)}`;
  return `${capitalized(by)} was connected: its handler took longer${limit}, or did not settle.`;
}

function pathOf(record: ActivityRecord): string {
  return 'path' in record ? (record.path ?? '') : '';
}

const SUB_QUEUE = /\/\$(?:DeadLetterQueue|Transfer(?:\/\$?DeadLetterQueue)?)$/i;

/** The path of the entity that a store belongs to. */
function ownerOf(path: string): string {
  return path.replace(SUB_QUEUE, '');
}

function subQueueOf(path: string): Cause['subQueue'] {
  const [subQueue = ''] = SUB_QUEUE.exec(path) ?? [];
  if (/^\/\$DeadLetterQueue$/i.test(subQueue)) return 'deadletter';
  return subQueue === '' ? undefined : 'transferDeadLetter';
}

/** `events/eu` for `events/Subscriptions/eu`. */
function spokenPath(path: string): string {
  return path.replace(/\/Subscriptions\//i, '/');
}

/** The path of a request, without its first slash. */
function decoded(path: string): string {
  const plain = path.replace(/^\//, '');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

/** `1 message`, `2 messages`; `thing` begins with a blank. */
function counted(count: number, thing: string): string {
  return `${grouped(count)}${thing}${count === 1 ? '' : 's'}`;
}

function grouped(count: number): string {
  return count.toLocaleString('en-GB');
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 102.4) / 10} MB`;
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** The text as a sentence, without the ids for Azure's support with which its errors end. */
function sentence(text: string): string {
  const plain = text.replace(/(?:TrackingId|Reference):.*$/s, '').trimEnd();
  return /[.!?…]$/.test(plain) || plain === '' ? plain : `${plain}.`;
}
