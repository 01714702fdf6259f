// One AMQP session: its links by handle, its windows, and the deliveries of both directions that are not settled.

import { type DeliveryState, decodeState } from '../../codec/delivery-state.js';
import { writeDisposition, writeFlow } from '../../codec/hot-frames.js';
import {
  type AmqpError,
  type AmqpPerformative,
  type Attach,
  type Begin,
  type Detach,
  type Disposition,
  decodeError,
  type Flow,
  type Transfer,
} from '../../codec/performatives.js';
import { checkAttach, findTerminusError, MAX_HANDLE } from './attach-check.js';
import type { Connection } from './connection.js';
import { encodedError, fittingError } from './fitting-error.js';
import { LinkTable } from './link-table.js';
import { OutgoingTransfers } from './outgoing-transfers.js';
import { ProtocolError } from './protocol-error.js';
import { type OutgoingDelivery, ReceiverLink } from './receiver-link.js';
import { SenderLink } from './sender-link.js';
import { add, difference } from './serial.js';

export type Link = SenderLink | ReceiverLink;

/** Transfers a peer may send before it has to wait for our next flow. */
const INCOMING_WINDOW = 4096;
const OUTGOING_WINDOW = 0xffffffff;

type Direction = 'incoming' | 'outgoing';
type PendingOutcome = {
  readonly direction: Direction;
  readonly first: number;
  last: number;
  state: DeliveryState;
};

export class Session {
  readonly connection: Connection;
  readonly channel: number;
  readonly outgoing: OutgoingTransfers;
  readonly #links = new LinkTable();
  readonly #roomWaiters = new Set<ReceiverLink>();
  #nextIncomingId: number;
  #incomingWindow = INCOMING_WINDOW;
  #pendingOutcome: PendingOutcome | undefined;
  /** One side ended it, or the connection: what still comes is ignored, and nothing more is written. */
  #isOver = false;

  constructor(connection: Connection, channel: number, begin: Begin) {
    this.connection = connection;
    this.channel = channel;
    this.#nextIncomingId = begin.nextOutgoingId;
    this.outgoing = new OutgoingTransfers(this, begin.incomingWindow);
    this.writeFrame({
      kind: 'begin',
      remoteChannel: channel,
      nextOutgoingId: this.outgoing.nextId,
      incomingWindow: INCOMING_WINDOW,
      outgoingWindow: OUTGOING_WINDOW,
      handleMax: MAX_HANDLE,
      properties: connection.emptyMap,
    });
  }

  /** Transfers that the peer's window and the socket let through now. */
  get room(): number {
    return this.connection.hasRoom ? this.outgoing.room : 0;
  }

  /** `onRoom` of the link is called once when there is room, or more of it. */
  waitForRoom(link: ReceiverLink): void {
    this.#roomWaiters.add(link);
  }

