// A queue and its message stores: the main store, the dead-letter queues and the waiting transfers. A subscription stores its
// messages in a queue, and a topic accepts sent messages through a queue, its intake.

import type { EntityType } from '../contract/entities/entity.js';
import { type StoreKind, storePathOf } from '../contract/entities/entity-path.js';
import { isStopped, type Work } from '../contract/entities/entity-status.js';
import type { QueueDescription } from '../contract/entities/queue-description.js';
import type { QueueRecord, SessionStateRecord, TransferStores } from '../contract/event.js';
import { type Instant, NEVER } from '../contract/instant.js';
import type { Limits } from '../contract/limits.js';
import type { PropertyChange } from '../contract/message-properties.js';
import type { Browser } from './browser.js';
import { CreditQueue } from './credit-queue.js';
import { DeadLetterGroups, isOfGroup } from './dead-letter-groups.js';
import { MessageIds } from './duplicate-detection.js';
import { StoreLocks } from './lock-ends.js';
import { MessageLog } from './message-log.js';
import type { MessageReader } from './message-reader.js';
import { partitionIdOf, SequenceNumbers } from './partition.js';
import { PartitionedLog, type StoreLog } from './partitioned-log.js';
import { ScheduledMessages } from './scheduled-messages.js';
import type { LogMakers, StoreSessions } from './store-ports.js';
import type { StoreSelection } from './store-selection.js';
import type { CountedMessage, StoredMessage } from './stored-message.js';

/** The topic whose intake a queue is, or the subscription whose messages it holds. */
type QueueOwner =
  | { readonly kind: 'topic'; readonly subscriptions: { readonly size: number } }
  | { readonly kind: 'subscription'; readonly topic: TopicOfQueue };

type TopicOfQueue = { readonly intake: Queue; readonly copies: CopyCounter };

/** Counts the copies of a topic that are in its subscriptions, and their size. */
export type CopyCounter = {
  /** Counts a copy, or several of the same content. */
  stored(message: CountedMessage, count?: number): void;
  removed(message: CountedMessage): void;
  /**
   * Called with the log of a store that was emptied. Counts out the copies that share their contents with no other, and few others.
   * Returns where many others are still counted.
   */
  emptied(log: StoreLog): CopyCounter | undefined;
};

/** FWD-08: the delay after the first refusal; each later delay is twice as long. */
export const FIRST_RETRY_MS = 1000;

/** The id of a store that is not in the journal yet; ids in the journal begin at 1. */
const NO_ID = 0;

export class Queue {
  /** Undefined for a plain queue. */
  readonly owner: QueueOwner | undefined;
  readonly createdTime: Instant;
  readonly main: MessageStore;
  /** Its messages keep the numbers they got in the main store (SEQ-10). A topic has waiting copies there instead (TOP-15). */
  readonly deadLetters: MessageStore;
  readonly sequenceNumbers: SequenceNumbers;
  #transfers: MessageStore | undefined;
  #transferDeadLetters: MessageStore | undefined;
  /** The partition that takes the next message without a key. */
  nextPartitionId = 0;
  /** The message-ids accepted within the duplicate detection window; empty without duplicate detection. Replaced when emptied. */
  messageIds = new MessageIds();
  /** The content bytes of all messages, including dead-lettered ones (DLQ-10) and waiting transfers. */
  sizeBytes = 0;
  /** The time of the last send, receive, settlement, browse or change (IDL-03). */
  accessedTime: Instant;
  /** Whether it was ever used, apart from changes (CNT-03); after a restart, whether it ever got a message. */
  isUsed = false;
  /** Whether the entity is deleted when its last keeping link ends, and at a restart (JMS-43, JMS-58). */
  readonly isVolatile: boolean;
  /** The attached links that keep it: the creator of a temporary entity, the JMS consumers of a subscription. Changed only by `Links`. */
  keeperCount = 0;
  /** The earliest time at which it may be deleted as idle; `NEVER` without idle deletion. Set by `due-work.ts`. */
  idleAt: Instant = NEVER;
  #description: QueueDescription;
  #updatedTime: Instant;
  readonly #logMakers: LogMakers;

