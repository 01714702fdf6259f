// A store of messages: the main one of a queue, one of its dead-letter queues, or that of the transfers that wait.

import type { Browser } from '../delivery/browser.js';
import { CreditQueue } from '../delivery/credit-queue.js';
import { type Instant, NEVER } from '../instant.js';
import { MessageLog } from '../message/message-log.js';
import { MessageSessions } from '../message/message-sessions.js';
import { partitionIdOf } from '../message/partition.js';
import { type Log, PartitionedLog } from '../message/partitioned-log.js';
import { ScheduledMessages } from '../message/scheduled-messages.js';
import { SessionedLog } from '../message/sessioned-log.js';
import type { StoredMessage } from '../message/stored-message.js';
import { TransferLog } from '../message/transfer-log.js';
import { type StoreKind, storePathOf } from './entity-path.js';
import type { Queue } from './queue.js';

const NO_BROWSERS: readonly Browser[] = [];

/** FWD-08: after the first refusal; then twice as long each time. */
export const FIRST_RETRY_MS = 1000;

/** The id of a store that the journal does not name (yet): those in it begin at 1. */
export const NO_ID = 0;

export class MessageStore {
  /** Of a transfer dead-letter queue `NO_ID` as long as there is nothing to put into it. */
  id: number;
  readonly queue: Queue;
  readonly kind: StoreKind;
  /** A dead-letter queue does not count deliveries, knows no maximum, no expiry and no sessions (DLV-07, TTL-11, DLQ-03). */
  readonly isDeadLetterQueue: boolean;
  readonly log: Log;
  /** Undefined where sessions mean nothing (SES-02, DLQ-03). */
  readonly sessions: MessageSessions | undefined;
  /** The log of a transfer store, by destinations; undefined of any other. */
  readonly transferLog: TransferLog | undefined;
  readonly scheduled = new ScheduledMessages();
  /** Of receivers without sessions. */
  readonly credits = new CreditQueue();
  /** Receivers that only look (PEEK-12). */
  browsers: readonly Browser[] = NO_BROWSERS;
  /** Receivers attached, with credit or without, and those that wait for a session. */
  receiverCount = 0;
  /** Where messages go on from here: when that is next to be looked at; `NEVER`: when something changes. Kept by forwarding. */
  forwardAt: Instant = NEVER;
  /** The destination would not take the last one before; of a dead-letter queue. */
  retryAt: Instant = 0;
  retryMs = FIRST_RETRY_MS;
  /** When something of it is due; `NEVER` when nothing is. Kept by the list of all stores' deadlines. */
  dueAt: Instant = NEVER;
  place = -1;

  constructor(id: number, queue: Queue, kind: StoreKind) {
    this.id = id;
    this.queue = queue;
    this.kind = kind;
    this.isDeadLetterQueue = kind === 'dead-letter' || kind === 'transfer-dead-letter';
    const { enablePartitioning, requiresSession } = queue.description;
    this.transferLog = kind === 'transfer' ? new TransferLog() : undefined;
    const log = this.transferLog ?? (enablePartitioning ? new PartitionedLog() : new MessageLog());
    this.sessions = requiresSession && kind === 'main' ? new MessageSessions() : undefined; // DLQ-03
    this.log = this.sessions === undefined ? log : new SessionedLog(log, this.sessions);
  }

  get path(): string {
    return storePathOf(this.queue.description.name, this.kind);
  }

  /** Whether a receiver waits for messages of it. */
  get isAwaited(): boolean {
    if (!this.credits.isEmpty || this.sessions?.isAwaited === true) return true;
    return this.browsers.some(({ credit }) => credit > 0);
  }

  /** To be called when its queue was changed: what was refused before may be taken now. */
  forwardAnew(): void {
    this.retryAt = 0;
    this.retryMs = FIRST_RETRY_MS;
  }

  /** What a message with this session id is to know of it: the id as its session has it, so that all share one text. */
  sessionIdFor(id: string | undefined): string | undefined {
    if (this.sessions === undefined) return undefined;
    return this.sessions.find(id ?? '')?.id ?? id ?? '';
  }

  /** A new or restored message, at its place in the order. */
  add(message: StoredMessage): void {
    this.log.add(message);
    if (message.schedule !== undefined) this.scheduled.add(message);
    if (this.browsers.length > 0 && message.isAvailable) this.#tellBrowsers(message);
  }

  /** A message that was taken is available again. */
  giveBack(message: StoredMessage): void {
    this.log.giveBack(message);
    if (this.browsers.length > 0) this.#tellBrowsers(message);
  }

  #tellBrowsers(message: StoredMessage): void {
    for (const browser of this.browsers) browser.becameAvailable(message);
  }

  partitionIdOf(message: StoredMessage): number | undefined {
    return this.queue.description.enablePartitioning ? partitionIdOf(message.sequenceNumber) : undefined;
  }
}
