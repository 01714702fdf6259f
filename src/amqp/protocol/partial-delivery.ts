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
  /** The only piece: most messages come in one. */
  #first: Buffer | undefined;
  #gathered: GatheredBytes | undefined;
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

  /** The bytes that are kept. */
  get byteLength(): number {
    return this.#gathered?.byteLength ?? this.#first?.length ?? 0;
  }

  /** `isKept`: more transfers follow, so the piece stays in memory longer than the read that it came in. */
  append(piece: Buffer, maxBytes: number, isKept: boolean): void {
    this.receivedBytes += piece.length;
    if (this.isTooLarge || piece.length === 0) return;
    if (this.byteLength + piece.length > maxBytes) {
      this.isTooLarge = true;
      this.drop();
      return;
    }
    if (this.#first === undefined && this.#gathered === undefined) {
      this.#first = isKept ? compacted(piece) : piece;
      return;
    }
    this.#gathered ??= this.#gather();
    this.#gathered.append(piece, isKept);
  }

  /** Gives back the memory of all pieces. */
  drop(): void {
    this.#gathered?.drop();
    this.#gathered = undefined;
    this.#first = undefined;
  }

  /** Takes the whole payload; not copied when it came in one piece. */
  payload(): Buffer {
    return this.#gathered?.take() ?? this.#first ?? NOTHING;
  }

  #gather(): GatheredBytes {
    const gathered = new GatheredBytes();
    if (this.#first !== undefined) gathered.append(this.#first, false);
    this.#first = undefined;
    return gathered;
  }
}
