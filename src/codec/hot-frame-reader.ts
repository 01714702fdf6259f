// Reads the frames that every message needs by hand: transfers, dispositions and flows. It gives the same result as the table of
// performatives, but is cheaper.

import type { Frame } from './frames.js';
import {
  type Disposition,
  type Flow,
  type Performative,
  readPerformative,
  type Transfer,
} from './performatives.js';
import { scanValue } from './scan.js';

type HotPerformative = Transfer | Disposition | Flow;

const DESCRIBED = 0x00;
const SMALL_ULONG = 0x53;
const FLOW = 0x13;
const TRANSFER = 0x14;
const DISPOSITION = 0x15;
/** The size of the descriptor. The constructor of the list follows it. */
const DESCRIPTOR_BYTES = 3;

/** Reads the performative of a frame, by hand or with the table. The payload is returned in pieces, which are not copied. */
export function readFrame({ body, rest }: Frame): { performative: Performative; payload: Buffer[] } {
  const hot = readHotFrame(body);
  if (hot !== undefined) {
    const first = body.subarray(hot.next);
    return { performative: hot.performative, payload: rest === undefined ? [first] : [first, ...rest] };
  }
  const whole = rest === undefined ? body : Buffer.concat([body, ...rest]);
  const { performative, next } = readPerformative(whole);
  return { performative, payload: [whole.subarray(next)] };
}

/**
 * Reads the performative at the start of a frame body; the payload begins at `next`. Returns undefined for everything that clients do not
 * write for every message, and for everything malformed. The table then reads or refuses it.
 */
export function readHotFrame(body: Buffer): { performative: HotPerformative; next: number } | undefined {
  if (body.length <= DESCRIPTOR_BYTES || body[0] !== DESCRIBED || body[1] !== SMALL_ULONG) return undefined;
  const code = body[2];
  if (code !== TRANSFER && code !== DISPOSITION && code !== FLOW) return undefined;
  if (!fields.enter(body, DESCRIPTOR_BYTES)) return undefined;
  const performative =
    code === TRANSFER ? readTransfer() : code === DISPOSITION ? readDisposition() : readFlow();
  return performative !== undefined && fields.isRead ? { performative, next: fields.end } : undefined;
}

function readTransfer(): Transfer | undefined {
  const handle = fields.uint();
  const deliveryId = fields.uint();
  const deliveryTag = fields.binary();
  const messageFormat = fields.uint();
  const settled = fields.boolean();
  const more = fields.boolean() ?? false;
  const rcvSettleMode = fields.ubyte();
  const state = fields.raw();
  const resume = fields.boolean() ?? false;
  const aborted = fields.boolean() ?? false;
  const batchable = fields.boolean() ?? false;
  if (handle === undefined) return undefined;
  return {
    kind: 'transfer',
    handle,
    deliveryId,
    deliveryTag,
    messageFormat,
    settled,
    more,
    rcvSettleMode,
    state,
    resume,
    aborted,
    batchable,
  };
}

function readDisposition(): Disposition | undefined {
  const role = fields.boolean();
  const first = fields.uint();
  const last = fields.uint();
  const settled = fields.boolean() ?? false;
  const state = fields.raw();
  const batchable = fields.boolean() ?? false;
  if (role === undefined || first === undefined) return undefined;
  return { kind: 'disposition', role, first, last, settled, state, batchable };
}

function readFlow(): Flow | undefined {
  const nextIncomingId = fields.uint();
  const incomingWindow = fields.uint();
  const nextOutgoingId = fields.uint();
  const outgoingWindow = fields.uint();
  const handle = fields.uint();
  const deliveryCount = fields.uint();
  const linkCredit = fields.uint();
  const available = fields.uint();
  const drain = fields.boolean() ?? false;
  const echo = fields.boolean() ?? false;
  fields.null();
  if (incomingWindow === undefined || nextOutgoingId === undefined || outgoingWindow === undefined)
    return undefined;
  return {
    kind: 'flow',
    nextIncomingId,
    incomingWindow,
    nextOutgoingId,
    outgoingWindow,
    handle,
    deliveryCount,
    linkCredit,
    available,
    drain,
    echo,
  };
}

/** The fields of a list, taken one by one. A field that is null or absent is undefined. */
class Fields {
  /** The offset behind the list. */
  end = 0;
  #body: Buffer = Buffer.alloc(0);
  #offset = 0;
  /** The number of fields not yet taken. */
  #left = 0;
  #isUsual = true;

