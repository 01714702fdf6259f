// The sending half of a session: cuts deliveries into frames within the peer's window and keeps the unsettled ones.

import type { DeliveryState } from '../../codec/delivery-state.js';
import { TRANSFER_OVERHEAD_BYTES, writeTransfer } from '../../codec/hot-frames.js';
import type { Flow } from '../../codec/performatives.js';
import type { OutgoingDelivery, ReceiverLink } from './receiver-link.js';
import { add, difference } from './serial.js';
import type { Session } from './session.js';

type PendingDelivery = {
  readonly kind: 'delivery';
  readonly link: ReceiverLink;
  readonly deliveryId: number;
  readonly delivery: OutgoingDelivery;
  /** What is not written yet; pieces are cut as frames go out. */
  rest: Buffer[];
  restBytes: number;
  isFirst: boolean;
};

/** What is said of a link only once its deliveries have been written. */
type PendingWord = { readonly kind: 'word'; readonly link: ReceiverLink; readonly say: () => void };

type Unsettled = { readonly link: ReceiverLink; readonly context: string };

/** What the client says of the deliveries `first` to `last`. */
export type ClientWords = {
  readonly first: number;
  readonly last: number;
  readonly state: DeliveryState | undefined;
  readonly isSettled: boolean;
};

/** Unsettled deliveries of a session, from which on those of links that are gone are forgotten; no SDK prefetches as many. */
const MAX_UNSETTLED = 5000;

export class OutgoingTransfers {
  /** By delivery id, in the order they were sent. A long-held one holds up nothing, and outlives its link (AMQP 2.6.12). */
  readonly unsettled = new Map<number, Unsettled>();
  readonly #session: Session;
  #pending: (PendingDelivery | PendingWord)[] = [];
  readonly #firstId: number;
  #nextId: number;
  #nextDeliveryId: number;
  #window: number;

  constructor(session: Session, remoteIncomingWindow: number) {
    this.#session = session;
    this.#firstId = session.connection.firstOutgoingId;
    this.#nextId = this.#firstId;
    this.#nextDeliveryId = this.#firstId;
    this.#window = remoteIncomingWindow;
  }

  /** The transfer id of the next frame. */
  get nextId(): number {
    return this.#nextId;
  }

  /** Transfers that would be written at once. */
  get room(): number {
    return this.#pending.length === 0 ? this.#window : 0;
  }

  /** A peer without a next-incoming-id has not seen our begin: its window counts from our first id (AMQP 2.5.6). */
  setWindow(flow: Flow): void {
    const inFlight = difference(this.#nextId, flow.nextIncomingId ?? this.#firstId);
    this.#window = Math.max(0, flow.incomingWindow - Math.max(0, inFlight));
  }

  send(link: ReceiverLink, delivery: OutgoingDelivery): void {
    const deliveryId = this.#nextDeliveryId;
    this.#nextDeliveryId = add(deliveryId, 1);
    if (!delivery.isSettled) this.unsettled.set(deliveryId, { link, context: delivery.context });
    let restBytes = 0;
    for (const piece of delivery.payload) restBytes += piece.length;
    const rest = [...delivery.payload];
    this.#pending.push({ kind: 'delivery', link, deliveryId, delivery, rest, restBytes, isFirst: true });
    this.pump();
  }

  /** Says it now, or behind the deliveries of the link that wait for the window. */
  whenSent(link: ReceiverLink, say: () => void): void {
    if (this.#pending.some((each) => each.link === link)) this.#pending.push({ kind: 'word', link, say });
    else say();
  }

  /** Writes what the window lets through. */
  pump(): void {
    for (let head = this.#pending[0]; head !== undefined; head = this.#pending[0]) {
      if (head.kind === 'delivery') {
        if (this.#window === 0) return;
        if (this.#writeFrame(head)) this.#pending.shift();
      } else {
        this.#pending.shift();
        head.say();
      }
    }
  }

  dispose(words: ClientWords): void {
    const { first, last } = words;
    const count = difference(last, first) + 1;
    if (count <= this.unsettled.size) {
      for (let index = 0, id = first; index < count; index++, id = add(id, 1)) this.#disposeOne(words, id);
      return;
    }
    for (const id of [...this.unsettled.keys()]) {
      if (difference(id, first) >= 0 && difference(last, id) >= 0) this.#disposeOne(words, id);
    }
  }

  forgetUnsent(link: ReceiverLink): void {
    if (this.#pending.length === 0) return;
    for (const each of this.#pending) {
      if (each.link === link && each.kind === 'delivery') this.unsettled.delete(each.deliveryId);
    }
    this.#pending = this.#pending.filter((each) => each.link !== link);
  }

  hasUnsettled(link: ReceiverLink): boolean {
    for (const each of this.unsettled.values()) if (each.link === link) return true;
    return false;
  }

  /** All that was sent on the link. */
  forget(link: ReceiverLink): void {
    for (const [deliveryId, each] of this.unsettled)
      if (each.link === link) this.unsettled.delete(deliveryId);
  }

  /** A link has gone. A client that never settles what its links have left behind, their locks long ended, does not fill the memory. */
  forgetLeftBehind(): void {
    let excess = this.unsettled.size - MAX_UNSETTLED;
    if (excess <= 0) return;
    for (const [deliveryId, { link }] of this.unsettled) {
      if (link.attachment.state !== 'detached') continue;
      this.unsettled.delete(deliveryId);
      excess -= 1;
      if (excess === 0) return;
    }
  }

  clear(): void {
    this.unsettled.clear();
    this.#pending = [];
  }

  #disposeOne({ state, isSettled }: ClientWords, deliveryId: number): void {
    const unsettled = this.unsettled.get(deliveryId);
    if (unsettled === undefined) return;
    if (isSettled) this.unsettled.delete(deliveryId);
    unsettled.link.onDisposition({ deliveryId, context: unsettled.context, state, isSettled });
  }

  /** One frame of a delivery; true when it was the last. */
  #writeFrame(pending: PendingDelivery): boolean {
    const { connection, channel } = this.#session;
    const { delivery, isFirst, link } = pending;
    link.attachment.used();
    const payloadBytes = Math.min(pending.restBytes, connection.maxOutgoingFrame - TRANSFER_OVERHEAD_BYTES);
    const more = payloadBytes < pending.restBytes;
    this.#session.flushOutcome();
    writeTransfer(
      connection.output.writer,
      {
        channel,
        handle: link.attachment.localHandle,
        deliveryId: pending.deliveryId,
        deliveryTag: delivery.tag,
        messageFormat: 0,
        settled: delivery.isSettled,
        more,
        isFirst,
      },
      payloadBytes,
    );
    this.#writePayload(pending, payloadBytes);
    this.#nextId = add(this.#nextId, 1);
    this.#window -= 1;
    connection.outputReady();
    return !more;
  }

  #writePayload(pending: PendingDelivery, payloadBytes: number): void {
    const { output } = this.#session.connection;
    let left = payloadBytes;
    while (left > 0) {
      const piece = pending.rest[0] as Buffer;
      output.payload(piece.length <= left ? piece : piece.subarray(0, left));
      if (piece.length <= left) pending.rest.shift();
      else pending.rest[0] = piece.subarray(left);
      left -= Math.min(piece.length, left);
    }
    pending.restBytes -= payloadBytes;
    pending.isFirst = false;
  }
}
