// The sending half of an AMQP session: cuts deliveries into frames within the peer's window, and tracks unsettled deliveries.

import type { DeliveryState } from '../../codec/delivery-state.js';
import { TRANSFER_OVERHEAD_BYTES, writeTransfer } from '../../codec/hot-frame-writer.js';
import type { Flow } from '../../codec/performatives.js';
import { compacted, isSmallPart } from '../../codec/small-part.js';
import type { LinkAttachment } from './link-attachment.js';
import { COPY_LIMIT_BYTES } from './output.js';
import type { ConnectionPort } from './ports.js';
import { add, difference } from './serial.js';

export type OutgoingDelivery = {
  readonly tag: Uint8Array;
  /**
   * The encoded message, in pieces. Each is taken from the list when it is written. One that is less than half of its memory is valid only
   * during `send`.
   */
  readonly payload: Buffer[];
  readonly isSettled: boolean;
  /** Returned with the client's dispositions; for unsettled deliveries only. */
  readonly context: string;
};

/** A client's disposition of one delivery. */
export type ClientDisposition = {
  readonly deliveryId: number;
  readonly context: string;
  readonly state: DeliveryState | undefined;
  /** The client has forgotten the delivery and expects no answer. */
  readonly isSettled: boolean;
};

/** A client's disposition of the deliveries `first` to `last`. */
type DispositionRange = {
  readonly first: number;
  readonly last: number;
  readonly state: DeliveryState | undefined;
  readonly isSettled: boolean;
};

/** The link of an outgoing delivery. */
interface OutgoingLink {
  readonly attachment: LinkAttachment;
  /** The lists that `OutgoingTransfers` keeps for this link. */
  readonly transfers: LinkTransfers;
  onDisposition(disposition: ClientDisposition): void;
}

/** The lists of one link, so that work on it does not walk over the deliveries of other links. */
export class LinkTransfers {
  /** The delivery-ids that the peer may still settle. */
  readonly unsettled = new Set<number>();
  /** Deliveries and flows that wait for the window. */
  pendingCount = 0;
}

/** The part of an AMQP session that its transfers use. */
export interface TransferPort {
  readonly connection: ConnectionPort;
  readonly channel: number;
  flushOutcome(): void;
}

type PendingDelivery = {
  readonly kind: 'delivery';
  readonly link: OutgoingLink;
  readonly deliveryId: number;
  readonly delivery: OutgoingDelivery;
  restBytes: number;
  isFirst: boolean;
  /** Whether the memory of a large piece may be used again. Small ones are always copied. */
  isReused: boolean;
};

/** A flow of a link that must follow the link's deliveries. */
type PendingFlow = { readonly kind: 'flow'; readonly link: OutgoingLink; readonly write: () => void };

type Unsettled = { readonly link: OutgoingLink; readonly context: string };

/** The most unsettled deliveries of detached links in a session; beyond that, the earliest are forgotten. No SDK prefetches as many. */
const MAX_LEFT_BEHIND = 5000;

export class OutgoingTransfers {
  /** Unsettled deliveries by delivery-id, in the order in which they were sent. A delivery that stays unsettled delays no other, and outlives its link (AMQP 2.6.12). */
  readonly #unsettled = new Map<number, Unsettled>();
  /** Unsettled deliveries of detached links, the earliest first. */
  readonly #leftBehind = new Set<number>();
  readonly #session: TransferPort;
  #pending: (PendingDelivery | PendingFlow)[] = [];
  readonly #firstId: number;
  #nextId: number;
  #nextDeliveryId: number;
  #window: number;
  /** The bytes that the connection counts for deliveries that wait. */
  #countedBytes = 0;

  constructor(session: TransferPort, remoteIncomingWindow: number) {
    this.#session = session;
    this.#firstId = session.connection.firstOutgoingId;
    this.#nextId = this.#firstId;
    this.#nextDeliveryId = this.#firstId;
    this.#window = remoteIncomingWindow;
  }

  /** The transfer-id of the next frame. */
  get nextId(): number {
    return this.#nextId;
  }

  /** Transfers that would be written at once; 0 while others wait. */
  get room(): number {
    return this.#pending.length === 0 ? this.#window : 0;
  }

