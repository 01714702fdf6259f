// A delivery whose transfers are still arriving: its pieces, its state, and whether it is too large (AMQP 2.6.14).

import { type DeliveryState, decodeState } from '../../codec/delivery-state.js';
import { compacted, GatheredBytes } from '../../codec/gathered-bytes.js';
import type { Transfer } from '../../codec/performatives.js';

const NOTHING = Buffer.alloc(0);

export class PartialDelivery {
  readonly deliveryId: number;
  readonly messageFormat: number;
  isSettled = false;
  /** Whether more than the limit has arrived. The payload is then dropped. */
  isTooLarge = false;
  /** The pieces in the read that is being handled, or the copy of an only piece. Most messages have only one piece. */
  #fresh: Buffer[] = [];
  #freshBytes = 0;
  /** Copies of the pieces in earlier reads. */
  #kept: GatheredBytes | undefined;
  /** The bytes of all its pieces, kept or dropped. */
  receivedBytes = 0;
  #encodedState: Buffer | undefined;
  #state: DeliveryState | undefined;

  constructor(deliveryId: number, first: Transfer) {
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
    if (only === undefined) return;
    if (this.#kept === undefined && this.#fresh.length === 1) this.#fresh = [compacted(only)];
    else this.#gather(true);
  }

  /** Gives back the memory of all pieces. */
  drop(): void {
    this.#kept?.drop();
    this.#kept = undefined;
    this.#fresh = [];
    this.#freshBytes = 0;
  }

  /** Takes the whole payload; not copied when it came in one piece. */
  payload(): Buffer {
    const [only = NOTHING] = this.#fresh;
    const isWhole = this.#kept === undefined && this.#fresh.length <= 1;
    const payload = isWhole ? only : this.#gather(false).take();
    this.drop();
    return payload;
  }

  #gather(isKept: boolean): GatheredBytes {
    this.#kept ??= new GatheredBytes();
    for (const piece of this.#fresh) this.#kept.append(piece, isKept);
    this.#fresh = [];
    this.#freshBytes = 0;
    return this.#kept;
  }
}
