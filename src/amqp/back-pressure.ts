// Back-pressure: stops reading from all connections while more than 64 MiB is not yet durable, and makes sure that reading resumes.

import type { Transport } from './transport.js';

/** Limit of unfinished bytes of all connections, above which nothing is read: not yet durable, half received, or waiting for a link or a discharge. */
const LIMIT_BYTES = 64 * 1024 * 1024;
/** Limit of unfinished bytes of one connection: the largest message of any tier, and a reserve. */
const CONNECTION_LIMIT_BYTES = 128 * 1024 * 1024;
/** How long all other connections wait for the rest of one message. */
const STALLED_MS = 30_000;

const TOO_MUCH = {
  condition: 'amqp:resource-limit-exceeded',
  description: `More than ${CONNECTION_LIMIT_BYTES} bytes of unfinished messages and transactions were sent on one connection.`,
} as const;
const STALLED = {
  condition: 'amqp:resource-limit-exceeded',
  description: `The rest of a message, or the discharge of a transaction, did not come within ${STALLED_MS} ms while others had to wait for it.`,
} as const;

export class BackPressure {
  readonly #engine: { readonly pendingBytes: number };
  readonly #transports: ReadonlySet<Transport>;
  /** Unfinished bytes by connection, longest-held first. */
  readonly #heldBytes = new Map<Transport, number>();
  #heldSum = 0;
  #isHoldingBack = false;
  /** The one connection that is read while all others are held back. */
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

  /** Stops or resumes reading. Must be called whenever the number of unfinished bytes may have changed. */
  balance(): void {
    const { pendingBytes } = this.#engine;
    if (this.#isHoldingBack) this.#recount();
    const isOver = pendingBytes + this.#heldSum > LIMIT_BYTES;
    if (isOver !== this.#isHoldingBack) {
      this.#isHoldingBack = isOver;
      for (const transport of this.#transports) transport.holdBack(isOver);
      this.#exempt = undefined;
    }
    // If only unfinished messages are held, the rest of one of them must be read.
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

  /** Counts again, because a connection that is not read may hold fewer bytes once a link is attached. */
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
