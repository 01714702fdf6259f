// The log of an emulator: the stream of activities as lines. Level `info` says why something did not go as a program expected;
// `debug` says everything, one line each.

import type { StartTimer } from '../engine/timer.js';
import { type ActivityKind, type ActivityRecord, NO_CONNECTION, type RecordOf } from './activity-record.js';
import type { ActivityStream } from './activity-stream.js';
import { clientWithConnection, describeActivity, messageName } from './activity-text.js';
import type { LinkRole } from './client-activity.js';
import { deadLetterReason, shortDuration } from './record-kinds.js';
import { type Repeated, RepeatedLines } from './repeated-lines.js';

type LogSink = (level: 'debug' | 'info', text: string, record: ActivityRecord) => void;

type ActivityLogOptions = {
  readonly write: LogSink;
  /** Whether every record gets a line. Default: only records that explain a failure do. */
  readonly isDebug?: boolean;
  /** Makes one line of a message's body, for the line of its arrival. Default: no line shows a body. */
  readonly bodyText?: ((content: Uint8Array) => string) | undefined;
  /** Returns ` Did you mean 'x'?` for the path of a missing entity, or an empty text. */
  readonly suggest?: (path: string) => Promise<string>;
  /** Returns a sentence that says which rules did not match a message that no subscription took, or an empty text. */
  readonly whyUnmatched?: (topic: string, content: Uint8Array) => Promise<string>;
  /** Ends the time in which the same cause has no other line. */
  readonly startTimer: StartTimer;
};

/** `more` returns what is added to the text when the line is written. */
type Line = {
  readonly record: ActivityRecord;
  readonly text: string;
  readonly more: (() => Promise<string>) | undefined;
};
type Accepted = { readonly read: () => ActivityRecord; readonly content: Uint8Array };
type DeadLetterLine = {
  readonly record: RecordOf<'dead-lettered'>;
  readonly end: RecordOf<'abandoned' | 'lock-expired'> | undefined;
};

/** The kinds that may explain a failure. Records of other kinds are not even read. A refused client has its own warning. */
const TELLING: ReadonlySet<ActivityKind> = new Set([
  'abandoned',
  'lock-expired',
  'dead-lettered',
  'expired',
  'unmatched',
  'link-refused',
  'link-detached',
  'token-refused',
  'session-lost',
  'refused',
  'transaction-rolled-back',
  'connection-closed',
  'entity-deleted',
  'purged',
  'request-refused',
  'fault-fired',
]);

/** The links in words. */
const LINKS: Readonly<Record<LinkRole, string>> = {
  sender: 'a sender',
  receiver: 'a receiver',
  browser: 'a browser',
  'session-receiver': 'a session receiver',
  control: 'a link for transactions',
  management: 'a management link',
};

/** Commands whose refusal is otherwise reported only to the client, with a text for each. */
const REFUSED: Readonly<Record<string, string>> = {
  send: 'take a message',
  'receive-deferred': 'give a deferred message',
  'cancel-scheduled': 'cancel a scheduled message',
  settle: 'settle a message',
  'settle-many': 'settle a message',
};

/** Writes a line for each new record that explains something, until the returned function is called. */
export function writeActivityLog(stream: ActivityStream, options: ActivityLogOptions): () => void {
  const log = new ActivityLog(stream, options);
  const stop = stream.observe((kind, read, content) => log.observe(kind, read, content));
  return () => {
    stop();
    log.end();
  };
}

class ActivityLog {
  readonly #stream: ActivityStream;
  readonly #options: ActivityLogOptions;
  readonly #lines: RepeatedLines<Line>;
  readonly #deadLetters: RepeatedLines<DeadLetterLine>;
  /** The end of a delivery just before this record. It may be the reason why the message is dead-lettered now. */
  #lastEnd: RecordOf<'abandoned' | 'lock-expired'> | undefined;
  #lastExpired: RecordOf<'expired'> | undefined;
  /**
   * The message that a topic has accepted just before this record, which may say that no subscription took it. Forgotten once all that is
   * durable with it has been told: the memory of its content may then be used again.
   */
  #lastAccepted: Accepted | undefined;
  #isForgetting = false;

