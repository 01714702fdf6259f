// The ports through which links use their AMQP session, and sessions and links use their connection.

import type { DeliveryState } from '../../codec/delivery-state.js';
import type { AmqpError, AmqpPerformative, Attach } from '../../codec/performatives.js';
import type { ReusedBlocks } from '../../codec/reused-blocks.js';
import type { HeldBytes } from './held-bytes.js';
import type { Output } from './output.js';
import type { PartialDelivery } from './partial-delivery.js';

export interface ConnectionPort {
  /** Call `outputReady` after writing to it. */
  readonly output: Output;
  /** Bytes of the largest frame that the peer accepts. */
  readonly maxOutgoingFrame: number;
  /** The first transfer-id and delivery-id. */
  readonly firstOutgoingId: number;
  /** Counts the bytes that are held for the client. */
  readonly held: HeldBytes;
  /** Memory for messages that have not arrived in full. */
  readonly frameBlocks: ReusedBlocks | undefined;
  /** False while too much output waits for the socket. */
  readonly hasRoom: boolean;
  /** Whether the connection has ended without the peer's close. */
  readonly isLost: boolean;
  writeFrame(channel: number, performative: AmqpPerformative): void;
  /** The capabilities that the answer to an attach offers; undefined for none. */
  offeredTo(attach: Attach): readonly string[] | undefined;
  outputReady(): void;
  /** Notes the message of a link that has not arrived in full; undefined for none. */
  unfinished(link: { detach(error: AmqpError): void }, delivery: PartialDelivery | undefined): void;
  /** Requests a call of `keep` when the read has been handled, unless its message is finished by then. */
  keepAfterRead(delivery: PartialDelivery): void;
  /** Ends the connection because of an internal fault. */
  fault(cause: unknown): void;
}

/** The direction of a delivery, as we see it. */
export type Direction = 'incoming' | 'outgoing';

/** The part of a flow that is about one link. */
export type LinkFlow = {
  readonly handle: number;
  readonly deliveryCount: number;
  readonly linkCredit: number;
  readonly drain: boolean;
};

/** The part of an AMQP session that links of either direction use. */
export interface AmqpSessionPort {
  readonly connection: ConnectionPort;
  writeFrame(performative: AmqpPerformative): void;
  writeLinkFlow(flow: LinkFlow): void;
  /** Lets new links have the handle of one whose detach was answered late. */
  freeHandle(localHandle: number): void;
  /** Settles a delivery with its outcome. */
  settle(direction: Direction, deliveryId: number, state: DeliveryState): void;
}
