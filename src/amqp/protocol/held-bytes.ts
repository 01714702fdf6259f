// The bytes that one connection holds for its client, and whether more may be taken from it or given to it.

import { ByteBudget, type ByteShare } from '../../budget/byte-budget.js';

/** The most unfinished bytes of one connection: the largest message of any tier, and a reserve. */
export const MAX_UNFINISHED_BYTES = 128 * 1024 * 1024;
/** We read from a client beyond its share while it has sent nothing unfinished and no more than this waits for us, and for the client. */
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

  /** Counts bytes of messages that have not arrived in full; as below, negative when they are given back. */
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
   * Whether we read more from the client: not while it holds more than its share, unless it has the turn. Transactions, requests that
   * wait, and answers on their way do not stop us from reading settlements and discharges.
   */
  get mayBeRead(): boolean {
    if (this.#partial === 0 && this.#submitted <= FREE_BYTES && this.#unsent <= FREE_BYTES) return true;
    return this.share.fits(0) || (this.canFinish && this.share.mayTake());
  }

  /** Whether more input would free memory. Messages that only wait to be durable need none. */
  get canFinish(): boolean {
    return this.#partial > this.#submitted;
  }
}