  constructor(stream: ActivityStream, options: ActivityLogOptions) {
    this.#stream = stream;
    this.#options = options;
    this.#lines = new RepeatedLines(options.startTimer);
    this.#deadLetters = new RepeatedLines(options.startTimer);
  }

  /** Writes the dead letters that wait for more of their kind. Other lines that wait repeat earlier ones. */
  end(): void {
    this.#lines.discard();
    this.#deadLetters.end();
  }

  observe(kind: ActivityKind, read: () => ActivityRecord, content: Uint8Array | undefined): void {
    const { isDebug = false, write, bodyText } = this.#options;
    const accepted = this.#lastAccepted;
    this.#lastAccepted = undefined;
    if (kind === 'accepted' && content !== undefined) {
      this.#lastAccepted = { read, content };
      this.#forgetSoon();
    }
    const isTelling = TELLING.has(kind);
    if (!isTelling && !isDebug) return;
    const record = read();
    if (isDebug) {
      const body = content === undefined || bodyText === undefined ? '' : `  ${bodyText(content)}`;
      write('debug', oneLine(describeActivity(record) + body), record);
    }
    if (isTelling) this.#tell(record, accepted);
  }

  /** One microtask forgets for all messages of a turn, and of the turns that are published with it. */
  #forgetSoon(): void {
    if (this.#isForgetting) return;
    this.#isForgetting = true;
    queueMicrotask(this.#forgetAccepted);
  }

  readonly #forgetAccepted = (): void => {
    this.#isForgetting = false;
    this.#lastAccepted = undefined;
  };

  #unmatched(record: RecordOf<'unmatched'>, accepted: Accepted | undefined): void {
    const { path } = record;
    const { whyUnmatched } = this.#options;
    const text = `${messageName(record)} reached no subscription: none of their rules matches it.`;
    const arrival = accepted?.read();
    if (whyUnmatched === undefined || accepted === undefined || arrival?.kind !== 'accepted')
      return this.#once(record, path, text);
    if (!isSame(arrival, record)) return this.#once(record, path, text);
    const content = Uint8Array.from(accepted.content);
    this.#once(record, path, text, () => whyUnmatched(path, content));
  }

  #tell(record: ActivityRecord, accepted: Accepted | undefined): void {
    const end = this.#lastEnd;
    const expired = this.#lastExpired;
    this.#lastEnd = record.kind === 'abandoned' || record.kind === 'lock-expired' ? record : undefined;
    this.#lastExpired = record.kind === 'expired' ? record : undefined;
    switch (record.kind) {
      case 'lock-expired':
        this.#once(record, record.path, lockEnded(record, this.#isConnected(record)));
        return;
      case 'dead-lettered':
        if (expired !== undefined && isSame(expired, record)) return;
        this.#deadLetters.add(
          `${record.path} ${record.reason}`,
          { record, end: end !== undefined && isSame(end, record) ? end : undefined },
          { gathers: true, write: (all) => this.#deadLettered(all) },
        );
        return;
      case 'unmatched':
        this.#unmatched(record, accepted);
        return;
      case 'link-refused':
        this.#linkRefused(record);
        return;
      case 'token-refused':
        this.#tokenRefused(record);
        return;
      case 'request-refused':
        this.#requestRefused(record);
        return;
      default: {
        const line = lineOf(record);
        if (line !== undefined) this.#once(record, line.cause, line.text);
      }
    }
  }

  #tokenRefused(record: RecordOf<'token-refused'>): void {
    const { path, reason, text } = record;
    if (reason === 'entity-not-found') {
      this.#once(record, path, `A client wants '${path}'${from(record)}: ${text}`, this.#similarTo(path));
    } else this.#once(record, path, `A token${by(record)} for '${path}' was refused: ${text}`);
  }

  #linkRefused(record: RecordOf<'link-refused'>): void {
    const { path, role, condition, text } = record;
    const line = `'${path}' refused ${LINKS[role]}${by(record)}: ${condition}: ${withoutTracking(text)}`;
    if (condition === 'amqp:not-found') this.#once(record, path, line, this.#similarTo(path));
    else this.#once(record, `${path} ${condition}`, line);
  }

  #requestRefused(record: RecordOf<'request-refused'>): void {
    const { method, path, status, text, client } = record;
    const line = `'${path}' refused a ${method} of ${client?.product ?? 'an HTTP client'}: ${status}: ${text}`;
    const cause = `${client?.product} ${method} ${path} ${status} ${text}`;
    this.#once(record, cause, line, status === 404 || status === 410 ? this.#similarTo(path) : undefined);
  }

  #isConnected({ linkId }: ActivityRecord): boolean {
    return linkId !== undefined && this.#stream.isLinkOpen(linkId);
  }

  /** One line for all messages of an entity that were dead-lettered with the same reason within half a second, and later in a minute. */
  #deadLettered({ first, last, count }: Repeated<DeadLetterLine>): void {
    const { record } = last;
    const said =
      count === 1
        ? `'${record.path}' ${this.#nameOf(record)} was dead-lettered`
        : `'${record.path}': ${count} messages were dead-lettered, first ${this.#nameOf(first.record)}, last ${this.#nameOf(record)}`;
    this.#options.write('info', oneLine(`${said}: ${deadLettered(last)}`), record);
  }

  /** `#7, id 'a-7', at 12:00:01.204`. The id is left out if the record of the message's arrival is gone. */
  #nameOf({ path, sequenceNumber, time }: RecordOf<'dead-lettered'>): string {
    const { records } = this.#stream.history(path, sequenceNumber);
    const arrival = records.find((one) => 'messageId' in one && one.messageId !== undefined);
    const id = arrival !== undefined && 'messageId' in arrival ? `, id '${arrival.messageId}'` : '';
    return `#${sequenceNumber}${id}, at ${timeOfDay(time)}`;
  }

  /**
   * Writes the line, unless the same client has had the same cause within the last minute: then at its end, with the number of times.
   * `more` finds what the line ends with.
   */
  #once(record: ActivityRecord, cause: string, text: string, more?: () => Promise<string>): void {
    const { kind, client } = record;
    const { write } = this.#options;
    const say = ({ last, count }: Repeated<Line>) => {
      const times = count === 1 ? '' : ` (and ${count - 1} more since the last line)`;
      const sayWith = (end: string) => write('info', oneLine(last.text + end + times), last.record);
      if (last.more === undefined) sayWith('');
      else last.more().then(sayWith, () => sayWith(''));
    };
    const key = `${kind} ${client?.connectionId ?? ''} ${cause}`;
    this.#lines.add(key, { record, text, more }, { gathers: false, write: say });
  }

  /** Finds out which entity may be meant by the path of one that does not exist. */
  #similarTo(path: string): (() => Promise<string>) | undefined {
    const { suggest } = this.#options;
    return suggest === undefined ? undefined : () => suggest(path);
  }
}

