// The engine: stamps a command with the time, has the broker execute it, and publishes the turn once its events are durable.

import assert from 'node:assert';
import type { Broker, Turn } from '../broker/broker.js';
import type { Activities, Activity } from '../broker/contract/activity.js';
import type { Command, UnsettledEnd } from '../broker/contract/command.js';
import { ContentUnreadable } from '../broker/contract/content-unreadable.js';
import type { Event, StoredEvent } from '../broker/contract/event.js';
import { type Instant, NEVER } from '../broker/contract/instant.js';
import type { Result } from '../broker/contract/result.js';
import { isSmallPart } from '../codec/small-part.js';
import { type BatchOwner, BatchWriter, type PendingTurn } from './batch-writer.js';
import { brokerTimeAt, type ClockSetting, toBroker, toClient } from './client-times.js';
import { EngineClock } from './clock.js';
import { ContentStore } from './content-store.js';
import {
  DeliveryQueue,
  type DeliveryQueueOwner,
  type FoundContent,
  type LinkSink,
  unreadableContent,
} from './delivery-queue.js';
import type { Clock, Journal, JournalEvent } from './ports.js';
import { FAILED, refusalWith, STOPPED, storesContent } from './refusals.js';
import { PendingRequests, type Requester, type RequestOrigin, reportFault } from './requester.js';

export type EngineOptions = {
  /** Bytes of content held in memory, in addition to the journal. */
  readonly contentBudgetBytes: number;
  /** The largest batch, in bytes of content. */
  readonly maxBatchBytes: number;
};

/** The methods of the broker that the engine uses. */
export type TurnBroker = Pick<
  Broker,
  'execute' | 'nextDeadline' | 'holdsLock' | 'restore' | 'readContentsFrom' | 'continueContentIds'
> & { recordsActivities?: boolean };

/** Receives what happened in each turn, once the turn is durable. `origin` is the client of the turn's command. */
export type ActivityListener = (
  activities: Activities,
  now: Instant,
  origin: RequestOrigin | undefined,
) => void;

type LinkEnd = { readonly unsettled?: UnsettledEnd | undefined; readonly closed?: (() => void) | undefined };

/** Counts since the start: commands received and effects handed out. */
export type Traffic = { readonly commandCount: number; readonly effectCount: number };

const MEBIBYTE = 1024 * 1024;
const DEFAULTS: EngineOptions = { contentBudgetBytes: 32 * MEBIBYTE, maxBatchBytes: 8 * MEBIBYTE };
/** While more changes than this wait for the journal, no tick adds to them. */
const MAX_PENDING_CHANGES = 10_000;
const TICK: Command = { kind: 'tick' };
const NO_REQUESTER: Requester = { completed() {} };

export class Engine {
  /** Rejects with the cause when a write failed or an invariant broke; the engine then takes no more commands. */
  readonly failed: Promise<never>;
  readonly clock: EngineClock;
  readonly #broker: TurnBroker;
  readonly #journal: Journal;
  readonly #machine: Clock;
  readonly #contents: ContentStore;
  readonly #writer: BatchWriter;
  readonly #requests = new PendingRequests();
  #commandCount = 0;
  #effectCount = 0;
  readonly #deliveryQueues = new Map<number, DeliveryQueue>();
  readonly #deliveryQueueOwner: DeliveryQueueOwner;
  readonly #linkCloser: Requester = { completed: (linkId) => this.#linkClosed(linkId) };
  /** Called when the links are detached and that is durable. */
  readonly #onClosed = new Map<number, () => void>();
  readonly #faultListeners: ((text: string) => void)[] = [];
  #activityListener: ActivityListener | undefined;
  #rejectFailed: (cause: unknown) => void = () => {};
  #lastLinkId = 0;
  #lastConnectionId = 0;
  #isStarted = false;
  #isTickHeldBack = false;
  #hasFailed = false;
  /** The answer to every command once the engine has failed or is being stopped. */
  #refusal: Result | undefined;
  #stopped: Promise<void> | undefined;

