// The attached links by id: senders, receivers and browsers, and their attaching and detaching.

import { assert } from '../contract/assert.js';
import type { ReceiveMode, UnsettledEnd } from '../contract/command.js';
import { entityDisabled, entityNotFound } from '../contract/entities/entity-errors.js';
import type { Limits } from '../contract/limits.js';
import { ServiceBusError } from '../contract/service-bus-error.js';
import type { CompiledFilter } from '../rules/compile-filter.js';
import type { RuleCompiler } from '../rules/rule-compiler.js';
import { type Attached, AttachedLinks } from '../store/attached-links.js';
import { Browser } from '../store/browser.js';
import type { MessageStore, Queue } from '../store/queue.js';
import { Receiver } from '../store/receiver.js';
import { StoreSelection } from '../store/store-selection.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import { setCredit } from './dispatcher.js';
import { endLocksOf, type MessageLocks } from './message-lock.js';

type Selecting = { readonly selectorCharacters: number };
/** `isKeeper`: whether a volatile entity goes with it (JMS-43). */
type AttachedSender = Attached & { readonly isKeeper: boolean };
type AttachedReceiver = AttachedSender & Selecting & { readonly receiver: Receiver };
type AttachedBrowser = Attached & Selecting & { readonly browser: Browser };

type LinksOptions = {
  readonly locks: MessageLocks;
  /** Releases the session of a receiver whose link has ended; `sessions/` implements it. */
  readonly releaseSession: (receiver: Receiver, turn: TurnInProgress) => void;
};

type NewReceiver = {
  readonly linkId: number;
  readonly store: MessageStore;
  readonly receiveMode: ReceiveMode;
  /** Set for receivers that hold a session or wait for one. */
  readonly connectionId?: number;
  readonly keepsLocks?: boolean | undefined;
  readonly client?: string | undefined;
  readonly isKeeper?: boolean;
  readonly selector?: CheckedSelector | undefined;
};

const NONE: ReadonlySet<Queue> = new Set();

/** The selector of a receiver or browser, and its length. */
export type CheckedSelector = { readonly filter: CompiledFilter; readonly characters: number };

/** The characters of the selectors of all links, at most: 2,000 of the longest (LIM-10, LIM-12). */
const MAX_SELECTOR_CHARACTERS = 2000 * 1024;
/** The most stores that keep cursors without a receiver. */
const MAX_KEEPING = 32;

export class Links {
  readonly #locks: MessageLocks;
  readonly #releaseSession: LinksOptions['releaseSession'];
  readonly #senders = new AttachedLinks<AttachedSender>();
  readonly #receivers = new AttachedLinks<AttachedReceiver>();
  readonly #browsers = new AttachedLinks<AttachedBrowser>();
  /** Volatile entities whose last keeper has gone. */
  #unkept: ReadonlySet<Queue> = NONE;
  /** The characters of the selectors of all links. */
  #selectorCharacters = 0;
  /** Selections that may have cursors without a receiver, the newest last. */
  readonly #keeping = new Set<StoreSelection>();

  constructor({ locks, releaseSession }: LinksOptions) {
    this.#locks = locks;
    this.#releaseSession = releaseSession;
  }

  attachSender(linkId: number, store: MessageStore, { isKeeper = false } = {}): void {
    this.#assertNew(linkId);
    this.#senders.add(linkId, { store, isKeeper });
    if (isKeeper) store.queue.keeperCount += 1;
  }

  attachReceiver({ store, ...given }: NewReceiver): Receiver {
    const {
      linkId,
      receiveMode,
      connectionId,
      keepsLocks = false,
      client,
      isKeeper = false,
      selector,
    } = given;
    this.#assertNew(linkId);
    store.receiverCount += 1;
    const filter = selector?.filter;
    const receiver = new Receiver({ linkId, receiveMode, connectionId, keepsLocks, client, filter });
    const selectorCharacters = this.#count(selector);
    this.#receivers.add(linkId, { store, receiver, isKeeper, selectorCharacters }); // LIM-07: no limit on their number
    if (isKeeper) store.queue.keeperCount += 1;
    if (filter !== undefined) store.selection ??= new StoreSelection();
    if (filter !== undefined) store.selection?.attached(receiver);
    return receiver;
  }

