// A delivery whose transfers are still arriving. Joins its pieces into few buffers, however small the frames are (AMQP 2.6.14).

import { type DeliveryState, decodeState } from '../../codec/delivery-state.js';
import type { Transfer } from '../../codec/performatives.js';

/** This many pieces are joined into one, because the object of a one-byte piece takes a hundred bytes. */
const MAX_LOOSE_PIECES = 64;
const NOTHING = Buffer.alloc(0);

export class PartialDelivery {
  readonly deliveryId: number;
  readonly messageFormat: number;
  isSettled = false;
  /** Whether more than the limit has arrived. The payload is then dropped. */
  isTooLarge = false;
  /** Joined pieces, and behind them loose ones. */
  #pieces: Buffer[] = [];
  #joinedCount = 0;
  #byteLength = 0;
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

  get byteLength(): number {
    return this.#byteLength;
  }

  /** `isKept`: more transfers follow, so that the piece stays beyond the read that it came in. */
  append(given: Buffer, maxBytes: number, isKept: boolean): void {
    const piece = isKept ? compacted(given) : given;
    this.receivedBytes += piece.length;
    if (this.isTooLarge || piece.length === 0) return;
    if (this.#byteLength + piece.length > maxBytes) {
      this.isTooLarge = true;
      this.#pieces = [];
      this.#byteLength = 0;
      return;
    }
    this.#byteLength += piece.length;
    this.#pieces.push(piece);
    if (this.#pieces.length - this.#joinedCount < MAX_LOOSE_PIECES) return;
    this.#pieces.push(Buffer.concat(this.#pieces.splice(this.#joinedCount)));
    this.#joinedCount += 1;
  }

  /** The whole payload; not copied when it came in one piece. */
  payload(): Buffer {
    const [first = NOTHING] = this.#pieces;
    return this.#pieces.length <= 1 ? first : Buffer.concat(this.#pieces, this.#byteLength);
  }
}

/** A copy of a piece that would keep a read in memory of which it is less than half; otherwise the piece. */
export function compacted(piece: Buffer): Buffer {
  if (piece.length * 2 >= piece.buffer.byteLength) return piece;
  const copy = Buffer.allocUnsafeSlow(piece.length);
  piece.copy(copy);
  return copy;
}