  /** Starts with the list whose constructor is at `offset`. Returns false if there is no list that ends within the bytes. */
  enter(body: Buffer, offset: number): boolean {
    const sizeOffset = offset + 1;
    switch (body[offset]) {
      case 0xc0:
        if (sizeOffset + 2 > body.length) return false;
        this.end = sizeOffset + 1 + (body[sizeOffset] as number);
        this.#left = body[sizeOffset + 1] as number;
        this.#offset = sizeOffset + 2;
        break;
      case 0xd0:
        if (sizeOffset + 8 > body.length) return false;
        this.end = sizeOffset + 4 + body.readUInt32BE(sizeOffset);
        this.#left = body.readUInt32BE(sizeOffset + 4);
        this.#offset = sizeOffset + 8;
        break;
      default:
        return false;
    }
    this.#body = body;
    this.#isUsual = true;
    return this.end <= body.length;
  }

  /** Whether all fields were taken, and each had its usual type. */
  get isRead(): boolean {
    return this.#isUsual && this.#left === 0 && this.#offset === this.end;
  }

  uint(): number | undefined {
    if (!this.#takesNext()) return undefined;
    const at = this.#offset + 1;
    switch (this.#body[this.#offset]) {
      case 0x43:
        this.#offset = at;
        return 0;
      case 0x52:
        return this.#moves(at + 1) ? (this.#body[at] as number) : undefined;
      case 0x70:
        return this.#moves(at + 4) ? this.#body.readUInt32BE(at) : undefined;
      default:
        return this.#isUnusual();
    }
  }

  ubyte(): number | undefined {
    if (!this.#takesNext()) return undefined;
    const at = this.#offset + 1;
    if (this.#body[this.#offset] !== 0x50) return this.#isUnusual();
    return this.#moves(at + 1) ? (this.#body[at] as number) : undefined;
  }

  boolean(): boolean | undefined {
    if (!this.#takesNext()) return undefined;
    const at = this.#offset + 1;
    switch (this.#body[this.#offset]) {
      case 0x41:
        this.#offset = at;
        return true;
      case 0x42:
        this.#offset = at;
        return false;
      case 0x56: {
        if (!this.#moves(at + 1)) return undefined;
        const value = this.#body[at] as number;
        return value > 1 ? this.#isUnusual() : value === 1;
      }
      default:
        return this.#isUnusual();
    }
  }

  binary(): Buffer | undefined {
    if (!this.#takesNext()) return undefined;
    const at = this.#offset + 1;
    const code = this.#body[this.#offset];
    if (code === 0xa0 && at < this.end) return this.#bytes(at + 1, this.#body[at] as number);
    if (code === 0xb0 && at + 4 <= this.end) return this.#bytes(at + 4, this.#body.readUInt32BE(at));
    return this.#isUnusual();
  }

  /** Takes any value and leaves it encoded. */
  raw(): Buffer | undefined {
    if (!this.#takesNext()) return undefined;
    const start = this.#offset;
    try {
      this.#offset = scanValue(this.#body, start, this.end);
    } catch {
      return this.#isUnusual();
    }
    return this.#body.subarray(start, this.#offset);
  }

  /** Takes a null field. Any other value can be read only with the table. */
  null(): void {
    if (this.#takesNext()) this.#isUnusual();
  }

  /** Whether there is another field, and it is not null. */
  #takesNext(): boolean {
    if (this.#left === 0 || !this.#isUsual) return false;
    this.#left--;
    if (this.#offset >= this.end) {
      this.#isUsual = false;
      return false;
    }
    if (this.#body[this.#offset] !== 0x40) return true;
    this.#offset++;
    return false;
  }

  #bytes(start: number, length: number): Buffer | undefined {
    return this.#moves(start + length) ? this.#body.subarray(start, start + length) : undefined;
  }

  /** Moves on, if `next` is still within the list. */
  #moves(next: number): boolean {
    if (next > this.end) this.#isUsual = false;
    else this.#offset = next;
    return this.#isUsual;
  }

  #isUnusual(): undefined {
    this.#isUsual = false;
    return undefined;
  }
}

/** Reused for every frame, because each is read completely within one call. */
const fields = new Fields();
