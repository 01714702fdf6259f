// The only door to the broker: a state machine that is handed commands and the time, and hands back what follows.

import { assert } from './assert.js';
import { AZURE_CHOICES, type Choices } from './choices.js';
import type { Command } from './command.js';
import { receiveDeferred } from './delivery/deferral.js';
import { dispatch } from './delivery/dispatcher.js';
import { Links } from './delivery/links.js';
import { expireLocks } from './delivery/lock-expiry.js';
import { MessageLocks } from './delivery/message-lock.js';
import { giveCredit } from './delivery/receiver-credit.js';
import { acceptSession, grantSessions } from './delivery/session-acceptance.js';
import { expireSessionLocks } from './delivery/session-end.js';
import { SessionLocks } from './delivery/session-lock.js';
import { getSessionState, renewSession, setSessionState } from './delivery/session-state.js';
import { renewLocks, settle } from './delivery/settlement.js';
import type { Effect } from './effect.js';
import { deleteQueue } from './entity/delete-queue.js';
import type { MessageStore } from './entity/message-store.js';
import { Namespace } from './entity/namespace.js';
import { performDue } from './entity/passing-time.js';
import { putQueue } from './entity/put-queue.js';
import { queueInfo } from './entity/queue-info.js';
import { StoreDeadlines } from './entity/store-deadlines.js';
import type { Event, StoredEvent } from './event.js';
import type { Instant } from './instant.js';
import type { Limits } from './limits.js';
import { deleteMessages } from './message/batch-delete.js';
import { peek } from './message/browse.js';
import { cancelScheduled } from './message/schedule.js';
import { send } from './message/send.js';
import { listSessions } from './message/session-list.js';
import { expireDue } from './message/time-to-live.js';
import { NumberSeries } from './number-series.js';
import { restore, wake } from './recovery.js';
import type { Result } from './result.js';
import { ServiceBusError } from './service-bus-error.js';
import { TurnInProgress } from './turn-in-progress.js';

/** One executed command: the answer, what must be durable before it is given, and what is to be done then. */
export type Turn = {
  readonly result: Result;
  readonly events: readonly Event[];
  readonly effects: readonly Effect[];
};

export type BrokerOptions = {
  readonly limits: Limits;
  /** 32 random hexadecimal digits, never the same twice. */
  readonly nextGuid: () => string;
  /** Default: as Azure does. */
  readonly choices?: Choices;
};

/** Those that use a store (IDL-03). */
type CommandInStore = Exclude<
  Extract<Command, { entityPath: string }>,
  { kind: 'find-entity' | 'attach-sender' }
>;

const DONE: Result = { kind: 'done' };

export class Broker {
  readonly #limits: Limits;
  readonly #choices: Choices;
  readonly #nextGuid: () => string;
  readonly #namespace = new Namespace();
  readonly #locks: MessageLocks;
  readonly #sessionLocks = new SessionLocks();
  readonly #links: Links;
  readonly #storeDeadlines = new StoreDeadlines();
  readonly #contentIds = new NumberSeries();
  /** Made when first asked for after a restore, gone with the next command. */
  #neededContents: Set<number> | undefined;
  #lastNow: Instant = 0;
  /** Restored, and not yet gone on with. */
  #isAsleep = false;

  constructor({ limits, nextGuid, choices = AZURE_CHOICES }: BrokerOptions) {
    this.#limits = limits;
    this.#nextGuid = nextGuid;
    this.#choices = choices;
    this.#locks = new MessageLocks(nextGuid);
    this.#links = new Links({ locks: this.#locks, sessionLocks: this.#sessionLocks });
  }

