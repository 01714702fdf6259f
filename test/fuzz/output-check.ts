// What a server may write, whatever it was sent: well-formed AMQP, frames in an order that makes sense, and nothing behind the end.

import type { Tally } from '../simulation/tally.js';
import { type Decoded, decodeAt } from '../support/frame-decoder.js';
import { type ReadList, readList } from '../support/frame-lists.js';
import { ReceivedMessage } from '../support/frame-message.js';

const HEADER_BYTES = 8;
const SMALLEST_FRAME = 512;
const AMQP = 0;
const SASL = 1;

type Delivery = { readonly isSettled: boolean; pieces: Buffer[] };
type LinkSeen = { readonly isReceiver: boolean; partial: Delivery | undefined };
type SessionSeen = { readonly links: Map<number, LinkSeen>; nextDeliveryId: number };

export type OutputShape = {
  /** The client's max-frame-size. */
  readonly maxFrameSize: number;
  /** Whether what is delivered must be messages. */
  readonly areMessagesChecked: boolean;
  /** Gets the names of what was written, with conditions and outcomes. */
  readonly tally: Tally;
};

/** Reads everything a server wrote on one connection; throws at what it may not write. */
export class OutputCheck {
  readonly #shape: OutputShape;
  readonly #sessions = new Map<number, SessionSeen>();
  #layer: 'none' | 'sasl' | 'sasl-over' | 'amqp' | 'opened' | 'closed' = 'none';
  /** The error in a close; undefined when there was none. */
  closeError: Decoded | undefined;

  constructor(shape: OutputShape) {
    this.#shape = shape;
  }

  get isClosed(): boolean {
    return this.#layer === 'closed';
  }

  get isOpened(): boolean {
    return this.#layer === 'opened' || this.#layer === 'closed';
  }

  /** All of the output. */
  check(output: Buffer): void {
    const rest = this.checkStart(output);
    must(rest === 0, `a frame of which ${rest} bytes came`);
  }

  /** The output of a server that may have been cut off; answers how many bytes at the end make up no frame. */
  checkStart(output: Buffer): number {
    let start = 0;
    while (start + HEADER_BYTES <= output.length) {
      const isHeader = output.toString('latin1', start, start + 4) === 'AMQP';
      const size = isHeader ? HEADER_BYTES : output.readUInt32BE(start);
      must(size >= HEADER_BYTES, `a frame of ${size} bytes`);
      if (start + size > output.length) break;
      const bytes = output.subarray(start, start + size);
      if (isHeader) this.#onHeader(bytes);
      else this.#onFrame(bytes);
      start += size;
    }
    return output.length - start;
  }

  #onHeader(bytes: Buffer): void {
    const protocol = bytes[4];
    must(bytes.toString('hex', 5) === '010000', `a header of version ${bytes.toString('hex', 5)}`);
    if (protocol === 3) {
      must(this.#layer === 'none', 'a second SASL header');
      this.#layer = 'sasl';
    } else {
      must(protocol === 0, `a header of protocol ${protocol}`);
      must(this.#layer === 'none' || this.#layer === 'sasl-over', `an AMQP header in layer ${this.#layer}`);
      this.#layer = 'amqp';
    }
  }

  #onFrame(bytes: Buffer): void {
    const isLayerOfSasl = this.#layer === 'sasl';
    must(bytes[4] === 2, `a frame with its body at ${bytes[4]}`);
    must(bytes[5] === (isLayerOfSasl ? SASL : AMQP), `a frame of type ${bytes[5]} in layer ${this.#layer}`);
    const { maxFrameSize } = this.#shape;
    const limit = this.#layer === 'opened' ? Math.max(SMALLEST_FRAME, maxFrameSize) : 65_536;
    must(bytes.length <= limit, `a frame of ${bytes.length} bytes, ${limit} are taken`);
    if (bytes.length === HEADER_BYTES) return;
    const { value, next } = decodeAt(bytes, HEADER_BYTES);
    const list = readList(value);
    this.#shape.tally.note(summaryOf(list));
    const payload = bytes.subarray(next);
    must(list.name === 'transfer' || payload.length === 0, `${list.name} with a payload`);
    if (isLayerOfSasl) this.#onSasl(list);
    else this.#onPerformative(list, bytes.readUInt16BE(6), payload);
  }

