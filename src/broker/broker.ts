// The only door to the broker: a state machine that is handed commands and the time, and hands back what follows.

import { assert } from './assert.js';
import type { Command } from './command.js';
import { dispatch } from './delivery/dispatcher.js';
import { Links } from './delivery/links.js';
import { expireLocks } from './delivery/lock-expiry.js';
import { MessageLocks } from './delivery/message-lock.js';
import { renewLocks, settle } from './delivery/settlement.js';
import type { Effect } from './effect.js';
import type { MessageStore } from './entity/message-store.js';
import { Namespace } from './entity/namespace.js';
import { putQueue } from './entity/put-queue.js';
import type { Event, MessageRecord, StoredEvent } from './event.js';
import type { Instant } from './instant.js';
import type { Limits } from './limits.js';
import { MESSAGE_STATE } from './message/message-properties.js';
import { send } from './message/send.js';
import { StoredMessage } from './message/stored-message.js';
import { NumberSeries } from './number-series.js';
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
};

type SetCredit = Extract<Command, { kind: 'set-credit' }>;

const DONE: Result = { kind: 'done' };

export class Broker {
  readonly #limits: Limits;
  readonly #nextGuid: () => string;
  readonly #namespace = new Namespace();
  readonly #links = new Links();
  readonly #locks: MessageLocks;
  readonly #contentIds = new NumberSeries();
  /** Made when first asked for after a restore, gone with the next command. */
  #neededContents: Set<number> | undefined;
  #lastNow: Instant = 0;

  constructor({ limits, nextGuid }: BrokerOptions) {
    this.#limits = limits;
    this.#nextGuid = nextGuid;
    this.#locks = new MessageLocks(nextGuid);
  }

  /** Executes one command at `now`, which never falls from call to call. A client's mistake is a `failed` result. */
  execute(command: Command, now: Instant): Turn {
    assert(now >= this.#lastNow, 'time has gone back');
    this.#lastNow = now;
    this.#neededContents = undefined;
    const turn = new TurnInProgress(now);
    expireLocks(this.#locks, turn);
    this.#dispatchTouched(turn); // as if a tick had come just before
    const result = this.#answer(command, turn);
    this.#dispatchTouched(turn);
    return { result, events: turn.events, effects: turn.effects };
  }

  /** When `tick` is due next; `NEVER` when nothing waits for time. */
  nextDeadline(): Instant {
    return this.#locks.nextDeadline;
  }

  /** Whether a delivery made under this token may still be written to its receiver. */
  holdsLock(lockToken: string, now: Instant): boolean {
    const lock = this.#locks.find(lockToken);
    return lock !== undefined && lock.dueAt > now;
  }

  /** Takes back what the journal kept; queues first. Locks are gone, delivery counts are kept (LNK-06). */
  restore(stored: readonly StoredEvent[]): void {
    this.#neededContents = undefined;
    for (const event of stored) {
      switch (event.kind) {
        case 'queue-put':
          this.#namespace.restoreQueue(event.queue);
          break;
        case 'message-put':
          this.#restoreMessage(this.#namespace.storeWithId(event.storeId), event.message);
          break;
        case 'sequence-put': {
          const { queue } = this.#namespace.storeWithId(event.storeId);
          queue.sequenceNumbers.continueFrom(event.nextSequenceNumber); // SEQ-11
          break;
        }
        default:
          event satisfies never;
      }
    }
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
      case 'put-queue':
        return putQueue(
          command.description,
          { namespace: this.#namespace, links: this.#links, limits: this.#limits },
          turn,
        );
      case 'find-entity':
        return this.#entity(this.#namespace.store(command.entityPath));
      case 'attach-sender': {
        const store = this.#namespace.store(command.entityPath);
        this.#links.attachSender(command.linkId, store);
        return this.#entity(store);
      }
      case 'attach-receiver': {
        const store = this.#namespace.store(command.entityPath);
        this.#links.attachReceiver(command.linkId, store, command.receiveMode);
        return this.#entity(store);
      }
      case 'detach':
        this.#links.detach(command.linkId);
        return DONE;
      case 'set-credit':
        return this.#setCredit(command, turn);
      case 'send': {
        const resources = { limits: this.#limits, contentIds: this.#contentIds, nextGuid: this.#nextGuid };
        return send(this.#namespace.store(command.entityPath), command.messages, resources, turn);
      }
      case 'settle':
        return settle(this.#namespace.store(command.entityPath), command, this.#locks, turn);
      case 'renew-lock': {
        const store = this.#namespace.store(command.entityPath);
        return renewLocks(store, command.lockTokens, this.#locks, turn.now);
      }
      case 'tick':
        return DONE;
    }
  }

  /** A receiver just detached may not have heard of it yet; its credit then means nothing. */
  #setCredit({ linkId, deliveryLimit, drain }: SetCredit, turn: TurnInProgress): Result {
    const receiver = this.#links.findReceiver(linkId);
    if (receiver === undefined) return DONE;
    const { credits } = receiver.store;
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

  #dispatchTouched(turn: TurnInProgress): void {
    for (const store of turn.takeTouched()) dispatch(store, this.#locks, turn);
  }

  #entity(store: MessageStore): Result {
    return {
      kind: 'entity',
      path: store.path,
      maxMessageSizeBytes: store.queue.maxMessageSizeBytes(this.#limits),
    };
  }

  #restoreMessage(store: MessageStore, record: MessageRecord): void {
    assert(record.state === MESSAGE_STATE.active, 'the journal holds a message in a state unknown here');
    store.log.add(new StoredMessage(record));
    store.queue.sizeBytes += record.sizeBytes;
    this.#contentIds.continueFrom(record.contentId + 1);
  }

  #contentsOfMessages(): Set<number> {
    const contentIds = new Set<number>();
    for (const { log } of this.#namespace.stores()) {
      for (const { contentId } of log) contentIds.add(contentId);
    }
    return contentIds;
  }
}