  /** Something was written to the peer or its window opened: goes on with what waited. */
  offerRoom(): void {
    this.outgoing.pump();
    // A link may find that it is still too little, and wait anew.
    for (const link of [...this.#roomWaiters]) {
      if (this.room === 0) return;
      this.#roomWaiters.delete(link);
      link.onRoom();
    }
  }

  sendDelivery(link: ReceiverLink, delivery: OutgoingDelivery): void {
    if (this.#isOver) return;
    this.outgoing.send(link, delivery);
  }

  forgetUnsent(link: ReceiverLink): void {
    this.outgoing.forgetUnsent(link);
    this.#roomWaiters.delete(link);
  }

  /** The outcome of a delivery; neighbours with the same simple outcome share a frame. */
  settle(direction: Direction, deliveryId: number, state: DeliveryState): void {
    if (this.#isOver) return;
    if (direction === 'outgoing' && !this.outgoing.unsettled.delete(deliveryId)) return;
    const pending = this.#pendingOutcome;
    const isNeighbour = pending?.direction === direction && pending.last + 1 === deliveryId;
    if (
      pending !== undefined &&
      isNeighbour &&
      state.kind === 'accepted' &&
      pending.state.kind === 'accepted'
    ) {
      pending.last = deliveryId;
      return;
    }
    this.flushOutcome();
    this.#pendingOutcome = { direction, first: deliveryId, last: deliveryId, state };
    this.connection.needsOutcomeFlush(this);
  }

  /** Tells the peer what would become of a delivery of ours; it may still change its mind. */
  update(deliveryId: number, state: DeliveryState): void {
    if (this.#isOver || !this.outgoing.unsettled.has(deliveryId)) return;
    this.flushOutcome();
    this.#writeOutcome({ direction: 'outgoing', first: deliveryId, last: deliveryId, state }, false);
  }

  flushOutcome(): void {
    const pending = this.#pendingOutcome;
    if (pending === undefined) return;
    this.#pendingOutcome = undefined;
    this.#writeOutcome(pending, true);
  }

  writeFrame(performative: AmqpPerformative): void {
    if (this.#isOver) return;
    this.flushOutcome();
    this.connection.writeFrame(this.channel, performative);
  }

  writeLinkFlow(link: { handle: number; deliveryCount: number; linkCredit: number; drain: boolean }): void {
    this.#writeFlow(link);
  }

  end(error: AmqpError): void {
    this.writeFrame({ kind: 'end', error: encodedError(error, this.connection.maxOutgoingFrame) });
    this.onGone();
  }

  /** The peer's end: answered unless it is the answer to ours. */
  onPeerEnd(): void {
    this.writeFrame({ kind: 'end' });
    this.onGone();
  }

  /** A breach within the session: ends the link it came on, or all of it. */
  fail(error: ProtocolError, cause: AmqpPerformative): void {
    const told = { condition: error.condition, description: error.message };
    const handle = 'handle' in cause ? cause.handle : undefined;
    const link = handle === undefined ? undefined : this.#links.get(handle);
    if (error.scope === 'link' && link !== undefined) {
      link.detach(told);
      link.onGone();
    } else {
      this.end(told);
    }
  }

  /** This link, or every link, goes with a frame that comes right behind. */
  leaving(handle?: number): void {
    const links = handle === undefined ? this.#links.all() : [this.#links.get(handle)];
    for (const link of links) if (link?.role === 'receiver') link.leaving();
  }

  /** The session or its connection is gone; every link hears of it. */
  onGone(): void {
    this.#isOver = true;
    this.#pendingOutcome = undefined;
    this.#roomWaiters.clear();
    this.outgoing.clear();
    for (const link of this.#links.takeAll()) link.onGone();
  }

  receive(performative: AmqpPerformative, payload: Buffer): void {
    if (this.#isOver) return;
    switch (performative.kind) {
      case 'attach':
        return this.#onAttach(performative);
      case 'flow':
        return this.#onFlow(performative);
      case 'transfer':
        return this.#onTransfer(performative, payload);
      case 'disposition':
        return this.#onDisposition(performative);
      case 'detach':
        return this.#onDetach(performative);
      default:
        throw new ProtocolError('connection', 'amqp:not-allowed', `${performative.kind} came for a session`);
    }
  }

  #onAttach(attach: Attach): void {
    checkAttach(attach, this.#links, this.connection.maxOutgoingFrame);
    const localHandle = this.#links.takeHandle();
    const link = attach.role
      ? new ReceiverLink(this, attach, localHandle)
      : new SenderLink(this, attach, localHandle);
    this.#links.add(link);
    const error = findTerminusError(attach);
    if (error === undefined) this.connection.listener.attached(link);
    else link.refuse(error);
  }

  #onFlow(flow: Flow): void {
    this.outgoing.setWindow(flow);
    if (flow.handle === undefined) {
      if (flow.echo) this.#writeFlow();
    } else {
      this.#linkOf(flow.handle).onFlow(flow);
    }
    this.offerRoom();
  }

  #onTransfer(transfer: Transfer, payload: Buffer): void {
    if (this.#incomingWindow === 0) {
      throw new ProtocolError(
        'session',
        'amqp:session:window-violation',
        'a transfer came beyond the window',
      );
    }
    this.#nextIncomingId = add(this.#nextIncomingId, 1);
    this.#incomingWindow -= 1;
    const link = this.#linkOf(transfer.handle);
    if (link.role !== 'sender') {
      throw new ProtocolError('session', 'amqp:not-allowed', 'a transfer came on a link that receives');
    }
    link.onTransfer(transfer, payload);
    if (this.#incomingWindow < INCOMING_WINDOW / 2) {
      this.#incomingWindow = INCOMING_WINDOW;
      this.#writeFlow();
    }
  }

  #onDisposition(disposition: Disposition): void {
    // Of our own deliveries we hear as receiver's word; for incoming ones we settle first, so nothing is left to do.
    if (!disposition.role) return;
    const { first, last = first, settled } = disposition;
    if (difference(last, first) < 0) {
      throw new ProtocolError(
        'session',
        'amqp:invalid-field',
        `a disposition runs from ${first} back to ${last}`,
      );
    }
    this.outgoing.dispose({ first, last, state: decodeState(disposition.state), isSettled: settled });
  }

  #onDetach(detach: Detach): void {
    const link = this.#linkOf(detach.handle);
    decodeError(detach.error);
    this.#links.remove(link);
    link.attachment.peerDetached(detach.closed);
    link.onGone();
  }

  #linkOf(handle: number): Link {
    const link = this.#links.get(handle);
    if (link === undefined) {
      throw new ProtocolError('session', 'amqp:session:unattached-handle', `no link has handle ${handle}`);
    }
    return link;
  }

  #fitting(state: DeliveryState): DeliveryState {
    if (state.kind !== 'rejected' || state.error === undefined) return state;
    return { ...state, error: fittingError(state.error, this.connection.maxOutgoingFrame) };
  }

  #writeOutcome({ direction, first, last, state }: PendingOutcome, settled: boolean): void {
    const role = direction === 'incoming';
    const disposition = { role, first, last, settled, state: this.#fitting(state) };
    writeDisposition(this.connection.output.writer, this.channel, disposition);
    this.connection.outputReady();
  }

  #writeFlow(link?: { handle: number; deliveryCount: number; linkCredit: number; drain: boolean }): void {
    if (this.#isOver) return;
    this.flushOutcome();
    writeFlow(this.connection.output.writer, this.channel, {
      nextIncomingId: this.#nextIncomingId,
      incomingWindow: this.#incomingWindow,
      nextOutgoingId: this.outgoing.nextId,
      outgoingWindow: OUTGOING_WINDOW,
      ...(link === undefined ? {} : { link }),
    });
    this.connection.outputReady();
  }
}
