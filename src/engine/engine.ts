// The turn: stamps a command with the time, lets the broker execute it, makes its events durable, then tells everybody.

import assert from 'node:assert';
import type { Broker, Turn } from '../broker/broker.js';
import type { Command } from '../broker/command.js';
import type { Delivery } from '../broker/effect.js';
import { type Instant, NEVER } from '../broker/instant.js';
import type { Result } from '../broker/result.js';
import { ServiceBusError } from '../broker/service-bus-error.js';
import { Asks } from './asks.js';
import { type BatchOwner, BatchWriter, type PendingTurn } from './batch-writer.js';
import { BrokerTime } from './broker-time.js';
import { ContentStore } from './content-store.js';
import { reportFault } from './fault.js';
import { LinkOutlet, type OutletOwner } from './link-outlet.js';
import type { Clock, Journal, JournalEvent } from './ports.js';

/** Who asked. `tag` is whatever the asker gave along, so that one object can have many commands under way. */
export interface Requester {
  completed(tag: number, result: Result): void;
  /** `completed` has thrown this. Without a way to deal with it, or if this throws too, the whole engine fails. */
  faulted?(cause: unknown): void;
}

/** The far end of an attached link; its calls arrive in turn order, each after its batch is durable. */
export interface LinkSink {
  /** Whether a delivery would be written at once; when not, the link's FIFO rests until `resumeLink`. */
  isReady(): boolean;
  /** To be written now. `content` is the sender's bytes. */
  deliver(delivery: Delivery, content: Uint8Array): void;
  /** A delivery was left out because its lock had ended before it could be written. */
  dropped(): void;
  drained(deliveredCount: number): void;
  /** Of a link that asked to accept a session: it holds this one. */
  sessionAccepted?(sessionId: string, lockedUntil: Instant): void;
  detached(error: ServiceBusError): void;
  /** `deliver`, `dropped`, `drained`, `sessionAccepted` or `detached` has thrown this; else as with a requester. */
  faulted?(cause: unknown): void;
}

export type EngineOptions = {
  /** Bytes of content kept in memory beside the journal. */
  readonly contentBudgetBytes: number;
  /** The largest batch, in bytes of content. */
  readonly maxBatchBytes: number;
};

/** What the engine asks of the broker. */
export type TurnBroker = Pick<
  Broker,
  'execute' | 'nextDeadline' | 'holdsLock' | 'restore' | 'isContentNeeded' | 'readContentsFrom'
>;

const MEBIBYTE = 1024 * 1024;
const DEFAULTS: EngineOptions = { contentBudgetBytes: 32 * MEBIBYTE, maxBatchBytes: 8 * MEBIBYTE };
const TICK: Command = { kind: 'tick' };
const NOBODY: Requester = { completed() {} };
const STOPPED = refusal('The emulator is being stopped and takes no more commands.');
const FAILED = refusal('The emulator has failed and takes no more commands; its log says why.');

export class Engine {
  /** Rejects with the cause when a write failed or an invariant broke; the engine then takes no more commands. */
  readonly failed: Promise<never>;
  readonly #broker: TurnBroker;
  readonly #journal: Journal;
  readonly #time: BrokerTime;
  readonly #contents: ContentStore;
  readonly #writer: BatchWriter;
  readonly #asks = new Asks();
  readonly #outlets = new Map<number, LinkOutlet>();
  readonly #outletOwner: OutletOwner;
  readonly #linkCloser: Requester = { completed: (linkId) => this.#outlets.delete(linkId) };
  readonly #durableListeners: (() => void)[] = [];
  #rejectFailed: (cause: unknown) => void = () => {};
  #lastLinkId = 0;
  #lastConnectionId = 0;
  #isStarted = false;
  #hasFailed = false;
  /** The answer to every command once the engine has failed or is being stopped. */
  #refusal: Result | undefined;
  #stopped: Promise<void> | undefined;

  constructor(broker: TurnBroker, journal: Journal, clock: Clock, options: Partial<EngineOptions> = {}) {
    const { contentBudgetBytes, maxBatchBytes } = { ...DEFAULTS, ...options };
    this.#broker = broker;
    this.#journal = journal;
    this.#time = new BrokerTime(clock, () => this.submit(TICK, NOBODY, 0));
    this.#contents = new ContentStore(journal, contentBudgetBytes);
    this.#writer = new BatchWriter(journal, this.#makeBatchOwner(), maxBatchBytes);
    this.#outletOwner = this.#makeOutletOwner();
    this.failed = new Promise((_resolve, reject) => {
      this.#rejectFailed = reject;
    });
    // Nobody need listen.
    this.failed.catch(() => {});
  }

  /** Recovers the journal into the broker. To be awaited before the first command. */
  async start(): Promise<void> {
    // A turn that cannot read fails as with any broken invariant: the broker lets the exception through.
    this.#broker.readContentsFrom((contentId) => this.#contents.readNow(contentId));
    const { lastTime } = await this.#journal.recover((stored) => this.#broker.restore(stored));
    await this.#journal.sweepContents((contentId) => this.#broker.isContentNeeded(contentId));
    this.#time.goOnFrom(lastTime);
    this.#isStarted = true;
    this.#time.setAlarm(this.#broker.nextDeadline());
  }

