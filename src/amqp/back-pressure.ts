// Back-pressure: above 16 MiB of unfinished bytes only those are read who hold no more than their share, and one more at a time.

import type { Transport } from './transport.js';

/** Limit of unfinished bytes of all connections: half received, waiting for a link or a discharge, or not yet durable. */
const LIMIT_BYTES = 16 * 1024 * 1024;
/** A connection with no more than this is always read. */
const FREE_BYTES = 1024 * 1024;
/** Limit of unfinished bytes of one connection: the largest message of any tier, and a reserve. */
const CONNECTION_LIMIT_BYTES = 128 * 1024 * 1024;
/** How long one connection may be read beyond its share while others wait for the same. */
const TURN_MS = 60_000;

const TOO_MUCH = {
  condition: 'amqp:resource-limit-exceeded',
  description: `More than ${CONNECTION_LIMIT_BYTES} bytes of unfinished messages and transactions were sent on one connection.`,
} as const;
const TOO_SLOW = {
  condition: 'amqp:resource-limit-exceeded',
  description: `The rest of the messages, or the discharge of a transaction, did not come within ${TURN_MS} ms while others had to wait for it.`,
} as const;

type Held = {
  /** Halves of messages, messages for links that are not attached yet, and operations of open transactions. */
  held: number;
  /** Messages that are not yet durable. */
  submitted: number;
};

export class BackPressure {
  readonly #engine: { readonly pendingBytes: number };
  readonly #transports: ReadonlySet<Transport>;
  /** The connections with unfinished bytes, longest-held first. */
  readonly #holders = new Map<Transport, Held>();
  readonly #heldBack = new Set<Transport>();
  #heldSum = 0;
  #submittedSum = 0;
  /** The connection that is read beyond its share, so that it can finish. */
  #turn: { readonly transport: Transport; sinceMs: number | undefined } | undefined;

  constructor(engine: { readonly pendingBytes: number }, transports: ReadonlySet<Transport>) {
    this.#engine = engine;
    this.#transports = transports;
  }

  received(transport: Transport): void {
    this.#count(transport);
    if (transport.connection.heldBytes > CONNECTION_LIMIT_BYTES) transport.connection.close(TOO_MUCH);
    if (this.#isOver || this.#heldBack.size > 0) this.balance();
  }

  closed(transport: Transport): void {
    this.#heldBack.delete(transport);
    if (this.#turn?.transport === transport) this.#turn = undefined;
    this.#forget(transport);
    this.balance();
  }

  /** Stops or resumes reading. Must be called whenever the number of unfinished bytes may have fallen. */
  balance(): void {
    if (this.#holders.size === 0) return;
    // A connection that is not read may hold fewer bytes once a link is attached or a batch is durable.
    for (const transport of [...this.#holders.keys()]) this.#count(transport);
    const overShare = this.#isOver ? this.#findOverShare() : [];
    if (!overShare.some((transport) => transport === this.#turn?.transport)) {
      const next = overShare.find((transport) => canFinish(this.#holders.get(transport)));
      this.#turn = next && { transport: next, sinceMs: undefined };
    }
    const heldBack = new Set(overShare.filter((transport) => transport !== this.#turn?.transport));
    for (const transport of [...this.#heldBack]) if (!heldBack.has(transport)) this.#hold(transport, false);
    for (const transport of heldBack) if (!this.#heldBack.has(transport)) this.#hold(transport, true);
  }

  tick(nowMs: number): void {
    this.balance();
    const turn = this.#turn;
    if (turn === undefined) return;
    if (turn.sinceMs === undefined || this.#heldBack.size === 0) turn.sinceMs = nowMs;
    else if (nowMs - turn.sinceMs >= TURN_MS) turn.transport.connection.close(TOO_SLOW);
  }

  /** Pending bytes that came by other ways, such as HTTP, belong to no connection here. */
  get #isOver(): boolean {
    const pending = Math.max(this.#engine.pendingBytes, this.#submittedSum);
    return this.#heldSum + pending > LIMIT_BYTES;
  }

  /** The share is that of each connection with more than 1 MiB in the 16 MiB, and 1 MiB. */
  #findOverShare(): readonly Transport[] {
    const large = [...this.#holders].filter(([, held]) => bytesOf(held) > FREE_BYTES);
    const share = FREE_BYTES + LIMIT_BYTES / Math.max(1, large.length);
    return large.filter(([, held]) => bytesOf(held) > share).map(([transport]) => transport);
  }

  #hold(transport: Transport, isHeldBack: boolean): void {
    if (isHeldBack) this.#heldBack.add(transport);
    else this.#heldBack.delete(transport);
    if (this.#transports.has(transport)) transport.holdBack(isHeldBack);
  }

  #count(transport: Transport): void {
    const { heldBytes, submittedBytes } = transport.connection;
    const held = this.#holders.get(transport);
    if (heldBytes + submittedBytes === 0) {
      this.#forget(transport);
      return;
    }
    this.#heldSum += heldBytes - (held?.held ?? 0);
    this.#submittedSum += submittedBytes - (held?.submitted ?? 0);
    if (held === undefined) this.#holders.set(transport, { held: heldBytes, submitted: submittedBytes });
    else {
      held.held = heldBytes;
      held.submitted = submittedBytes;
    }
  }

  #forget(transport: Transport): void {
    const held = this.#holders.get(transport);
    if (held === undefined) return;
    this.#holders.delete(transport);
    this.#heldSum -= held.held;
    this.#submittedSum -= held.submitted;
  }
}

function bytesOf({ held, submitted }: Held): number {
  return held + submitted;
}

/** Whether more input helps: what is only not yet durable finishes without any. */
function canFinish(held: Held | undefined): boolean {
  return held !== undefined && held.held > held.submitted;
}
