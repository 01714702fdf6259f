// Receives messages as bytes from a queue, a subscription or one of their sub-queues, and settles messages under a lock.

import { type EventEmitter, once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { Delivery, EventContext, Receiver, Session } from 'rhea';
import { amqp } from '../codec/types.js';
import { type RequestContext, refusalOf, type ServiceError } from './client-error.js';
import { attached, type FailureSignal, knownOutcome, linkFailure } from './link-end.js';
import { errorIn } from './message-sender.js';

const SESSION_FILTER = 'com.microsoft:session-filter';
const TIMEOUT = 'com.microsoft:timeout';
const SETTLE_MODE = { unsettled: 0, settled: 1, first: 0, second: 1 } as const;
/** A message format other than AMQP's own, 0. rhea hands out the bytes of such a message; it would lose information when it decodes others. */
const NOT_DECODED = 1;
const ATTACH_LIMIT_MS = 30_000;
const DRAIN_LIMIT_MS = 2000;

export type ReceiverOptions = {
  readonly mode: 'peek-lock' | 'receive-and-delete';
  /** `next`: waits up to `waitMs` for any session with a message. Undefined if the entity requires no sessions. */
  readonly session: { readonly id: string } | { readonly next: true; readonly waitMs: number } | undefined;
};

type Surroundings = { readonly lost: FailureSignal; readonly context: RequestContext };

export type ReceivedMessage = { readonly content: Uint8Array; readonly delivery: Delivery };

export class MessageReceiver {
  readonly #receiver: Receiver;
  readonly #failure: FailureSignal;
  readonly #context: RequestContext;
  readonly #isLocking: boolean;
  readonly #arrived: ReceivedMessage[] = [];
  readonly #unsettled = new Set<Delivery>();
  readonly #settling = new Map<Delivery, (error: ServiceError | undefined) => void>();
  #wake: () => void = () => {};

  private constructor(
    receiver: Receiver,
    failure: FailureSignal,
    context: RequestContext,
    isLocking: boolean,
  ) {
    this.#receiver = receiver;
    this.#failure = failure;
    this.#context = context;
    this.#isLocking = isLocking;
    receiver.on('message', ({ message, delivery }: EventContext) => {
      if (delivery === undefined) return;
      if (isLocking) this.#unsettled.add(delivery);
      else delivery.update(true);
      this.#arrived.push({ content: Buffer.isBuffer(message) ? message : Buffer.alloc(0), delivery });
      this.#wake();
    });
    receiver.on('settled', ({ delivery }: EventContext) => this.#settled(delivery));
  }

  /** Throws a JitneyError, like all other methods. */
  static async open(
    session: Session,
    path: string,
    { lost, context: given, mode, session: wanted }: Surroundings & ReceiverOptions,
  ): Promise<MessageReceiver> {
    keepBytes(session);
    const isLocking = mode === 'peek-lock';
    const context = { ...given, waitsForSession: wanted !== undefined && 'next' in wanted };
    const filter = wanted && { [SESSION_FILTER]: 'id' in wanted ? wanted.id : amqp.null() };
    const waitMs = wanted !== undefined && 'next' in wanted ? wanted.waitMs : 0;
    const receiver = session.open_receiver({
      source: { address: path, ...(filter && { filter }) },
      snd_settle_mode: isLocking ? SETTLE_MODE.unsettled : SETTLE_MODE.settled,
      rcv_settle_mode: isLocking ? SETTLE_MODE.second : SETTLE_MODE.first,
      credit_window: 0,
      autoaccept: false,
      ...(waitMs > 0 && { properties: { [TIMEOUT]: amqp.uint(waitMs) } }),
    });
    const failure = linkFailure(receiver, context, lost);
    const limitMs = ATTACH_LIMIT_MS + waitMs;
    await attached(receiver, { failure, context, terminus: 'source', limitMs });
    return new MessageReceiver(receiver, failure, context, isLocking);
  }

  /**
   * Yields the messages that are there, at most `count`, and waits for the first one. When `stop` aborts, no more are taken. Messages without
   * a lock that are already here, or on their way, are still yielded, even if the connection is lost: the service no longer has them.
   */
  async *receive(count: number, waitMs: number, stop: AbortSignal): AsyncGenerator<ReceivedMessage> {
    if (stop.aborted) return;
    const wake = () => this.#wake();
    stop.addEventListener('abort', wake);
    this.#receiver.drain = false;
    this.#receiver.add_credit(count);
    let drained: Promise<void> | undefined;
    let isDrained = false;
    try {
      await this.#waitForArrival(waitMs);
      isDrained = this.#arrived.length === count;
      if (!isDrained) {
        drained = this.#drain().then(() => {
          isDrained = true;
          this.#wake();
        });
      }
      for (let left = count; left > 0; left -= 1) {
        while (this.#arrived.length === 0 && !isDrained) await this.#waitForArrival();
        if (this.#isLocking && stop.aborted) return;
        if (this.#isLocking || this.#arrived.length === 0) this.#failure.throwIfHappened();
        const message = this.#arrived.shift();
        if (message === undefined) return;
        yield message;
      }
    } finally {
      stop.removeEventListener('abort', wake);
      // A message that is on its way can be given back only after it has arrived.
      if (!isDrained) await (drained ?? this.#drain());
    }
  }

  /** Completes a message. Also throws if the lock is lost. */
  async complete({ delivery }: ReceivedMessage): Promise<void> {
    await this.#settle(delivery, () => delivery.accept());
  }

  /** Gives a message back; the delivery counts as failed. */
  async abandon({ delivery }: ReceivedMessage): Promise<void> {
    await this.#settle(delivery, () => delivery.modified({ undeliverable_here: false }));
  }

  /** Gives back every unsettled message without counting the delivery. Others can receive them when the connection has been closed. */
  async releaseAll(): Promise<void> {
    // rhea writes neighbouring outcomes of one turn as one, even if they differ: a completion before would also complete these.
    await setImmediate();
    for (const delivery of this.#unsettled) delivery.release();
    this.#unsettled.clear();
  }

  /** Detaches, so that others can have the session, and messages that were given back. */
  async close(): Promise<void> {
    // rhea would write the detach before the outcomes of the same turn.
    await setImmediate();
    this.#receiver.close();
  }

  async #settle(delivery: Delivery, act: () => void): Promise<void> {
    const settled = new Promise<ServiceError | undefined>((resolve) => this.#settling.set(delivery, resolve));
    this.#unsettled.delete(delivery);
    act();
    const error = await knownOutcome(settled, { failure: this.#failure, context: this.#context });
    if (error !== undefined) throw refusalOf(error, this.#context);
  }

  #settled(delivery: Delivery | undefined): void {
    if (delivery === undefined) return;
    const state: unknown = delivery.remote_state;
    const isRejected =
      typeof state === 'object' && state !== null && 'error' in state && Boolean(state.error);
    this.#settling.get(delivery)?.(isRejected ? errorIn(state) : undefined);
    this.#settling.delete(delivery);
  }

  /** Takes back the rest of the credit. The answer comes after all messages that are there. */
  async #drain(): Promise<void> {
    const { connection } = this.#receiver;
    if (!connection.is_open()) return;
    const done = new AbortController();
    const event = (emitter: EventEmitter, name: string) =>
      once(emitter, name, { signal: done.signal }).catch(() => {});
    this.#receiver.drain_credit();
    await Promise.race([
      event(this.#receiver, 'receiver_drained'),
      ...['connection_close', 'disconnected'].map((name) => event(connection, name)),
      elapsed(DRAIN_LIMIT_MS),
    ]);
    done.abort();
  }

  /** Waits until a message has arrived, something has changed, or the time is over. */
  async #waitForArrival(waitMs?: number): Promise<void> {
    if (this.#arrived.length > 0) return;
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    const timeUp = waitMs === undefined ? [] : [elapsed(waitMs)];
    await Promise.race([woken, this.#failure.happened, ...timeUp]);
  }
}

/** Resolves after this time. Does not keep the process alive. */
function elapsed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

type RawSession = Session & {
  on_transfer(frame: { readonly performative: { message_format: number } }): void;
};

/** Makes rhea hand out the bytes of every message that arrives on this session. */
function keepBytes(session: Session): void {
  const raw = session as RawSession;
  const read = raw.on_transfer;
  raw.on_transfer = (frame) => {
    frame.performative.message_format = NOT_DECODED;
    read.call(session, frame);
  };
}