  /** Executes one command at `now`, which never falls from call to call. A client's mistake is a `failed` result. */
  execute(command: Command, now: Instant): Turn {
    assert(now >= this.#lastNow, 'time has gone back');
    this.#lastNow = now;
    this.#neededContents = undefined;
    const turn = new TurnInProgress(now, this.#choices);
    this.#passTime(turn); // as if a tick had come just before: what is due comes first (SCH-07)
    const result = this.#answer(command, turn);
    this.#settleStores(turn);
    return { result, events: turn.events, effects: turn.effects };
  }

  /** When `tick` is due next, or earlier; `NEVER` when nothing waits for time. */
  nextDeadline(): Instant {
    if (this.#isAsleep) return this.#lastNow;
    return Math.min(this.#locks.nextDeadline, this.#sessionLocks.nextDeadline, this.#storeDeadlines.next);
  }

  /** Whether a delivery made under this token may still be written to its receiver. */
  holdsLock(lockToken: string, now: Instant): boolean {
    const lock = this.#locks.find(lockToken);
    return lock !== undefined && lock.lockedUntil > now;
  }

  /** Takes back what the journal kept; queues first. Before the first command, in as many calls as wanted. */
  restore(stored: readonly StoredEvent[]): void {
    this.#neededContents = undefined;
    this.#isAsleep ||= stored.length > 0;
    restore(stored, this.#parts());
  }

  /** The contents that messages and session states name, to find orphaned rows after recovery. */
  isContentNeeded(contentId: number): boolean {
    this.#neededContents ??= this.#findNeededContents();
    return this.#neededContents.has(contentId);
  }

  #answer(command: Command, turn: TurnInProgress): Result {
    try {
      return this.#perform(command, turn);
    } catch (error) {
      if (error instanceof ServiceBusError) return { kind: 'failed', error };
      throw error;
    }
  }

  #perform(command: Command, turn: TurnInProgress): Result {
    switch (command.kind) {
      case 'put-queue':
        return putQueue(command.description, this.#parts(), turn);
      case 'delete-queue':
        deleteQueue(this.#namespace.queue(command.name), this.#parts(), turn);
        return DONE;
      case 'get-queue-info':
        return { kind: 'queue-info', queue: queueInfo(this.#namespace.queue(command.name)) };
      case 'find-entity':
        return this.#entity(this.#namespace.store(command.entityPath));
      case 'attach-sender': {
        const store = this.#namespace.store(command.entityPath);
        this.#links.attachSender(command.linkId, store);
        return this.#entity(store);
      }
      case 'detach': {
        const receiver = this.#links.findReceiver(command.linkId);
        if (receiver !== undefined) receiver.store.queue.accessedTime = turn.now;
        this.#links.detach(command.linkId, turn);
        return DONE;
      }
      case 'set-credit': {
        // A receiver just detached may not have heard of it yet; its credit then means nothing.
        const receiver = this.#links.findReceiver(command.linkId);
        if (receiver !== undefined) giveCredit(receiver, command, this.#locks, turn);
        return DONE;
      }
      case 'tick':
        return DONE;
      default:
        return this.#performIn(this.#use(command.entityPath, turn), command, turn);
    }
  }

  #performIn(store: MessageStore, command: CommandInStore, turn: TurnInProgress): Result {
    switch (command.kind) {
      case 'attach-receiver':
        this.#links.attachReceiver({ linkId: command.linkId, store, receiveMode: command.receiveMode });
        turn.touch(store); // TTL-09
        return this.#entity(store);
      case 'accept-session':
        acceptSession(store, command, this.#parts(), turn);
        return this.#entity(store);
      case 'send':
        return send(store, command.messages, this.#parts(), turn);
      case 'settle': {
        const { lockToken, outcome } = command;
        return settle(store, { lockTokens: [lockToken], outcome }, this.#parts(), turn);
      }
      case 'settle-many':
        return settle(store, command, this.#parts(), turn);
      case 'renew-lock':
        return renewLocks(store, command.lockTokens, this.#locks, turn.now);
      case 'peek':
        return peek(store, command, this.#limits);
      case 'receive-deferred':
        return receiveDeferred(store, command, this.#parts(), turn);
      case 'cancel-scheduled':
        return cancelScheduled(store, command.sequenceNumbers, turn);
      case 'delete-messages':
        return deleteMessages(store, command, this.#limits, turn);
      case 'renew-session-lock':
        return renewSession(store, command.session, this.#sessionLocks, turn);
      case 'get-session-state':
        return getSessionState(store, command.session);
      case 'set-session-state':
        return setSessionState(store, command, this.#parts(), turn);
      case 'list-sessions':
        return listSessions(store, command, this.#limits);
    }
  }

  /** The store at this path, in use from now on (IDL-03, CNT-03). */
  #use(entityPath: string, turn: TurnInProgress): MessageStore {
    const store = this.#namespace.store(entityPath);
    store.queue.accessedTime = turn.now;
    return store;
  }

  #passTime(turn: TurnInProgress): void {
    if (this.#isAsleep) {
      this.#isAsleep = false;
      wake(this.#parts(), turn);
    }
    expireLocks(this.#locks, turn);
    expireSessionLocks(this.#parts(), this.#links, turn);
    for (let store = this.#storeDeadlines.due(turn.now); store !== undefined; ) {
      performDue(store, this.#parts(), turn);
      if (this.#namespace.holds(store)) this.#storeDeadlines.refresh(store, turn);
      else this.#storeDeadlines.remove(store);
      store = this.#storeDeadlines.due(turn.now);
    }
    this.#settleStores(turn);
  }

  /** Messages and credit meet wherever something has changed, when all that has expired is where it goes. */
  #settleStores(turn: TurnInProgress): void {
    for (let touched = this.#sweepTouched(turn); touched.size > 0; touched = this.#sweepTouched(turn)) {
      for (const store of touched) {
        grantSessions(store, this.#sessionLocks, turn);
        dispatch(store, this.#locks, turn);
        this.#storeDeadlines.refresh(store, turn);
      }
    }
  }

  /** The stores in which something has changed, dead-letter queues of what expires now included. */
  #sweepTouched(turn: TurnInProgress): ReadonlySet<MessageStore> {
    const swept = new Set<MessageStore>();
    for (let touched = turn.takeTouched(); touched.length > 0; touched = turn.takeTouched()) {
      for (const store of touched) {
        if (!this.#namespace.holds(store)) {
          this.#storeDeadlines.remove(store);
          continue;
        }
        expireDue(store, turn);
        swept.add(store);
      }
    }
    return swept;
  }

  #entity(store: MessageStore): Result {
    return {
      kind: 'entity',
      path: store.path,
      maxMessageSizeBytes: store.queue.maxMessageSizeBytes(this.#limits),
      maxBatchSizeBytes: this.#limits.maxMessageSizeBytes, // LIM-02
    };
  }

  #parts() {
    return {
      limits: this.#limits,
      namespace: this.#namespace,
      links: this.#links,
      locks: this.#locks,
      sessionLocks: this.#sessionLocks,
      storeDeadlines: this.#storeDeadlines,
      contentIds: this.#contentIds,
      nextGuid: this.#nextGuid,
    };
  }

  #findNeededContents(): Set<number> {
    const contentIds = new Set<number>();
    for (const { log, sessions } of this.#namespace.stores()) {
      for (const { contentId } of log.from(0)) contentIds.add(contentId);
      for (const { contentId } of sessions?.states() ?? []) contentIds.add(contentId);
    }
    return contentIds;
  }
}
