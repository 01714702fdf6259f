// The bytes that one connection holds for its client, and whether more may be taken from it or given to it.

import { ByteBudget, type ByteShare } from '../../budget/byte-budget.js';

/** Limit of unfinished bytes of one connection: the largest message of any tier, and a reserve. */
export const MAX_UNFINISHED_BYTES = 128 * 1024 * 1024;
/** A client that has sent nothing in part is read beyond its share while no more than this waits for us, and for the client. */
const FREE_BYTES = 64 * 1024;

export class HeldBytes {
  readonly share: ByteShare;
  #partial = 0;
  #enlisted = 0;
  #submitted = 0;
  #unsent = 0;

  /** Without a share there is no limit. */
  constructor(share: ByteShare | undefined) {
    this.share = share ?? new ByteBudget({ limitBytes: Number.POSITIVE_INFINITY }).open(() => {});
  }

  /** Bytes of messages that are incomplete, came before their link was attached, or wait for the end of a transaction. */
  get unfinished(): number {
    return this.#partial + this.#enlisted;
  }

  /** Bytes of messages that are not yet durable, and of requests without an answer. */
  get submitted(): number {
    return this.#submitted;
  }

  /** Bytes of output that the socket has not passed on. */
  get unsent(): number {
    return this.#unsent;
  }

  /** Counts bytes of messages whose rest is still to come; as below, negative when they are given back. */
  addPartial(bytes: number): void {
    this.#partial += bytes;
    this.share.add(bytes);
  }

  /** Counts bytes that wait for the discharge of a transaction. */
  addEnlisted(bytes: number): void {
    this.#enlisted += bytes;
    this.share.add(bytes);
  }

  addSubmitted(bytes: number): void {
    this.#submitted += bytes;
    this.share.add(bytes);
  }

  addUnsent(bytes: number): void {
    this.#unsent += bytes;
    this.share.add(bytes);
  }

  /**
   * Whether more is read from the client: not while it holds more than its share, unless it has the turn. Settlements and discharges do
   * not wait for what transactions hold, for requests that wait, or for answers that are on their way.
   */
  get mayBeRead(): boolean {
    if (this.#partial === 0 && this.#submitted <= FREE_BYTES && this.#unsent <= FREE_BYTES) return true;
    return this.share.fits(0) || (this.canFinish && this.share.mayTake());
  }

  /** Whether more input helps: what is only not yet durable finishes without any. */
  get canFinish(): boolean {
    return this.#partial > this.#submitted;
  }
}
