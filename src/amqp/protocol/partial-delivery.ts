// A delivery whose transfers are still arriving: its pieces, its state, and whether it is too large (AMQP 2.6.14).

import { type DeliveryState, decodeState } from '../../codec/delivery-state.js';
import { GatheredBytes } from '../../codec/gathered-bytes.js';
import type { Transfer } from '../../codec/performatives.js';
import { LEAST_IN_BLOCK_BYTES, type ReusedBlocks } from '../../codec/reused-blocks.js';
import { compacted } from '../../codec/small-part.js';

const NOTHING = Buffer.alloc(0);

export class PartialDelivery {
  readonly deliveryId: number;
  readonly messageFormat: number;
  isSettled = false;
  /** Whether more than the limit has arrived. The payload is then dropped. */
  isTooLarge = false;
  readonly #blocks: ReusedBlocks | undefined;
  /** The copy of all pieces in earlier reads, in a block or in memory of its own, and the pieces in the read that is being handled. */
  #fresh: Buffer[] = [];
  #freshBytes = 0;
  /** Has the first of these pieces. */
  #block: Buffer | undefined;
  /** Copies of the pieces in earlier reads, if there is no block for them. */
  #kept: GatheredBytes | undefined;
  /** The bytes of all its pieces, kept or dropped. */
  receivedBytes = 0;
  #encodedState: Buffer | undefined;
  #state: DeliveryState | undefined;

  /** Without `blocks`, the pieces are kept in memory of their own. */
  constructor(deliveryId: number, first: Transfer, blocks?: ReusedBlocks) {
    this.#blocks = blocks;
    this.deliveryId = deliveryId;
    this.messageFormat = first.messageFormat ?? 0;
  }

  get state(): DeliveryState | undefined {
    return this.#state;
  }

  /** Adds the state of a transfer; .NET sends it with the first alone, proton with each. False when it contradicts an earlier one. */
  addState(encoded: Buffer | undefined): boolean {
    if (encoded === undefined) return true;
    if (this.#encodedState !== undefined) return this.#encodedState.equals(encoded);
    this.#encodedState = compacted(encoded);
    this.#state = decodeState(this.#encodedState);
    return true;
  }

  /** The bytes of the pieces that were not dropped. */
  get byteLength(): number {
    return this.#freshBytes + (this.#kept?.byteLength ?? 0);
  }

  append(piece: Buffer, maxBytes: number): void {
    this.receivedBytes += piece.length;
    if (this.isTooLarge || piece.length === 0) return;
    if (this.byteLength + piece.length > maxBytes) {
      this.isTooLarge = true;
      this.drop();
      return;
    }
    // An array of one piece takes less memory than one that grows.
    if (this.#fresh.length === 0) this.#fresh = [piece];
    else this.#fresh.push(piece);
    this.#freshBytes += piece.length;
  }

  /** Copies the pieces of the read that has been handled, whose memory is used for the next one. */
  keep(): void {
    const [only] = this.#fresh;
    if (only === undefined || this.#joinInBlock()) return;
    if (this.#kept === undefined && this.#fresh.length === 1) this.#fresh = [compacted(only)];
    else this.#gather(true);
  }

  /** Gives its block to others, because the rest of the message may come late. */
  release(): void {
    if (this.#block !== undefined) this.#gather(true);
  }

  /** Gives back the memory of all pieces. */
  drop(): void {
    this.#kept?.drop();
    this.#kept = undefined;
    this.#fresh = [];
    this.#freshBytes = 0;
    this.#giveBlock();
  }

  /**
   * The whole payload, valid until `drop`; not copied when it came in one piece. `isKept`: the caller keeps it, so several pieces are joined
   * in memory of their own size, and not in a block, from which they would be copied again.
   */
  payload(isKept = false): Buffer {
    if (this.#fresh.length > 1 && !(isKept && this.#joinInOwnMemory())) this.#joinInBlock();
    const [only = NOTHING] = this.#fresh;
    const isWhole = this.#kept === undefined && this.#fresh.length <= 1;
    return isWhole ? only : this.#gather(false).take();
  }

  /** Joins all pieces in a block; false if they lie elsewhere, are too few bytes to need one, or too many. */
  #joinInBlock(): boolean {
    if (this.#kept !== undefined || this.#freshBytes < LEAST_IN_BLOCK_BYTES) return false;
    const isBegun = this.#block !== undefined;
    this.#block ??= this.#blocks?.take();
    const block = this.#block;
    if (block === undefined || this.#freshBytes > block.length) return false;
    let end = 0;
    for (const [index, piece] of this.#fresh.entries()) {
      if (index > 0 || !isBegun) piece.copy(block, end);
      end += piece.length;
    }
    this.#fresh = [block.subarray(0, end)];
    return true;
  }

  /** Joins all pieces in memory of their size; false if earlier ones lie elsewhere. */
  #joinInOwnMemory(): boolean {
    if (this.#kept !== undefined) return false;
    const whole = Buffer.allocUnsafeSlow(this.#freshBytes);
    let end = 0;
    for (const piece of this.#fresh) end += piece.copy(whole, end);
    this.#fresh = [whole];
    return true;
  }

  #giveBlock(): void {
    if (this.#block !== undefined) this.#blocks?.give(this.#block);
    this.#block = undefined;
  }

  #gather(isKept: boolean): GatheredBytes {
    this.#kept ??= new GatheredBytes();
    for (const piece of this.#fresh) this.#kept.append(piece, isKept);
    this.#fresh = [];
    this.#freshBytes = 0;
    // Copied: pieces that are not kept are joined at once.
    if (isKept) this.#giveBlock();
    return this.#kept;
  }
}