  constructor(record: Omit<QueueRecord, 'type'>, logMakers: LogMakers, owner?: QueueOwner) {
    this.owner = owner;
    this.#logMakers = logMakers;
    this.createdTime = record.createdTime;
    this.isVolatile = record.isVolatile === true;
    this.#description = record.description;
    this.#updatedTime = record.updatedTime;
    this.accessedTime = record.updatedTime;
    this.sequenceNumbers = new SequenceNumbers({ isPartitioned: record.description.enablePartitioning });
    this.main = this.#newStore(record.storeId, 'main');
    this.deadLetters = this.#newStore(
      record.deadLetterStoreId,
      owner?.kind === 'topic' ? 'fan-out' : 'dead-letter',
    );
    if (record.transferStoreId !== undefined) this.openTransfers(record);
  }

  /** The messages sent through this queue that wait for their destination (TXN-11); undefined before the first. */
  get transfers(): MessageStore | undefined {
    return this.#transfers;
  }

  /**
   * Created when a client first opens it, or with the first waiting transfer (DLQ-02). Until a transfer waits it is empty, has
   * no id in the journal and is not one of the namespace's stores.
   */
  get transferDeadLetters(): MessageStore {
    this.#transferDeadLetters ??= this.#newStore(NO_ID, 'transfer-dead-letter');
    return this.#transferDeadLetters;
  }

  openTransfers({
    transferStoreId = NO_ID,
    transferDeadLetterStoreId = NO_ID,
  }: TransferStores): MessageStore {
    this.#transfers = this.#newStore(transferStoreId, 'transfer');
    this.transferDeadLetters.id = transferDeadLetterStoreId;
    return this.#transfers;
  }

  #newStore(id: number, kind: StoreKind): MessageStore {
    return new MessageStore(id, this, kind, this.#logMakers);
  }

  /** The stores that are in the journal. */
  get stores(): readonly MessageStore[] {
    const { main, deadLetters } = this;
    if (this.#transfers === undefined) return [main, deadLetters];
    return [main, deadLetters, this.#transfers, this.transferDeadLetters];
  }

  /** Whether a receiver waits for messages of this queue or of one of its dead-letter queues. */
  get isAwaited(): boolean {
    return [this.main, this.deadLetters, this.#transferDeadLetters].some(
      (store) => store?.isAwaited === true,
    );
  }

  /** The topic's intake if a subscription owns this queue, because it shares size and transactions; otherwise the queue itself. */
  get topLevel(): Queue {
    return this.#topic?.intake ?? this;
  }

  /** The topic of the subscription that owns this queue. */
  get #topic(): TopicOfQueue | undefined {
    return this.owner?.kind === 'subscription' ? this.owner.topic : undefined;
  }

  /** The type of the entity that it belongs to. */
  get type(): EntityType {
    return this.owner?.kind ?? 'queue';
  }

  get description(): QueueDescription {
    return this.#description;
  }

  get updatedTime(): Instant {
    return this.#updatedTime;
  }

  /** ENT-06; what it says of receiving also applies to the dead-letter queue (DLQ-11). */
  allows(work: Work): boolean {
    return !isStopped(work, this.type, this.#description.status);
  }

  /** Applies a change of the topic to a subscription, whose updated time stays as it is. */
  describe(description: QueueDescription): void {
    this.#description = description;
  }

  update(description: QueueDescription, now: Instant): void {
    this.#description = description;
    this.#updatedTime = now;
    this.keepFromIdling(now);
  }

  /** IDL-03 to IDL-05: access to a subscription is access to its topic as well. */
  keepFromIdling(now: Instant): void {
    this.accessedTime = now;
    this.topLevel.accessedTime = now;
  }

  /** Notes an access other than a change (CNT-03). */
  used(now: Instant): void {
    this.keepFromIdling(now);
    this.isUsed = true;
    this.topLevel.isUsed = true;
  }

  /** Counts a message that was added to one of its stores. */
  stored(message: CountedMessage): void {
    this.sizeBytes += message.sizeBytes;
    this.#topic?.copies.stored(message);
  }

  /** Counts out a message that has left all its stores. */
  removed(message: CountedMessage): void {
    this.sizeBytes -= message.sizeBytes;
    this.#topic?.copies.removed(message);
  }

  /** Counts the copies that it holds, if a subscription owns it. */
  get copies(): CopyCounter | undefined {
    return this.#topic?.copies;
  }

  /** Adds to the size the bytes by which session state has grown; negative if it has shrunk. */
  addStateBytes(bytes: number): void {
    this.sizeBytes += bytes;
    const topic = this.#topic;
    if (topic !== undefined) topic.intake.sizeBytes += bytes;
  }

  /** TTL-02, S1-13: the default and the maximum time to live of a message. */
  maxTimeToLiveMs(limits: Limits): number {
    return Math.min(this.#description.defaultMessageTimeToLiveMs, limits.maxTimeToLiveMs);
  }

  maxMessageSizeBytes(limits: Limits): number {
    const { maxMessageSizeInKilobytes } = this.#description;
    return maxMessageSizeInKilobytes === undefined
      ? limits.maxMessageSizeBytes
      : maxMessageSizeInKilobytes * 1024;
  }

  record(): QueueRecord {
    return {
      type: 'queue',
      description: this.#description,
      createdTime: this.createdTime,
      updatedTime: this.#updatedTime,
      storeId: this.main.id,
      deadLetterStoreId: this.deadLetters.id,
      ...(this.isVolatile ? { isVolatile: true } : undefined),
      ...(this.#transfers === undefined
        ? undefined
        : { transferStoreId: this.#transfers.id, transferDeadLetterStoreId: this.transferDeadLetters.id }),
    };
  }
}

/** The former contents of a store that was emptied. */
export type StoreContents = {
  /** The id under which its rows lie. */
  readonly rowsId: number;
  readonly messages: () => Iterable<StoredMessage>;
  readonly states: () => Iterable<SessionStateRecord>;
  readonly messageIds: Pick<MessageIds, 'all'>;
  /** Where its messages with shared contents are still counted as copies. */
  readonly copies: CopyCounter | undefined;
};

/** A store of messages: the main one of a queue, one of its dead-letter queues, its waiting transfers, or the waiting copies of a topic. */
export class MessageStore {
  /** `NO_ID` for a transfer dead-letter queue before the first transfer waits. */
  id: number;
  readonly queue: Queue;
  readonly kind: StoreKind;
  /** A dead-letter queue neither counts nor limits deliveries, and has no expiry and no sessions (DLV-07, TTL-11, DLQ-03). */
  readonly isDeadLetterQueue: boolean;
  /** The messages. Emptying the store replaces the log, its sessions and the scheduled messages. */
  log: StoreLog;
  /** Undefined in a store without sessions (SES-02, DLQ-03). */
  sessions: StoreSessions | undefined;
  scheduled = new ScheduledMessages();
  /** The locks of its messages by their ends. Emptying the store replaces it: the earlier locks have ended. */
  locks = new StoreLocks();
  /** By the ids of copies that have not ended: the last number of their source whose message is here. */
  readonly imports = new Map<string, number>();
  /** The credit of receivers without sessions. */
  readonly credits = new CreditQueue();
  /** The selectors of its receivers; undefined until one with a selector comes. */
  selection: StoreSelection | undefined;
  /** Receivers that only browse (PEEK-12). */
  readonly browsers = new Set<Browser>();
  /** The number of receivers attached, with or without credit, including those that wait for a session. */
  receiverCount = 0;
  /** The number of locked messages. Changed only by `MessageLocks`. */
  lockedCount = 0;
  /** When forwarding is next attempted; `NEVER`: not before the store changes. Set by `forwarding.ts`. */
  forwardAt: Instant = NEVER;
  /** After a refusal, the time at which a dead-letter queue tries its destination again. */
  retryAt: Instant = 0;
  retryMs = FIRST_RETRY_MS;
  /** When work in this store is due; `NEVER` without any. Set by `StoreDeadlines`. */
  dueAt: Instant = NEVER;
  heapIndex = -1;
  #rowsId: number | undefined;
  /** The groups of its dead letters; undefined until somebody asks. */
  #deadLetterGroups: DeadLetterGroups | undefined;
  readonly #makers: LogMakers;

  constructor(id: number, queue: Queue, kind: StoreKind, makers: LogMakers) {
    this.id = id;
    this.queue = queue;
    this.kind = kind;
    this.isDeadLetterQueue = kind === 'dead-letter' || kind === 'transfer-dead-letter';
    this.#makers = makers;
    const { log, sessions } = this.#newLog();
    this.log = log;
    this.sessions = sessions;
  }

  #newLog(): { readonly log: StoreLog; readonly sessions: StoreSessions | undefined } {
    const { enablePartitioning, requiresSession } = this.queue.description;
    if (this.kind === 'transfer') return { log: this.#makers.forTransfers(), sessions: undefined };
    const log = enablePartitioning ? new PartitionedLog() : new MessageLog();
    const isSessioned = requiresSession && this.kind === 'main'; // DLQ-03
    return isSessioned ? this.#makers.withSessions(log) : { log, sessions: undefined };
  }

  /** The id under which the rows of its messages, message-ids and session states lie: its own until it is emptied. */
  get rowsId(): number {
    return this.#rowsId ?? this.id;
  }

  /** Names the rows of a recovered store that had been emptied. */
  set rowsId(rowsId: number) {
    this.#rowsId = rowsId;
  }

  get isEmpty(): boolean {
    const { log, sessions, kind, queue } = this;
    return log.count === 0 && (sessions?.count ?? 0) === 0 && (kind !== 'main' || queue.messageIds.isEmpty);
  }

  /**
   * Takes out all messages, the states of sessions and, from a main store, the message-ids. Costs the same for any number of
   * them, but for copies that are counted out: they are replaced, not removed. Receivers stay attached and keep their sessions. Returns what was in it. New rows lie
   * under `rowsId`.
   */
  empty(rowsId: number): StoreContents {
    const { log, sessions, queue } = this;
    const contents = {
      rowsId: this.rowsId,
      messages: () => log.from(0),
      states: () => sessions?.states() ?? [],
      messageIds: this.kind === 'main' ? queue.messageIds : new MessageIds(),
      copies: queue.copies?.emptied(log),
    };
    queue.sizeBytes -= log.sizeBytes;
    queue.addStateBytes(-(sessions?.stateBytes ?? 0));
    if (this.kind === 'main') queue.messageIds = new MessageIds();
    this.#rowsId = rowsId;
    this.locks = new StoreLocks();
    this.lockedCount = 0;
    this.scheduled = new ScheduledMessages();
    const made = this.#newLog();
    this.log = made.log;
    this.sessions = made.sessions;
    this.#deadLetterGroups = undefined;
    if (sessions !== undefined) this.sessions?.takeOver(sessions);
    for (const browser of this.browsers) browser.storeEmptied();
    this.selection?.storeEmptied();
    this.resetRetry();
    return contents;
  }

  get path(): string {
    return storePathOf(this.queue.description.name, this.kind);
  }

  /** Whether a receiver waits for its messages. */
  get isAwaited(): boolean {
    if (!this.credits.isEmpty || this.sessions?.isAwaited === true) return true;
    return [...this.browsers].some(({ credit }) => credit > 0);
  }

  /** Whether somebody could get a message or a session at once, which a full turn leaves for the next. */
  get hasDeliveries(): boolean {
    const { sessions, credits, log, selection } = this;
    if (this.browsers.size > 0 && [...this.browsers].some(({ isUnfinished }) => isUnfinished)) return true;
    if (selection?.isNeeded === true) return selection.isUnfinished;
    return sessions === undefined ? !credits.isEmpty && log.hasAvailable : sessions.hasDeliveries;
  }

  /** The entity to which its messages are forwarded; undefined without forwarding. Each transfer has its own destination. */
  get forwardsTo(): string | undefined {
    const { forwardTo, forwardDeadLetteredMessagesTo } = this.queue.description;
    if (this.kind === 'dead-letter') return forwardDeadLetteredMessagesTo;
    return this.kind === 'main' ? forwardTo : undefined;
  }

  /** TTL-05; nothing expires in a dead-letter queue (TTL-11). */
  isExpired(message: StoredMessage, now: Instant): boolean {
    return message.expiresAt <= now && !this.isDeadLetterQueue;
  }

  /** Resets the retry delay: after a change of the queue the destination may accept its messages. */
  resetRetry(): void {
    this.retryAt = 0;
    this.retryMs = FIRST_RETRY_MS;
  }

  /** The session id to store with a message: that of the existing session, so that its messages share one string. */
  sessionIdFor(id: string | undefined): string | undefined {
    if (this.sessions === undefined) return undefined;
    return this.sessions.find(id ?? '')?.id ?? id ?? '';
  }

  /** Adds a new or restored message at its position in the order. */
  add(message: StoredMessage): void {
    this.log.add(message);
    if (message.details?.schedule !== undefined) this.scheduled.add(message);
    if (this.browsers.size > 0 && message.isAvailable) this.#showBrowsers(message);
    if (this.selection !== undefined && message.isAvailable) this.selection.becameAvailable(message);
    this.#deadLetterGroups?.added(message);
  }

  /** Removes a message that is not available. */
  remove(message: StoredMessage): void {
    this.log.remove(message);
    this.#deadLetterGroups?.removed(message);
  }

  /** SET-07: sets properties of a message in this store. */
  change(message: StoredMessage, changes: readonly PropertyChange[]): void {
    const groups = changes.some(isOfGroup) ? this.#deadLetterGroups : undefined;
    groups?.removed(message);
    message.change(changes);
    groups?.added(message);
  }

  /** The groups of a dead-letter queue, which are kept up to date once its messages are counted. */
  deadLetterGroups(reader: MessageReader): DeadLetterGroups {
    this.#deadLetterGroups ??= new DeadLetterGroups(this.log, reader);
    return this.#deadLetterGroups;
  }

  /** Whether nobody asks for a message when it is added. */
  get isAtRest(): boolean {
    if (this.sessions !== undefined || this.forwardsTo !== undefined) return false;
    return this.receiverCount === 0 && this.browsers.size === 0 && this.selection === undefined;
  }

  /** Makes a taken message available again. */
  giveBack(message: StoredMessage): void {
    this.log.giveBack(message);
    this.selection?.becameAvailable(message);
    if (this.browsers.size > 0) this.#showBrowsers(message);
  }

  #showBrowsers(message: StoredMessage): void {
    for (const browser of this.browsers) browser.becameAvailable(message);
  }

  partitionIdOf(message: StoredMessage): number | undefined {
    return this.queue.description.enablePartitioning ? partitionIdOf(message.sequenceNumber) : undefined;
  }
}