  /** A peer that sends no next-incoming-id has not seen our begin: its window counts from our first id (AMQP 2.5.6). */
  setWindow(flow: Flow): void {
    const inFlight = difference(this.#nextId, flow.nextIncomingId ?? this.#firstId);
    this.#window = Math.max(0, flow.incomingWindow - Math.max(0, inFlight));
  }

  send(link: OutgoingLink, delivery: OutgoingDelivery): void {
    const deliveryId = this.#nextDeliveryId;
    this.#nextDeliveryId = add(deliveryId, 1);
    if (!delivery.isSettled) {
      this.#unsettled.set(deliveryId, { link, context: delivery.context });
      link.transfers.unsettled.add(deliveryId);
    }
    let restBytes = 0;
    for (const piece of delivery.payload) restBytes += piece.length;
    const isReused = delivery.payload.some((piece) => piece.length > COPY_LIMIT_BYTES && isSmallPart(piece));
    const pending: PendingDelivery = {
      kind: 'delivery',
      link,
      deliveryId,
      delivery,
      restBytes,
      isFirst: true,
      isReused,
    };
    this.#pending.push(pending);
    link.transfers.pendingCount += 1;
    this.pump();
    if (pending.restBytes > 0) keepRest(pending);
  }

  /** Writes a flow now, or after the deliveries of its link that wait for the window. */
  writeFlowInOrder(link: OutgoingLink, write: () => void): void {
    if (link.transfers.pendingCount === 0) {
      write();
      return;
    }
    this.#pending.push({ kind: 'flow', link, write });
    link.transfers.pendingCount += 1;
  }

  /** Writes as much as the window allows. */
  pump(): void {
    for (let head = this.#pending[0]; head !== undefined; head = this.#pending[0]) {
      if (head.kind === 'delivery') {
        if (this.#window === 0) break;
        if (this.#writeFrame(head)) this.#shiftPending();
      } else {
        this.#shiftPending();
        head.write();
      }
    }
    this.#countPending();
  }

  /** Only few deliveries wait here, because no more are sent until these are written. */
  #countPending(): void {
    if (this.#pending.length === 0 && this.#countedBytes === 0) return; // the usual case
    let bytes = 0;
    for (const each of this.#pending) if (each.kind === 'delivery') bytes += each.restBytes;
    this.#session.connection.held.share.add(bytes - this.#countedBytes);
    this.#countedBytes = bytes;
  }

  #shiftPending(): void {
    const first = this.#pending.shift();
    if (first !== undefined) first.link.transfers.pendingCount -= 1;
  }

  dispose(range: DispositionRange): void {
    const { first, last } = range;
    const count = difference(last, first) + 1;
    if (count <= this.#unsettled.size) {
      for (let index = 0, id = first; index < count; index++, id = add(id, 1)) this.#disposeOne(range, id);
      return;
    }
    for (const id of [...this.#unsettled.keys()]) {
      if (difference(id, first) >= 0 && difference(last, id) >= 0) this.#disposeOne(range, id);
    }
  }

  /** In the order in which they were sent. */
  get unsettledIds(): readonly number[] {
    return [...this.#unsettled.keys()];
  }

  isUnsettled(deliveryId: number): boolean {
    return this.#unsettled.has(deliveryId);
  }

  /** Returns whether the delivery was unsettled. */
  settle(deliveryId: number): boolean {
    const unsettled = this.#unsettled.get(deliveryId);
    if (unsettled === undefined) return false;
    this.#unsettled.delete(deliveryId);
    this.#leftBehind.delete(deliveryId);
    unsettled.link.transfers.unsettled.delete(deliveryId);
    return true;
  }

  forgetUnsent(link: OutgoingLink): void {
    if (link.transfers.pendingCount === 0) return;
    for (const each of this.#pending) {
      if (each.link === link && each.kind === 'delivery') this.settle(each.deliveryId);
    }
    this.#pending = this.#pending.filter((each) => each.link !== link);
    link.transfers.pendingCount = 0;
    this.#countPending();
  }

  /** Forgets all unsettled deliveries of the link. */
  forget(link: OutgoingLink): void {
    for (const deliveryId of [...link.transfers.unsettled]) this.settle(deliveryId);
  }

  /** Limits the memory for deliveries of detached links, which the client may never settle. Must be called when a link is detached. */
  leaveBehind(link: OutgoingLink): void {
    for (const deliveryId of link.transfers.unsettled) this.#leftBehind.add(deliveryId);
    for (const earliest of this.#leftBehind) {
      if (this.#leftBehind.size <= MAX_LEFT_BEHIND) return;
      this.settle(earliest);
    }
  }

  clear(): void {
    for (const { link } of this.#unsettled.values()) link.transfers.unsettled.clear();
    for (const { link } of this.#pending) link.transfers.pendingCount = 0;
    this.#unsettled.clear();
    this.#leftBehind.clear();
    this.#pending = [];
    this.#countPending();
  }

  #disposeOne({ state, isSettled }: DispositionRange, deliveryId: number): void {
    const unsettled = this.#unsettled.get(deliveryId);
    if (unsettled === undefined) return;
    if (isSettled) this.settle(deliveryId);
    unsettled.link.onDisposition({ deliveryId, context: unsettled.context, state, isSettled });
  }

  /** Writes one frame of a delivery; true when it was the last. */
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
    const { payload: rest } = pending.delivery;
    let left = payloadBytes;
    while (left > 0) {
      const piece = rest[0] as Buffer;
      output.payload(piece.length <= left ? piece : piece.subarray(0, left), pending.isReused);
      if (piece.length <= left) rest.shift();
      else rest[0] = piece.subarray(left);
      left -= Math.min(piece.length, left);
    }
    pending.restBytes -= payloadBytes;
    pending.isFirst = false;
  }
}

/** Copies the pieces that wait for the window and are not ours to keep. Small ones are copied in any case. */
function keepRest(pending: PendingDelivery): void {
  const { payload } = pending.delivery;
  for (const [index, piece] of payload.entries()) {
    if (pending.isReused || piece.length <= COPY_LIMIT_BYTES) payload[index] = compacted(piece);
  }
  pending.isReused = false;
}
