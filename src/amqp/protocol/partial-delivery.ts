// A delivery whose transfers are still coming in: its pieces, in few buffers however small the frames are (AMQP 2.6.14).

import { type DeliveryState, decodeState } from '../../codec/delivery-state.js';
import type { Transfer } from '../../codec/performatives.js';

/** Pieces are joined when there are so many: a frame of one byte must not cost a hundred. */
const MAX_LOOSE_PIECES = 64;

export class PartialDelivery {
  readonly deliveryId: number;
  readonly messageFormat: number;
  isSettled = false;
  /** More than was allowed has come, and was thrown away. */
  isTooLarge = false;
  #joined: Buffer[] = [];
  #loose: Buffer[] = [];
  #byteLength = 0;
  #encodedState: Buffer | undefined;
  #state: DeliveryState | undefined;

  constructor(deliveryId: number, first: Transfer) {
    this.deliveryId = deliveryId;
    this.messageFormat = first.messageFormat ?? 0;
  }

  get state(): DeliveryState | undefined {
    return this.#state;
  }

  /** A transfer of it says this; .NET says it with the first alone, proton with each. False when another said something else. */
  addState(encoded: Buffer | undefined): boolean {
    if (encoded === undefined) return true;
    if (this.#encodedState !== undefined) return this.#encodedState.equals(encoded);
    this.#encodedState = encoded;
    this.#state = decodeState(encoded);
    return true;
  }

  get byteLength(): number {
    return this.#byteLength;
  }

  append(piece: Buffer, maxBytes: number): void {
    if (this.isTooLarge || piece.length === 0) return;
    if (this.#byteLength + piece.length > maxBytes) {
      this.isTooLarge = true;
      this.#joined = [];
      this.#loose = [];
      this.#byteLength = 0;
      return;
    }
    this.#byteLength += piece.length;
    this.#loose.push(piece);
    if (this.#loose.length < MAX_LOOSE_PIECES) return;
    this.#joined.push(Buffer.concat(this.#loose));
    this.#loose = [];
  }

  /** Everything in one; not copied when it came in one piece. */
  payload(): Buffer {
    const pieces = [...this.#joined, ...this.#loose];
    const [only] = pieces;
    return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces, this.#byteLength);
  }
}
