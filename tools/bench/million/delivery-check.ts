// Whether messages came once each and in the order in which the broker must have chosen them, seen by several receivers at once.

export type CheckOptions = {
  readonly messageCount: number;
  readonly receiverCount: number;
  /** The most that may be on the way to one receiver. */
  readonly receiverCredit: number;
};

export class DeliveryCheck {
  readonly #options: CheckOptions;
  readonly #hasCome: Uint8Array;
  readonly #lastOfReceiver: number[];
  #count = 0;
  #highest = 0;

  constructor(options: CheckOptions) {
    this.#options = options;
    this.#hasCome = new Uint8Array(options.messageCount + 1);
    this.#lastOfReceiver = new Array<number>(options.receiverCount).fill(0);
  }

  get count(): number {
    return this.#count;
  }

  /** Throws at the first delivery that should not be; sequence numbers start at 1. */
  delivered(receiver: number, sequenceNumber: number): void {
    const isGiven = sequenceNumber >= 1 && sequenceNumber <= this.#options.messageCount;
    if (!isGiven) throw new Error(`number ${sequenceNumber} was never given`);
    if (this.#hasCome[sequenceNumber] !== 0) throw new Error(`number ${sequenceNumber} came twice`);
    const last = this.#lastOfReceiver[receiver] ?? 0;
    if (sequenceNumber < last) {
      throw new Error(`number ${sequenceNumber} came to receiver ${receiver} after number ${last}`);
    }
    this.#hasCome[sequenceNumber] = 1;
    this.#lastOfReceiver[receiver] = sequenceNumber;
    this.#count += 1;
    this.#highest = Math.max(this.#highest, sequenceNumber);
    this.#checkPassedOver(sequenceNumber);
  }

  /** What was chosen before and has not come can only be on the way to the other receivers. */
  #checkPassedOver(sequenceNumber: number): void {
    const { receiverCount, receiverCredit } = this.#options;
    const passedOverCount = this.#highest - this.#count;
    if (passedOverCount <= (receiverCount - 1) * receiverCredit) return;
    throw new Error(`at number ${sequenceNumber}, ${passedOverCount} earlier ones had been passed over`);
  }
}
