// Holds all connections back while too much has come in that is not yet durable, and sees to it that this ends.

import type { Transport } from './transport.js';

/** Bytes not yet durable, half received, waiting for a link or for the end of their transaction, over all connections, beyond which nothing is read. */
const LIMIT_BYTES = 64 * 1024 * 1024;
/** What one connection may leave unfinished: the largest message of any tier, and some more. */
const CONNECTION_LIMIT_BYTES = 128 * 1024 * 1024;
/** How long all others wait for the rest of one message. */
const STALLED_MS = 30_000;

const TOO_MUCH = {
  condition: 'amqp:resource-limit-exceeded',
  description: `More than ${CONNECTION_LIMIT_BYTES} bytes of unfinished messages and transactions were sent on one connection.`,
} as const;
const STALLED = {
  condition: 'amqp:resource-limit-exceeded',
  description: `The rest of a message, or the discharge of a transaction, did not come within ${STALLED_MS} ms while others had to wait for it.`,
} as const;

export class Ingress {
  readonly #engine: { readonly pendingBytes: number };
  readonly #transports: ReadonlySet<Transport>;
  /** Connections that hold parts of messages, the longest-waiting first. */
  readonly #heldBytes = new Map<Transport, number>();
  #heldSum = 0;
  #isHoldingBack = false;
  /** The one connection that is read though all others are held back. */
  #exempt: Transport | undefined;
  #exemptSince: { readonly bytes: number; readonly ms: number } | undefined;

  constructor(engine: { readonly pendingBytes: number }, transports: ReadonlySet<Transport>) {
    this.#engine = engine;
    this.#transports = transports;
  }

  opened(transport: Transport): void {
    if (this.#isHoldingBack) transport.holdBack(true);
  }

  received(transport: Transport): void {
    const { heldBytes } = transport.connection;
    this.#count(transport, heldBytes);
    if (heldBytes > CONNECTION_LIMIT_BYTES) transport.connection.close(TOO_MUCH);
    this.balance();
  }

  closed(transport: Transport): void {
    this.#count(transport, 0);
    if (this.#exempt === transport) this.#exempt = undefined;
    this.balance();
  }

  /** To be called whenever what waits may have become more or less. */
  balance(): void {
    const { pendingBytes } = this.#engine;
    if (this.#isHoldingBack) this.#recount();
    const isOver = pendingBytes + this.#heldSum > LIMIT_BYTES;
    if (isOver !== this.#isHoldingBack) {
      this.#isHoldingBack = isOver;
      for (const transport of this.#transports) transport.holdBack(isOver);
      this.#exempt = undefined;
    }
    // When all that waits is parts of messages, only the rest of one of them helps.
    const [oldest] = isOver && pendingBytes === 0 ? this.#heldBytes.keys() : [];
    if (oldest === this.#exempt) return;
    if (isOver) this.#exempt?.holdBack(true);
    this.#exempt = oldest;
    this.#exemptSince = undefined;
    oldest?.holdBack(false);
  }

  tick(nowMs: number): void {
    this.balance();
    const bytes = this.#exempt === undefined ? undefined : this.#heldBytes.get(this.#exempt);
    if (bytes === undefined) this.#exemptSince = undefined;
    else if (bytes !== this.#exemptSince?.bytes) this.#exemptSince = { bytes, ms: nowMs };
    else if (nowMs - this.#exemptSince.ms >= STALLED_MS) this.#exempt?.connection.close(STALLED);
  }

  /** A connection that is not read may still hold less, when a link was attached. */
  #recount(): void {
    for (const transport of [...this.#heldBytes.keys()])
      this.#count(transport, transport.connection.heldBytes);
  }

  #count(transport: Transport, heldBytes: number): void {
    const counted = this.#heldBytes.get(transport) ?? 0;
    if (counted === heldBytes) return;
    this.#heldSum += heldBytes - counted;
    if (heldBytes > 0) this.#heldBytes.set(transport, heldBytes);
    else this.#heldBytes.delete(transport);
  }
}