  #onSasl({ name }: ReadList): void {
    must(name === 'sasl-mechanisms' || name === 'sasl-outcome', `${name} among SASL frames`);
    if (name === 'sasl-outcome') this.#layer = 'sasl-over';
  }

  #onPerformative(list: ReadList, channel: number, payload: Buffer): void {
    if (list.name === 'open') {
      must(this.#layer === 'amqp' && channel === 0, `an open in layer ${this.#layer}`);
      must(list.positions.length === 10, 'an open without all its fields');
      this.#layer = 'opened';
      return;
    }
    must(this.#layer === 'opened', `${list.name} in layer ${this.#layer}`);
    if (list.name === 'close') {
      this.#layer = 'closed';
      this.closeError = list.field('error')?.type === 'described' ? list.field('error') : undefined;
    } else if (list.name === 'begin') {
      must(!this.#sessions.has(channel), `a second begin on channel ${channel}`);
      must(numberAt(list, 'remoteChannel') === channel, 'a begin for another channel');
      this.#sessions.set(channel, { links: new Map(), nextDeliveryId: numberAt(list, 'nextOutgoingId') });
    } else {
      this.#onSession(list, channel, payload);
    }
  }

  #onSession(list: ReadList, channel: number, payload: Buffer): void {
    const session = this.#sessions.get(channel);
    if (session === undefined) throw new Error(`${list.name} on channel ${channel}, which has no session`);
    switch (list.name) {
      case 'end':
        this.#sessions.delete(channel);
        return;
      case 'attach':
        return attach(session, list);
      case 'disposition':
        must(list.field('settled')?.value === true, 'a disposition that does not settle');
        must(list.field('state')?.type === 'described', 'a disposition without a state');
        return;
      case 'flow':
        if (list.field('handle')?.type === 'uint') linkOf(session, list);
        return;
      case 'detach':
        linkOf(session, list);
        session.links.delete(numberAt(list, 'handle'));
        return;
      case 'transfer':
        return this.#onTransfer(session, list, payload);
      default:
        throw new Error(`${list.name} from a server`);
    }
  }

  #onTransfer(session: SessionSeen, list: ReadList, payload: Buffer): void {
    const link = linkOf(session, list);
    must(!link.isReceiver, 'a transfer on a link that receives');
    const isSettled = list.field('settled')?.value === true;
    if (link.partial === undefined) {
      must(numberAt(list, 'deliveryId') === session.nextDeliveryId, 'a delivery-id out of turn');
      must(list.field('deliveryTag')?.type === 'binary', 'a delivery without a tag');
      session.nextDeliveryId = (session.nextDeliveryId + 1) >>> 0;
      link.partial = { isSettled, pieces: [] };
    }
    must(link.partial.isSettled === isSettled, 'a delivery that is settled half-way');
    link.partial.pieces.push(payload);
    if (list.field('more')?.value === true) return;
    if (this.#shape.areMessagesChecked) new ReceivedMessage(Buffer.concat(link.partial.pieces));
    link.partial = undefined;
  }
}

function summaryOf({ name, field }: ReadList): string {
  const detail = ['detach', 'end', 'close'].includes(name)
    ? field('error')
    : name === 'disposition'
      ? field('state')
      : undefined;
  if (name === 'sasl-outcome') return `${name}: ${field('code')?.value}`;
  if (detail?.type !== 'described') return name;
  const list = readList(detail);
  return `${name}: ${list.name === 'error' ? list.field('condition')?.value : list.name}`;
}

function attach({ links }: SessionSeen, list: ReadList): void {
  const handle = numberAt(list, 'handle');
  must(!links.has(handle), `a second attach of handle ${handle}`);
  must(list.positions.length === 14, 'an attach without all its fields');
  must(list.field('properties')?.type === 'map', 'an attach without properties');
  links.set(handle, { isReceiver: list.field('role')?.value === true, partial: undefined });
}

function linkOf({ links }: SessionSeen, list: ReadList): LinkSeen {
  const handle = numberAt(list, 'handle');
  const link = links.get(handle);
  if (link === undefined) throw new Error(`${list.name} on handle ${handle}, which has no link`);
  return link;
}

function numberAt(list: ReadList, name: string): number {
  const value = list.field(name)?.value;
  if (typeof value !== 'number') throw new Error(`${list.name} without ${name}`);
  return value;
}

function must(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(`the server wrote ${what}`);
}