  /** PEEK-12: a browser does not count as a receiver, so messages do not expire because it is attached. */
  attachBrowser(linkId: number, store: MessageStore, selector?: CheckedSelector): void {
    this.#assertNew(linkId);
    const browser = new Browser(linkId, store, selector?.filter);
    this.#browsers.add(linkId, { store, browser, selectorCharacters: this.#count(selector) });
    store.browsers.add(browser);
  }

  /** Throws argument for a selector that cannot be parsed (JMS-85), quota-exceeded for more than all links may have. */
  checkSelector(
    expression: string,
    { path }: Pick<MessageStore, 'path'>,
    { ruleCompiler, limits }: { readonly ruleCompiler: RuleCompiler; readonly limits: Limits },
  ): CheckedSelector {
    const filter = ruleCompiler.filter({ kind: 'selector', expression });
    const limit = Math.min(MAX_SELECTOR_CHARACTERS, 1024 * limits.maxSqlFiltersPerTopic);
    const value = this.#selectorCharacters + expression.length;
    if (value <= limit) return { filter, characters: expression.length };
    const text = `With this one the selectors of all consumers and browsers would have ${value} characters; the limit is ${limit}. Close some first.`;
    throw new ServiceBusError('quota-exceeded', text, {
      entityPath: path,
      property: 'selector',
      value,
      limit,
    });
  }

