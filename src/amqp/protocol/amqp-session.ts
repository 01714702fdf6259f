// One AMQP session: its links, its windows, and the outcomes of its deliveries. Not a message session.

import { type DeliveryState, decodeState } from '../../codec/delivery-state.js';
import { writeDisposition, writeFlow } from '../../codec/hot-frame-writer.js';
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
import { compacted } from '../../codec/small-part.js';
import { isAccepted } from './delayed-frames.js';
import { EMPTY_MAP } from './link-attachment.js';
import { checkAttach, findTerminusError, type Link, LinkTable, MAX_HANDLE } from './link-table.js';
import { type OutgoingDelivery, OutgoingTransfers, type TransferPort } from './outgoing-transfers.js';
import type { ConnectionPort, Direction, LinkFlow } from './ports.js';
import { ProtocolError } from './protocol-error.js';
import { ReceiverLink, type ReceiverSessionPort } from './receiver-link.js';
import { SenderLink } from './sender-link.js';
import { add, difference } from './serial.js';
import { encodedError, truncatedError } from './truncated-error.js';

/** The part of a connection that its AMQP sessions use. */
export interface SessionConnection extends ConnectionPort {
  /** Called for a link that must be accepted or refused. */
  attached(link: Link): void;
  /** Counts a link; returns the error with which it is refused when there are too many. */
  linkAdded(): AmqpError | undefined;
  linksRemoved(count: number): void;
  /** Requests a call of the session's `flushOutcome` before the next write to the socket. */
  markUnflushed(session: AmqpSession): void;
}

/** Transfers that a peer may send before it must wait for our next flow. */
const INCOMING_WINDOW = 4096;
const OUTGOING_WINDOW = 0xffffffff;

type PendingOutcome = {
  readonly direction: Direction;
  readonly first: number;
  last: number;
  state: DeliveryState;
};

export class AmqpSession implements ReceiverSessionPort, TransferPort {
  readonly connection: SessionConnection;
  readonly channel: number;
  readonly outgoing: OutgoingTransfers;
  readonly #links = new LinkTable();
  readonly #roomWaiters = new Set<ReceiverLink>();
  #nextIncomingId: number;
  #incomingWindow = INCOMING_WINDOW;
  #pendingOutcome: PendingOutcome | undefined;
  /** Whether either side or the connection has ended the session. Later frames are ignored, and nothing more is written. */
  #isOver = false;

  constructor(connection: SessionConnection, channel: number, begin: Begin) {
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
      properties: EMPTY_MAP,
    });
  }

  get room(): number {
    return this.connection.hasRoom ? this.outgoing.room : 0;
  }

  waitForRoom(link: ReceiverLink): void {
    this.#roomWaiters.add(link);
  }

  /** Resumes waiting deliveries and links, after output has gone to the socket or the peer's window has opened. */
  offerRoom(): void {
    this.outgoing.pump();
    // A link that needs more room waits again.
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

  /** Settles a delivery with its outcome. Neighbours that are accepted share a frame. */
  settle(direction: Direction, deliveryId: number, state: DeliveryState): void {
    if (this.#isOver) return;
    if (direction === 'outgoing' && !this.outgoing.settle(deliveryId)) return;
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
    this.connection.markUnflushed(this);
  }

  update(deliveryId: number, state: DeliveryState): void {
    if (this.#isOver || !this.outgoing.isUnsettled(deliveryId)) return;
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

  writeLinkFlow(link: LinkFlow): void {
    this.#writeFlow(link);
  }

  freeHandle(localHandle: number): void {
    if (!this.#isOver) this.#links.freeHandle(localHandle);
  }

  end(error: AmqpError): void {
    this.writeFrame({ kind: 'end', error: encodedError(error, this.connection.maxOutgoingFrame) });
    this.onGone();
  }

  /** Answers the peer's end, unless it answers ours. */
  onPeerEnd(): void {
    this.writeFrame({ kind: 'end' });
    this.onGone();
  }

  /** Ends the link on which the peer broke the protocol, or the session. */
  fail(error: ProtocolError, cause: AmqpPerformative): void {
    const wireError = { condition: error.condition, description: error.message };
    const handle = 'handle' in cause ? cause.handle : undefined;
    const link = handle === undefined ? undefined : this.#links.get(handle);
    if (error.scope === 'link' && link !== undefined) {
      link.detach(wireError);
      link.onGone();
    } else {
      this.end(wireError);
    }
  }

  /** Tells the link, or every link, that a frame will end it; earlier frames are still unhandled. */
  announceEnd(handle?: number): void {
    const links = handle === undefined ? this.#links.all() : [this.#links.get(handle)];
    for (const link of links) if (link?.role === 'receiver') link.announceEnd();
  }

  /** Detaches every link, because the session or its connection has ended. */
  onGone(): void {
    this.#isOver = true;
    this.#pendingOutcome = undefined;
    this.#roomWaiters.clear();
    this.outgoing.clear();
    const links = this.#links.takeAll();
    this.connection.linksRemoved(links.length);
    for (const link of links) link.onGone();
  }

  receive(performative: AmqpPerformative, payload: readonly Buffer[]): void {
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
    const error = this.connection.linkAdded() ?? findTerminusError(attach);
    if (error === undefined) this.connection.attached(link);
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

  #onTransfer(transfer: Transfer, payload: readonly Buffer[]): void {
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
    // Only dispositions by receivers matter: incoming deliveries are always settled by us first.
    if (!disposition.role) return;
    const { first, last = first, settled } = disposition;
    if (difference(last, first) < 0) {
      throw new ProtocolError(
        'session',
        'amqp:invalid-field',
        `a disposition runs from ${first} back to ${last}`,
      );
    }
    const state = decodeState(keepableState(disposition));
    this.outgoing.dispose({ first, last, state, isSettled: settled });
  }

  #onDetach(detach: Detach): void {
    const link = this.#linkOf(detach.handle);
    decodeError(detach.error);
    this.#links.remove(link);
    this.connection.linksRemoved(1);
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

  #truncated(state: DeliveryState): DeliveryState {
    if (state.kind !== 'rejected' || state.error === undefined) return state;
    return { ...state, error: truncatedError(state.error, this.connection.maxOutgoingFrame) };
  }

  #writeOutcome({ direction, first, last, state }: PendingOutcome, settled: boolean): void {
    const role = direction === 'incoming';
    const disposition = { role, first, last, settled, state: this.#truncated(state) };
    writeDisposition(this.connection.output.writer, this.channel, disposition);
    this.connection.outputReady();
  }

  #writeFlow(link?: LinkFlow): void {
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

/** A copy, because a decoded state may stay until the end of a transaction. The most frequent one has nothing that could stay. */
function keepableState(disposition: Disposition): Buffer | undefined {
  const { state } = disposition;
  return state === undefined || isAccepted(disposition) ? state : compacted(state);
}