/** The time of day on this machine, `12:00:01.204`. */
function timeOfDay(ms: number): string {
  const date = new Date(ms);
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()];
  const text = parts.map((part) => String(part).padStart(2, '0')).join(':');
  return `${text}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

/** Escapes line feeds, because a text from a client must not make another line. */
function oneLine(text: string): string {
  return text.includes('\n') ? text.replaceAll('\n', '\\n') : text;
}

/** The text of a record that needs no other record, and the cause by which repetitions are recognised. Undefined if it explains nothing. */
function lineOf(record: ActivityRecord): { cause: string; text: string } | undefined {
  switch (record.kind) {
    case 'expired':
      return { cause: record.path, text: `${messageName(record)} expired: its time to live is over.` };
    case 'fault-fired': {
      const { path, operation, effect, fault } = record;
      const name = fault === 0 ? 'A fault that a message asked for' : `Fault ${fault}`;
      const where = path === '' ? '' : ` of '${path}'`;
      return {
        cause: `${path} ${operation} ${fault}`,
        text: `${name} happened to '${operation}'${where}${by(record)}: ${effect}.`,
      };
    }
    case 'link-detached': {
      const { path, condition, text } = record;
      if (text === undefined) return undefined;
      return {
        cause: `${path} ${condition}`,
        text: `A link to '${path}'${by(record)} was detached: ${text}`,
      };
    }
    case 'session-lost':
      return { cause: record.path, text: sessionLost(record) };
    case 'refused':
      return commandRefused(record);
    case 'transaction-rolled-back': {
      const { transactionId, cause } = record;
      if (cause === undefined) return undefined;
      return { cause, text: `Transaction ${transactionId}${by(record)} was rolled back: ${cause}` };
    }
    case 'connection-closed': {
      const { cause } = record;
      return cause === undefined
        ? undefined
        : { cause, text: `A connection${by(record)} was closed: ${cause}` };
    }
    case 'entity-deleted': {
      const isByItself = record.client === undefined && record.entity !== 'rule';
      const text = `The ${record.entity} '${record.path}' was deleted.`;
      return isByItself ? { cause: record.path, text } : undefined;
    }
    case 'purged': {
      const { path, messageCount } = record;
      const messages = messageCount === 1 ? '1 message' : `${messageCount} messages`;
      return { cause: path, text: `'${path}' was purged: ${messages} removed${from(record)}.` };
    }
    default:
      return undefined;
  }
}

/**
 * Explains lost locks of any client, and refused commands of AMQP clients. Refused attaches and HTTP requests have records of their own.
 * A command without a client comes from Jitney itself.
 */
function commandRefused(record: RecordOf<'refused'>): { cause: string; text: string } | undefined {
  const { path, reason, command, client } = record;
  const isLost = reason === 'message-lock-lost' || reason === 'session-lock-lost';
  const isOfLink = client !== undefined && !isByHand(record) && path !== undefined;
  if (!isLost && !(isOfLink && command in REFUSED)) return undefined;
  const why = withoutTracking(record.text);
  const text = `'${path}' refused to ${actionOf(command)}${by(record)}: ${why}`;
  return { cause: `${path} ${command} ${reason} ${isLost ? '' : why}`, text };
}

function isSame(
  a: { readonly path: string; readonly sequenceNumber: number },
  b: { readonly path: string; readonly sequenceNumber: number },
): boolean {
  return a.sequenceNumber === b.sequenceNumber && a.path === b.path;
}

/** Why, and who had the message last. */
function deadLettered({ record, end }: DeadLetterLine): string {
  const text = deadLetterReason(record);
  if (end === undefined) return `${text}${from(record)}`;
  const after = `after ${shortDuration(end.heldMs)}`;
  if (isByHand(end)) return `${text} Its last lock was ended${from(end)} ${after}.`;
  const name = end.client === undefined ? 'a receiver that has gone' : clientWithConnection(end.client);
  if (end.kind === 'abandoned') return `${text} Last abandoned by ${name} ${after}.`;
  return `${text} Its last lock, of ${name}, ended ${after}.`;
}

function lockEnded(record: RecordOf<'lock-expired'>, isConnected: boolean): string {
  const { heldMs, deliveryCount, maxDeliveryCount } = record;
  const text = `The lock of ${messageName(record)} ended after ${shortDuration(heldMs)}`;
  const count = `delivery ${deliveryCount} of ${maxDeliveryCount}`;
  if (isByHand(record)) return `${text}${from(record)}: ${count}.`;
  if (!isConnected) return `${text}, its receiver${by(record)} gone (${count}).`;
  return `${text} while its receiver${by(record)} was still connected (${count}): renew the lock, or give the entity a longer lock duration.`;
}

function sessionLost(record: RecordOf<'session-lost'>): string {
  const { path, sessionId } = record;
  const text = `The lock of session ${JSON.stringify(sessionId)} of '${path}'`;
  if (isByHand(record)) return `${text} was ended${from(record)}.`;
  return `${text} ended while its receiver${by(record)} was still connected: renew it in time.`;
}

/** Whether somebody did it by hand over HTTP, and not the client that owns the link. */
function isByHand({ client }: ActivityRecord): boolean {
  return client?.connectionId === NO_CONNECTION;
}

function by({ client }: ActivityRecord): string {
  return client === undefined ? '' : ` of ${clientWithConnection(client)}`;
}

/** The client in brackets, for the end of a clause. */
function from({ client }: ActivityRecord): string {
  return client === undefined ? '' : ` (${clientWithConnection(client)})`;
}

function actionOf(command: string): string {
  return REFUSED[command] ?? command.replaceAll('-', ' ');
}

/** Cuts off the ids for Azure's support with which the service's texts end. */
function withoutTracking(text: string): string {
  return text.replace(/(?:TrackingId|Reference):.*$/s, '').trimEnd();
}
