// The only door to the broker: a state machine that is handed commands and the time, and hands back what follows.

import { assert } from './assert.js';
import { AZURE_CHOICES, type Choices } from './choices.js';
import type { Command } from './command.js';
import { receiveDeferred } from './delivery/deferral.js';
import { dispatch } from './delivery/dispatcher.js';
import { Links } from './delivery/links.js';
import { expireLocks, releaseLocksOf } from './delivery/lock-expiry.js';
import { MessageLocks } from './delivery/message-lock.js';
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

type SetCredit = Extract<Command, { kind: 'set-credit' }>;

const DONE: Result = { kind: 'done' };

export class Broker {
  readonly #limits: Limits;
  readonly #choices: Choices;
  readonly #nextGuid: () => string;
  readonly #namespace = new Namespace();
  readonly #links = new Links();
  readonly #locks: MessageLocks;
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
    return Math.min(this.#locks.nextDeadline, this.#storeDeadlines.next);
  }

  /** Whether a delivery made under this token may still be written to its receiver. */
  holdsLock(lockToken: string, now: Instant): boolean {
    const lock = this.#locks.find(lockToken);
    return lock !== undefined && lock.dueAt > now;
  }

  /** Takes back what the journal kept; queues first. Before the first command, in as many calls as wanted. */
  restore(stored: readonly StoredEvent[]): void {
    this.#neededContents = undefined;
    this.#isAsleep ||= stored.length > 0;
    restore(stored, this.#parts());
  }

  /** The contents that messages name, to find orphaned rows after recovery. */
  isContentNeeded(contentId: number): boolean {
    this.#neededContents ??= this.#contentsOfMessages();
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
      case 'put-queue': {
        const result = putQueue(command.description, this.#parts(), turn);
        for (const effect of turn.effects) if (effect.kind === 'detach') this.#releaseOf(effect.linkId, turn);
        return result;
      }
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
      case 'attach-receiver': {
        const store = this.#use(command.entityPath, turn);
        this.#links.attachReceiver(command.linkId, store, command.receiveMode);
        turn.touch(store); // TTL-09
        return this.#entity(store);
      }
      case 'detach':
        return this.#detach(command.linkId, turn);
      case 'set-credit':
        return this.#setCredit(command, turn);
      case 'send':
        return send(this.#use(command.entityPath, turn), command.messages, this.#parts(), turn);
      case 'settle': {
        const { lockToken, outcome } = command;
        const store = this.#use(command.entityPath, turn);
        return settle(store, { lockTokens: [lockToken], outcome }, this.#parts(), turn);
      }
      case 'settle-many':
        return settle(this.#use(command.entityPath, turn), command, this.#parts(), turn);
      case 'renew-lock':
        return renewLocks(this.#use(command.entityPath, turn), command.lockTokens, this.#locks, turn.now);
      case 'peek':
        return peek(this.#use(command.entityPath, turn), command, this.#limits);
      case 'receive-deferred':
        return receiveDeferred(this.#use(command.entityPath, turn), command, this.#parts(), turn);
      case 'cancel-scheduled':
        return cancelScheduled(this.#use(command.entityPath, turn), command.sequenceNumbers, turn);
      case 'delete-messages':
        return deleteMessages(this.#use(command.entityPath, turn), command, this.#limits, turn);
      case 'tick':
        return DONE;
    }
  }

  /** The store at this path, in use from now on (IDL-03, CNT-03). */
  #use(entityPath: string, turn: TurnInProgress): MessageStore {
    const store = this.#namespace.store(entityPath);
    store.queue.accessedTime = turn.now;
    return store;
  }

  #detach(linkId: number, turn: TurnInProgress): Result {
    const store = this.#links.findReceiver(linkId)?.store;
    this.#links.detach(linkId);
    if (store !== undefined) {
      store.queue.accessedTime = turn.now;
      turn.touch(store);
    }
    this.#releaseOf(linkId, turn);
    return DONE;
  }

  /** LNK-04; without the choice locks run on, and either way nothing is counted (DLV-04). */
  #releaseOf(linkId: number, turn: TurnInProgress): void {
    if (this.#choices.releaseLocksOnDetach) releaseLocksOf(linkId, this.#locks, turn);
  }

  /** A receiver just detached may not have heard of it yet; its credit then means nothing. */
  #setCredit({ linkId, deliveryLimit, drain }: SetCredit, turn: TurnInProgress): Result {
    const receiver = this.#links.findReceiver(linkId);
    if (receiver === undefined) return DONE;
    const { credits } = receiver.store;
    receiver.store.queue.accessedTime = turn.now;
    // Whatever the limit is (LIM-18). It counts from the attach, so that credit once given waits for messages (CRD-05).
    credits.setCredit(receiver, Math.max(0, deliveryLimit - receiver.usedCredit));
    dispatch(receiver.store, this.#locks, turn); // CRD-01
    if (drain) {
      // CRD-02: answered also when nothing is left to give up
      receiver.usedCredit += receiver.credit;
      credits.setCredit(receiver, 0);
      turn.effects.push({ kind: 'drained', linkId, deliveredCount: receiver.usedCredit });
    }
    return DONE;
  }

  #passTime(turn: TurnInProgress): void {
    if (this.#isAsleep) {
      this.#isAsleep = false;
      wake(this.#parts(), turn);
    }
    expireLocks(this.#locks, turn);
    for (let store = this.#storeDeadlines.due(turn.now); store !== undefined; ) {
      performDue(store, this.#parts(), turn);
      if (this.#namespace.holds(store)) this.#storeDeadlines.refresh(store, turn);
      else this.#storeDeadlines.remove(store);
      store = this.#storeDeadlines.due(turn.now);
    }
    this.#settleStores(turn);
  }

  /** Messages and credit meet wherever something has changed. */
  #settleStores(turn: TurnInProgress): void {
    for (let touched = turn.takeTouched(); touched.length > 0; touched = turn.takeTouched()) {
      for (const store of touched) {
        if (!this.#namespace.holds(store)) {
          this.#storeDeadlines.remove(store);
          continue;
        }
        expireDue(store, turn);
        dispatch(store, this.#locks, turn);
        this.#storeDeadlines.refresh(store, turn);
      }
    }
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
      storeDeadlines: this.#storeDeadlines,
      contentIds: this.#contentIds,
      nextGuid: this.#nextGuid,
    };
  }

  #contentsOfMessages(): Set<number> {
    const contentIds = new Set<number>();
    for (const { log } of this.#namespace.stores()) {
      for (const { contentId } of log.from(0)) contentIds.add(contentId);
    }
    return contentIds;
  }
}
