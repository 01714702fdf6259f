// The txn-id that clients are given: a number of the broker's, and what no other run of the emulator has.

/** A number under which the broker knows no transaction. */
const UNKNOWN = -1;
const LIFE_BYTES = 8;
const ID_BYTES = 16;

export class TransactionIds {
  readonly #life: Buffer;

  /** Ids of an earlier run, which a client may still use, are unknown. */
  constructor(guid: string) {
    this.#life = Buffer.from(guid.replaceAll('-', ''), 'hex').subarray(0, LIFE_BYTES);
  }

  encode(transactionId: number): Buffer {
    const id = Buffer.alloc(ID_BYTES);
    this.#life.copy(id);
    id.writeBigUInt64BE(BigInt(transactionId), LIFE_BYTES);
    return id;
  }

  /** Answers a number that no transaction has when it is none of these ids. */
  decode(id: Uint8Array): number {
    const bytes = Buffer.from(id.buffer, id.byteOffset, id.length);
    if (bytes.length !== ID_BYTES || !bytes.subarray(0, LIFE_BYTES).equals(this.#life)) return UNKNOWN;
    return Number(bytes.readBigUInt64BE(LIFE_BYTES));
  }
}