  constructor(broker: TurnBroker, journal: Journal, machine: Clock, options: Partial<EngineOptions> = {}) {
    const { contentBudgetBytes, maxBatchBytes } = { ...DEFAULTS, ...options };
    this.#broker = broker;
    this.#journal = journal;
    this.#machine = machine;
    this.clock = new EngineClock(machine, () => this.#tick());
    this.#contents = new ContentStore(journal, contentBudgetBytes);
    this.#writer = new BatchWriter(journal, this.#makeBatchOwner(), maxBatchBytes);
    journal.onFailure?.((cause) => this.#fail(cause));
    this.#deliveryQueueOwner = this.#makeDeliveryQueueOwner();
    this.failed = new Promise((_resolve, reject) => {
      this.#rejectFailed = reject;
    });
    // Avoids an unhandled rejection when the caller does not listen.
    this.failed.catch(() => {});
  }

  /**
   * Recovers the journal into the broker. Await it before the first command. Resolves with how far the last time was ahead of the
   * machine's clock, if the journal had to correct its times. `setting`: how the broker's time follows the machine's.
   */
  async start(setting?: ClockSetting): Promise<number | undefined> {
    // The broker does not catch an exception of this reader, so the engine fails as after a broken invariant.
    this.#broker.readContentsFrom((contentId) => this.#contents.readNow(contentId));
    const restore = (stored: readonly StoredEvent[]) => this.#broker.restore(stored);
    const clockTime = brokerTimeAt(setting, this.#machine.now());
    const { lastTime, nextContentId, aheadMs } = await this.#journal.recover(restore, clockTime);
    this.#broker.continueContentIds(nextContentId);
    this.clock.start(lastTime, setting);
    this.#isStarted = true;
    this.clock.setAlarm(this.#broker.nextDeadline());
    return aheadMs;
  }

  /**
   * Executes the command in this call; the requester gets the result when the turn is durable, in turn order. A message's content that is
   * less than half of its memory need only be valid during the call.
   */
  submit(command: Command, requester: Requester, tag: number): void {
    assert(this.#isStarted, 'the engine takes commands once it has recovered its journal');
    this.#commandCount += 1;
    const full = storesContent(command) ? this.#journal.refusal : undefined;
    if (full !== undefined) {
      this.#answerLater(requester, tag, refusalWith('quota-exceeded', full));
      return;
    }
    const executed = this.#refusal === undefined ? this.#execute(command) : undefined;
    if (executed === undefined) {
      this.#answerLater(requester, tag, this.#refusal ?? FAILED);
      return;
    }
    const turn = this.#keepContents(executed);
    const { last: now, clientTimes } = this.clock;
    this.#writer.add({ turn, now, clientTimes, requester, tag });
  }

  /** Submits a command and resolves with its result; for callers that need few commands. */
  ask(command: Command): Promise<Result> {
    return this.#requests.request((tag) => this.submit(command, this.#requests, tag));
  }

  /** When something is due; `NEVER` when nothing is. */
  get nextDue(): Instant {
    return this.#broker.nextDeadline();
  }

  /** The present in the times that clients read. It stands still while the broker's clock is frozen. */
  get clientTime(): Instant {
    const now = this.clock.now();
    return this.clock.clientTimes?.toClient('now', now) ?? now;
  }

  get traffic(): Traffic {
    return { commandCount: this.#commandCount, effectCount: this.#effectCount };
  }

  /** Whether it takes commands: it has not failed and is not being stopped. */
  get isRunning(): boolean {
    return this.#refusal === undefined;
  }

  /** Whether a content stays in the memory in which it is submitted, if that is of its size: the journal keeps it. */
  get keepsContents(): boolean {
    return this.#journal.forgetsContents !== true;
  }

  /** Returns a number for a client's connection, which marks the sessions that its links hold as its own. */
  openConnection(): number {
    return ++this.#lastConnectionId;
  }

  /** Reserves a link id for an attach command; `sink` takes the link's effects. */
  openLink(sink: LinkSink): number {
    const linkId = ++this.#lastLinkId;
    this.#deliveryQueues.set(linkId, new DeliveryQueue(this.#deliveryQueueOwner, sink));
    return linkId;
  }

  /**
   * Detaches the link and forgets its sink; peek-lock deliveries not yet written are released. `unsettled` says how the locks of the
   * others end, if they do; `closed` is called when the end of the link is durable.
   */
  closeLink(linkId: number, { unsettled, closed }: LinkEnd = {}): void {
    const queue = this.#deliveryQueues.get(linkId);
    if (queue === undefined || queue.isClosed) return;
    if (closed !== undefined) this.#onClosed.set(linkId, closed);
    // Detached first, so that released messages go to other links. Earlier turns may still have effects for this link.
    const command = { kind: 'detach', linkId } as const;
    this.submit(unsettled === undefined ? command : { ...command, unsettled }, this.#linkCloser, linkId);
    queue.close();
  }

  #linkClosed(linkId: number): void {
    this.#deliveryQueues.delete(linkId);
    const closed = this.#onClosed.get(linkId);
    this.#onClosed.delete(linkId);
    closed?.();
  }

  /** Writes what waits in the link's queue; call it when the sink is ready again. */
  resumeLink(linkId: number): void {
    this.#deliveryQueues.get(linkId)?.resume();
  }

  /** The size of a content that a result names; 0 if it is not known. */
  contentBytes(contentId: number): number {
    return this.#contents.bytesOf(contentId);
  }

  /**
   * The bytes of a content that a result names. Call it within `completed` for that result: contents that the same turn
   * released stay readable until then. Rejects with ContentUnreadable. The read waits for `ready`, and the content is kept until then.
   */
  readContent(contentId: number, ready?: Promise<void>): Promise<Uint8Array> {
    if (ready !== undefined) return this.#contents.readAfter(ready, contentId);
    const content = this.#contents.inMemory(contentId);
    return content === undefined ? this.#contents.read(contentId) : Promise.resolve(content);
  }

  /**
   * The bytes of a message that a result names, as with `readContent`. Undefined if they cannot be read: by then the message has become
   * a dead letter with an empty body.
   */
  async readMessage(message: FoundContent, ready?: Promise<void>): Promise<Uint8Array | undefined> {
    try {
      return await this.readContent(message.contentId, ready);
    } catch (error) {
      if (!(error instanceof ContentUnreadable)) throw error;
      this.submit(unreadableContent(message, error), NO_REQUESTER, 0);
      return undefined;
    }
  }

  /** Calls the listener with each fault that the engine survives, as a sentence for the log. */
  onFault(listener: (text: string) => void): void {
    this.#faultListeners.push(listener);
  }

  /** Reports a fault that a front end has met. */
  noteFault(text: string): void {
    for (const listener of this.#faultListeners) listener(text);
  }

  /** Has the broker say what happens in each turn from now on. Only one listener at a time; undefined ends it. */
  listen(listener: ActivityListener | undefined): void {
    this.#activityListener = listener;
    this.#broker.recordsActivities = listener !== undefined;
  }

  /** The deliveries of all links that are not written yet. */
  get waitingDeliveryCount(): number {
    let count = 0;
    for (const queue of this.#deliveryQueues.values()) count += queue.waitingCount;
    return count;
  }

  /** Waits for the turns under way, then closes the journal. May be called twice. */
  stop(): Promise<void> {
    this.#stopped ??= this.#finish();
    return this.#stopped;
  }

  /** Does what is due. If so much waits for the journal that memory would grow, it is done once some of that is durable. */
  #tick(): void {
    this.#isTickHeldBack = this.#writer.pendingChangeCount > MAX_PENDING_CHANGES;
    if (!this.#isTickHeldBack) this.submit(TICK, NO_REQUESTER, 0);
  }

  /** Adds the contents that the turn stores, and lets its events and activities have the bytes that stay. */
  #keepContents(turn: Turn): Turn {
    let copies: Map<Uint8Array, Uint8Array> | undefined;
    for (const event of turn.events) {
      if (event.kind !== 'content-stored') continue;
      const kept = this.#contents.add(event.contentId, event.content);
      if (kept === event.content) continue;
      copies ??= new Map();
      copies.set(event.content, kept);
    }
    const events = copies === undefined ? turn.events : turn.events.map((event) => keptIn(event, copies));
    const { activities } = turn;
    const hasParts = activities?.all.some((each) => 'content' in each && isSmallPart(each.content)) === true;
    if (!hasParts) return events === turn.events ? turn : { ...turn, events };
    const all = activities.all.map((activity) => keptIn(activity, copies));
    return { ...turn, events, activities: { ...activities, all } };
  }

  /** Executes a command; undefined when the broker threw, which fails the engine. */
  #execute(command: Command): Turn | undefined {
    if (command.kind === 'attach-receiver' || command.kind === 'accept-session') {
      this.#receives(command, command.entityPath);
    }
    try {
      const now = this.clock.now();
      const turn = this.#broker.execute(toBroker(command, this.clock.clientTimes), now);
      // Otherwise the alarm would ring forever.
      if (command === TICK) assert(this.#broker.nextDeadline() > now, 'a tick left something due');
      this.clock.setAlarm(this.#broker.nextDeadline());
      if (turn.result.kind === 'entity') this.#receives(command, turn.result.path);
      return turn;
    } catch (cause) {
      this.#fail(cause);
      return undefined;
    }
  }

  /** Notes the entity that a new receiver link receives from. */
  #receives(command: Command, entityPath: string): void {
    if (command.kind === 'use-entity') this.#receives(command.command, entityPath);
    else if ('linkId' in command) this.#deliveryQueues.get(command.linkId)?.receivesFrom(entityPath);
  }

  #makeBatchOwner(): BatchOwner {
    return {
      completeBatch: (events: JournalEvent[]) => this.#completeBatch(events),
      publish: (turn: PendingTurn) => this.#publish(turn),
      published: (contentCount: number) => {
        this.#contents.becameDurable(contentCount);
        if (this.#isTickHeldBack) this.#tick();
      },
      fail: (cause: unknown) => this.#fail(cause),
    };
  }

  #makeDeliveryQueueOwner(): DeliveryQueueOwner {
    return {
      contents: this.#contents,
      holdsLock: (lockToken: string) => this.#broker.holdsLock(lockToken, this.clock.now()),
      submit: (command: Command) => this.submit(command, NO_REQUESTER, 0),
      fail: (cause: unknown) => this.#fail(cause),
    };
  }

  #publish({ turn, now, clientTimes, requester, tag }: PendingTurn): void {
    const { result, events, effects, activities, faults } = turn;
    if (activities !== undefined) {
      const time = clientTimes?.toClient('now', now) ?? now;
      this.#activityListener?.(toClient(activities, clientTimes), time, requester.origin);
    }
    for (const text of faults ?? []) this.noteFault(text);
    this.#complete(requester, tag, toClient(result, clientTimes));
    this.#effectCount += effects.length;
    for (const effect of effects) {
      this.#deliveryQueues.get(effect.linkId)?.perform(toClient(effect, clientTimes));
    }
    // After the effects, which may read contents that the turn has released.
    for (const event of events)
      if (event.kind === 'content-released') this.#contents.release(event.contentId);
  }

  #complete(requester: Requester, tag: number, result: Result): void {
    try {
      requester.completed(tag, result);
    } catch (cause) {
      reportFault(requester, cause);
    }
  }

  #completeBatch(events: JournalEvent[]): void {
    events.push({ kind: 'time-put', now: this.clock.last });
  }

  #answerLater(requester: Requester, tag: number, result: Result): void {
    queueMicrotask(() => {
      try {
        this.#complete(requester, tag, result);
      } catch (cause) {
        this.#fail(cause);
      }
    });
  }

  #fail(cause: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#refusal = FAILED;
    this.clock.setAlarm(NEVER);
    this.#writer.stop();
    for (const queue of this.#deliveryQueues.values()) queue.close();
    this.#requests.completeAll(FAILED);
    this.#rejectFailed(cause);
  }

  async #finish(): Promise<void> {
    this.#refusal ??= STOPPED;
    this.clock.setAlarm(NEVER);
    await this.#writer.idle();
    for (const queue of this.#deliveryQueues.values()) queue.close();
    await this.#contents.idle();
    await this.#writeLast();
    await this.#journal.close();
  }

  /** Writes the time, because turns without events have moved it on since the last batch. */
  async #writeLast(): Promise<void> {
    if (!this.#isStarted || this.#hasFailed) return;
    const events: JournalEvent[] = [];
    this.#completeBatch(events);
    try {
      await this.#journal.append(events);
    } catch (cause) {
      this.#fail(cause);
    }
  }
}

/** The same with the copy of its content, which it makes itself if the content was not stored. */
function keptIn<Item extends Event | Activity>(
  item: Item,
  copies: ReadonlyMap<Uint8Array, Uint8Array> | undefined,
): Item {
  if (!('content' in item) || !isSmallPart(item.content)) return item;
  return { ...item, content: copies?.get(item.content) ?? new Uint8Array(item.content) };
}
