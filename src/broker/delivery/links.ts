// The links that are attached, by id: senders, receivers and browsers.

import { assert } from '../assert.js';
import type { ReceiveMode } from '../command.js';
import type { MessageStore } from '../entity/message-store.js';
import { entityNotFound } from '../entity/namespace.js';
import { entityDisabled, type Queue } from '../entity/queue.js';
import { destinationOf } from '../message/forwarding.js';
import { ServiceBusError } from '../service-bus-error.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { Browser } from './browser.js';
import { releaseLocksOf } from './lock-expiry.js';
import { Receiver } from './receiver.js';
import { setCredit } from './receiver-credit.js';
import { type LockLists, releaseSession } from './session-end.js';

type Sender = { readonly store: MessageStore };

export type NewReceiver = {
  readonly linkId: number;
  readonly store: MessageStore;
  readonly receiveMode: ReceiveMode;
  /** Of a receiver that is to hold a session, and of no other. */
  readonly connectionId?: number;
  readonly keepsLocks?: boolean | undefined;
};

export class Links {
  readonly #lists: LockLists;
  readonly #senders = new Map<number, Sender>();
  readonly #receivers = new Map<number, Receiver>();
  readonly #browsers = new Map<number, Browser>();

  constructor(lists: LockLists) {
    this.#lists = lists;
  }

  attachSender(linkId: number, store: MessageStore): void {
    this.#assertNew(linkId);
    this.#senders.set(linkId, { store });
  }

  attachReceiver({ linkId, store, receiveMode, connectionId, keepsLocks = false }: NewReceiver): Receiver {
    this.#assertNew(linkId);
    store.receiverCount += 1;
    const receiver = new Receiver({ linkId, store, receiveMode, connectionId, keepsLocks });
    this.#receivers.set(linkId, receiver); // LIM-07: however many wait
    return receiver;
  }

  /** PEEK-12: nothing waits for it to go, and nothing expires because it is there. */
  attachBrowser(linkId: number, store: MessageStore): void {
    this.#assertNew(linkId);
    const browser = new Browser(linkId, store);
    this.#browsers.set(linkId, browser);
    store.browsers = [...store.browsers, browser];
  }

  findBrowser(linkId: number): Browser | undefined {
    return this.#browsers.get(linkId);
  }

  findReceiver(linkId: number): Receiver | undefined {
    return this.#receivers.get(linkId);
  }

  /**
   * Its credit is gone and so is its session (SES-14); other locks run on (LNK-01), unless they are to be released (LNK-04),
   * and no count changes (DLV-04). A link already gone is left alone: both ends may detach at once.
   */
  detach(linkId: number, turn: TurnInProgress): void {
    this.#senders.delete(linkId);
    const receiver = this.#receivers.get(linkId);
    if (receiver === undefined) {
      this.#detachBrowser(linkId, turn);
      return;
    }
    this.#receivers.delete(linkId);
    const { store, sessionLock, keepsLocks } = receiver;
    const hasWaited = store.sessions?.waiting.delete(receiver); // X6: who is gone is never given a session
    if (hasWaited || receiver.credit > 0) store.queue.used(turn.now); // IDL-03: it was in use until now
    setCredit(receiver, 0);
    if (sessionLock !== undefined) releaseSession(sessionLock, this.#lists, turn);
    store.receiverCount -= 1;
    if (turn.choices.releaseLocksOnDetach && !keepsLocks && store.sessions === undefined) {
      releaseLocksOf(linkId, this.#lists.locks, turn);
    }
    turn.touch(store);
  }

  #detachBrowser(linkId: number, turn: TurnInProgress): void {
    const browser = this.#browsers.get(linkId);
    if (browser === undefined) return;
    const { store, credit } = browser;
    this.#browsers.delete(linkId);
    store.browsers = store.browsers.filter((one) => one !== browser);
    if (credit > 0) store.queue.used(turn.now); // IDL-03, as above
  }

  /** ENT-07, RCV-11: what the queue's description no longer allows is detached. */
  detachDisabled(queue: Queue, turn: TurnInProgress): void {
    if (!queue.canSend) this.#detachAll(queue, this.#senders, entityDisabled, turn);
    if (!queue.canReceive) this.#detachReceivers(queue, entityDisabled, turn);
    for (const store of [queue.main, queue.deadLetters]) {
      if (destinationOf(store) !== undefined) this.#detachReceivers(store, forwards, turn);
    }
  }

  /** ENT-04. */
  detachDeleted(queue: Queue, turn: TurnInProgress): void {
    this.#detachAll(queue, this.#senders, entityNotFound, turn);
    this.#detachReceivers(queue, entityNotFound, turn);
  }

  #detachReceivers(
    of: Queue | MessageStore,
    errorOf: (path: string) => ServiceBusError,
    turn: TurnInProgress,
  ): void {
    this.#detachAll(of, this.#receivers, errorOf, turn);
    this.#detachAll(of, this.#browsers, errorOf, turn);
  }

  #detachAll(
    of: Queue | MessageStore,
    links: ReadonlyMap<number, { readonly store: MessageStore }>,
    errorOf: (path: string) => ServiceBusError,
    turn: TurnInProgress,
  ): void {
    for (const [linkId, { store }] of links) {
      if (store !== of && store.queue !== of) continue;
      this.detach(linkId, turn);
      turn.effects.push({ kind: 'detach', linkId, error: errorOf(store.path) });
    }
  }

  #assertNew(linkId: number): void {
    const isUsed = [this.#senders, this.#receivers, this.#browsers].some((links) => links.has(linkId));
    assert(!isUsed, 'a link id was used twice');
  }
}

function forwards(path: string): ServiceBusError {
  const text = `Cannot create a message receiver on an entity with auto-forwarding enabled: '${path}' sends its messages on. Switch that off to receive what has stayed.`;
  return new ServiceBusError('not-allowed', text, { entityPath: path, about: 'forwards' });
}

export function checkMayReceive(store: MessageStore, { hasSession }: { readonly hasSession: boolean }): void {
  const { queue, sessions, path, kind } = store;
  if (queue.topic !== undefined && kind === 'main') {
    // RCV-12
    const text = `'${path}' is a topic: receive from one of its subscriptions, such as '${path}/Subscriptions/<name>'.`;
    throw new ServiceBusError('not-allowed', text, { entityPath: path, about: 'topic' });
  }
  if (!queue.canReceive) throw entityDisabled(path);
  if (destinationOf(store) !== undefined) throw forwards(path); // RCV-11, DLQ-12
  if (sessions === undefined || hasSession) return;
  // RCV-10, DLQ-03
  const text =
    'It is not possible for an entity that requires sessions to create a non-sessionful message receiver. ' +
    'Accept a session, by its id or the next one.';
  throw new ServiceBusError('not-allowed', text, { entityPath: path, about: 'requires-sessions' });
}