  #count(selector: CheckedSelector | undefined): number {
    const characters = selector?.characters ?? 0;
    this.#selectorCharacters += characters;
    return characters;
  }

  /** All attached links, each with its store. */
  *attached(): Generator<{ readonly role: 'sender' | 'receiver' | 'browser'; readonly store: MessageStore }> {
    for (const { store } of this.#senders.all()) yield { role: 'sender', store };
    for (const { store } of this.#receivers.all()) yield { role: 'receiver', store };
    for (const { store } of this.#browsers.all()) yield { role: 'browser', store };
  }

  findBrowser(linkId: number): AttachedBrowser | undefined {
    return this.#browsers.get(linkId);
  }

  findReceiver(linkId: number): AttachedReceiver | undefined {
    return this.#receivers.get(linkId);
  }

  /**
   * Ends a link, its credit and its hold on a session (SES-14). Other locks continue (LNK-01) unless an option releases them
   * (LNK-04), or `unsettled` says how they end (JMS-32). Else no delivery count changes (DLV-04). An unknown link is ignored: both ends
   * may detach at once.
   */
  detach(linkId: number, turn: TurnInProgress, unsettled?: UnsettledEnd): void {
    this.#leave(this.#senders.get(linkId));
    this.#senders.delete(linkId);
    const attached = this.#receivers.get(linkId);
    if (attached === undefined) {
      this.#detachBrowser(linkId, turn);
      return;
    }
    this.#receivers.delete(linkId);
    this.#leave(attached);
    const { store, receiver } = attached;
    const hasWaited = store.sessions?.waiting.delete(receiver); // X6: a detached receiver never gets a session
    if (hasWaited || receiver.credit > 0) store.queue.used(turn.now); // IDL-03: it was in use until now
    setCredit(store, receiver, 0);
    this.#selectorCharacters -= attached.selectorCharacters;
    if (store.selection !== undefined) this.#detachSelection(store.selection, receiver);
    if (receiver.sessionLock !== undefined) this.#releaseSession(receiver, turn);
    store.receiverCount -= 1;
    const isReleased =
      turn.behaviour.releaseLocksOnDetach && !receiver.keepsLocks && store.sessions === undefined;
    const end = unsettled ?? (isReleased ? 'release' : undefined);
    if (end !== undefined && store.lockedCount > 0) endLocksOf(receiver, store, end, this.#locks, turn);
    turn.touch(store);
  }

  #leave(link: AttachedSender | undefined): void {
    if (link?.isKeeper !== true) return;
    const { queue } = link.store;
    queue.keeperCount -= 1;
    if (queue.keeperCount === 0 && queue.isVolatile) this.#unkept = new Set([...this.#unkept, queue]); // JMS-57, JMS-58
  }

  /** The volatile entities whose last keeper has gone since the last call. */
  takeUnkept(): ReadonlySet<Queue> {
    const unkept = this.#unkept;
    if (unkept.size > 0) this.#unkept = NONE;
    return unkept;
  }

  /** The cursors that stores keep without a receiver are in few stores, whose memory is bounded so. */
  #detachSelection(selection: StoreSelection, receiver: Receiver): void {
    selection.detached(receiver);
    if (receiver.filter === undefined) return;
    this.#keeping.delete(selection);
    this.#keeping.add(selection);
    const [oldest] = this.#keeping;
    if (this.#keeping.size <= MAX_KEEPING || oldest === undefined) return;
    oldest.forgetKept();
    this.#keeping.delete(oldest);
  }

  #detachBrowser(linkId: number, turn: TurnInProgress): void {
    const attached = this.#browsers.get(linkId);
    if (attached === undefined) return;
    const { store, browser } = attached;
    this.#browsers.delete(linkId);
    store.browsers.delete(browser);
    this.#selectorCharacters -= attached.selectorCharacters;
    if (browser.credit > 0) store.queue.used(turn.now); // IDL-03, as above
  }

  /** ENT-07, RCV-11: detaches the links that the queue's description no longer allows. */
  detachDisabled(queue: Queue, turn: TurnInProgress): void {
    if (!queue.allows('send')) this.#detachAll(queue, this.#senders, entityDisabled, turn);
    if (!queue.allows('receive')) this.#detachReceivers(queue, entityDisabled, turn);
    for (const store of [queue.main, queue.deadLetters]) {
      if (store.forwardsTo !== undefined) this.#detachReceivers(store, forwards, turn);
    }
  }

  /** ENT-04, JMS-27: detaches all links of a deleted queue. */
  detachDeleted(queue: Queue, turn: TurnInProgress): void {
    this.#detachAll(queue, this.#senders, entityNotFound, turn);
    this.#detachReceivers(queue, entityNotFound, turn);
  }

  #detachReceivers(
    target: Queue | MessageStore,
    errorOf: (path: string) => ServiceBusError,
    turn: TurnInProgress,
  ): void {
    this.#detachAll(target, this.#receivers, errorOf, turn);
    this.#detachAll(target, this.#browsers, errorOf, turn);
  }

  #detachAll(
    target: Queue | MessageStore,
    links: AttachedLinks<Attached>,
    errorOf: (path: string) => ServiceBusError,
    turn: TurnInProgress,
  ): void {
    const queue = 'main' in target ? target : target.queue;
    for (const linkId of links.idsOf(queue)) {
      const store = links.get(linkId)?.store;
      if (store === undefined || (store !== target && queue !== target)) continue;
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
  const { queue, sessions, path } = store;
  checkIsNoTopic(store);
  if (!queue.allows('receive')) throw entityDisabled(path);
  if (store.forwardsTo !== undefined) throw forwards(path); // RCV-11, DLQ-12
  if (sessions === undefined || hasSession) return;
  // RCV-10, DLQ-03
  const text =
    'It is not possible for an entity that requires sessions to create a non-sessionful message receiver. ' +
    'Accept a session, by its id or the next one.';
  throw new ServiceBusError('not-allowed', text, { entityPath: path, about: 'requires-sessions' });
}

/** RCV-12: to a receiver a topic does not exist. */
export function checkIsNoTopic({ queue, kind, path }: MessageStore): void {
  if (queue.owner?.kind !== 'topic' || kind !== 'main') return;
  const text = `'${path}' is a topic: receive from one of its subscriptions, such as '${path}/Subscriptions/<name>'.`;
  throw new ServiceBusError('entity-not-found', text, { entityPath: path, about: 'topic' });
}