  /** Executes the command in this call; the requester hears the result when the turn is durable, in turn order. */
  submit(command: Command, requester: Requester, tag: number): void {
    assert(this.#isStarted, 'the engine takes commands once it has recovered its journal');
    const turn = this.#refusal === undefined ? this.#execute(command) : undefined;
    if (turn === undefined) {
      this.#refuse(requester, tag);
      return;
    }
    let contentBytes = 0;
    for (const event of turn.events) {
      if (event.kind !== 'content-stored') continue;
      this.#contents.add(event.contentId, event.content);
      contentBytes += event.content.length;
    }
    const { result, events, effects } = turn;
    this.#writer.add({ result, events, effects, contentBytes, requester, tag });
  }

  /** The same as a promise, for callers that ask rarely. */
  ask(command: Command): Promise<Result> {
    return this.#asks.ask((tag) => this.submit(command, this.#asks, tag));
  }

  /** A number for a client's connection, by which the sessions its links hold are known as its own. */
  openConnection(): number {
    return ++this.#lastConnectionId;
  }

  /** Reserves a link id for an attach command and says who takes the link's effects. */
  openLink(sink: LinkSink): number {
    const linkId = ++this.#lastLinkId;
    this.#outlets.set(linkId, new LinkOutlet(this.#outletOwner, sink));
    return linkId;
  }

  /** Detaches the link and forgets its sink; peek-lock deliveries not yet written are released. */
  closeLink(linkId: number): void {
    const outlet = this.#outlets.get(linkId);
    if (outlet === undefined || outlet.isClosed) return;
    // Detached first, so that what is given back goes to others. Turns before this one may still have effects for it.
    this.submit({ kind: 'detach', linkId }, this.#linkCloser, linkId);
    outlet.close();
  }

  /** The sink is ready again: goes on with what waits in the link's FIFO. */
  resumeLink(linkId: number): void {
    this.#outlets.get(linkId)?.resume();
  }

  /**
   * The bytes of a content that a result has just named. To be called while that result is being told: what the same
   * turn has released is kept until it is read.
   */
  readContent(contentId: number): Promise<Uint8Array> {
    const content = this.#contents.get(contentId);
    return content === undefined ? this.#contents.read(contentId) : Promise.resolve(content);
  }

  /** Told whenever `pendingBytes` has fallen, after each batch. */
  onDurable(listener: () => void): void {
    this.#durableListeners.push(listener);
  }

  /** What is submitted and not yet durable, in bytes of memory; front ends pause their sockets on it. */
  get pendingBytes(): number {
    return this.#writer.pendingBytes;
  }

  /** Waits for what is under way, then closes the journal. May be called twice. */
  stop(): Promise<void> {
    this.#stopped ??= this.#finish();
    return this.#stopped;
  }

  /** Undefined when the broker is broken. */
  #execute(command: Command): Turn | undefined {
    if (command.kind === 'attach-receiver' || command.kind === 'accept-session') {
      this.#outlets.get(command.linkId)?.receivesFrom(command.entityPath);
    }
    try {
      const now = this.#time.now();
      const turn = this.#broker.execute(command, now);
      // Else the alarm would ring for ever.
      if (command === TICK) assert(this.#broker.nextDeadline() > now, 'a tick left something due');
      this.#time.setAlarm(this.#broker.nextDeadline());
      return turn;
    } catch (cause) {
      this.#fail(cause);
      return undefined;
    }
  }

  #makeBatchOwner(): BatchOwner {
    return {
      closeBatch: (events: JournalEvent[]) => this.#closeBatch(events),
      tell: (turn: PendingTurn) => this.#tell(turn),
      told: (contentCount: number) => {
        this.#contents.becameDurable(contentCount);
        for (const listener of this.#durableListeners) listener();
      },
      fail: (cause: unknown) => this.#fail(cause),
    };
  }

  #makeOutletOwner(): OutletOwner {
    return {
      contents: this.#contents,
      holdsLock: (lockToken: string) => this.#broker.holdsLock(lockToken, this.#time.now()),
      release: (entityPath: string, lockToken: string) => {
        const command: Command = { kind: 'settle', entityPath, lockToken, outcome: { kind: 'release' } };
        this.submit(command, NOBODY, 0);
      },
      fail: (cause: unknown) => this.#fail(cause),
    };
  }

  #tell({ result, events, effects, requester, tag }: PendingTurn): void {
    this.#complete(requester, tag, result);
    for (const effect of effects) this.#outlets.get(effect.linkId)?.perform(effect);
    // After the effects, which may want to read what the turn has removed.
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

  #closeBatch(events: JournalEvent[]): void {
    for (const contentId of this.#contents.takeDeletable())
      events.push({ kind: 'content-deleted', contentId });
    events.push({ kind: 'time-put', now: this.#time.last });
  }

  #refuse(requester: Requester, tag: number): void {
    const result = this.#refusal ?? FAILED;
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
    this.#time.setAlarm(NEVER);
    this.#writer.stop();
    for (const outlet of this.#outlets.values()) outlet.close();
    this.#asks.answerAll(FAILED);
    this.#rejectFailed(cause);
  }

  async #finish(): Promise<void> {
    this.#refusal ??= STOPPED;
    this.#time.setAlarm(NEVER);
    await this.#writer.idle();
    for (const outlet of this.#outlets.values()) outlet.close();
    await this.#contents.idle();
    await this.#writeLast();
    await this.#journal.close();
  }

  /** What was to go with the next batch, and the time, which read-only turns have seen too. */
  async #writeLast(): Promise<void> {
    if (!this.#isStarted || this.#hasFailed) return;
    const events: JournalEvent[] = [];
    this.#closeBatch(events);
    try {
      await this.#journal.append(events);
    } catch (cause) {
      this.#fail(cause);
    }
  }
}

function refusal(message: string): Result {
  return { kind: 'failed', error: new ServiceBusError('internal', message) };
}
