// Writes the frames that every message needs by hand. It gives the same result as the table of performatives, but is cheaper.

import type { ByteWriter } from './byte-writer.js';
import { type DeliveryState, encodeState } from './delivery-state.js';

const FRAME_HEADER_BYTES = 8;
const AMQP_FRAME = 0x00;
const LIST8 = 0xc0;
const TRANSFER = 0x14;
const DISPOSITION = 0x15;
const FLOW = 0x13;
/** The number of fields of a transfer, from handle to batchable (AMQP 2.7.5). */
const TRANSFER_FIELDS = 11;

type OutgoingTransfer = {
  readonly channel: number;
  readonly handle: number;
  readonly deliveryId: number;
  readonly deliveryTag: Uint8Array;
  readonly messageFormat: number;
  readonly settled: boolean;
  readonly more: boolean;
  /** Continuation frames omit the delivery's id, tag and message format. */
  readonly isFirst: boolean;
};

/** The most bytes that a transfer frame has in addition to its payload. */
export const TRANSFER_OVERHEAD_BYTES = 80;

/** Writes a transfer frame without its payload; it needs only the size of the payload. */
export function writeTransfer(writer: ByteWriter, transfer: OutgoingTransfer, payloadBytes: number): void {
  const start = beginFrame(writer, transfer.channel, TRANSFER);
  const list = beginList(writer);
  writer.uint(transfer.handle);
  if (transfer.isFirst) {
    writer.uint(transfer.deliveryId);
    writer.binary(transfer.deliveryTag);
    writer.uint(transfer.messageFormat);
  } else {
    writer.null();
    writer.null();
    writer.null();
  }
  writer.boolean(transfer.settled);
  writer.boolean(transfer.more);
  // Unused fields are written as nulls, because pyamqp takes everything after the eleventh field for the payload.
  for (let field = 6; field < TRANSFER_FIELDS; field++) writer.null();
  endList(writer, list, TRANSFER_FIELDS);
  writer.patchUint32(start, writer.length - start + payloadBytes);
}

type OutgoingDisposition = {
  readonly role: boolean;
  readonly first: number;
  readonly last: number;
  readonly settled: boolean;
  readonly state: DeliveryState | undefined;
};

/** Writes one state for the deliveries `first` to `last` of an AMQP session. */
export function writeDisposition(
  writer: ByteWriter,
  channel: number,
  disposition: OutgoingDisposition,
): void {
  const start = beginFrame(writer, channel, DISPOSITION);
  if (disposition.state === undefined || disposition.state.kind === 'accepted') {
    const list = beginList(writer);
    endList(writer, list, writeItems(writer, disposition));
  } else {
    writer.compound32(0xd0, () => writeItems(writer, disposition));
  }
  writer.patchUint32(start, writer.length - start);
}

function writeItems(writer: ByteWriter, { role, first, last, settled, state }: OutgoingDisposition): number {
  writer.boolean(role);
  writer.uint(first);
  writer.uint(last);
  writer.boolean(settled);
  if (state === undefined) writer.null();
  else encodeState(writer, state);
  return 5;
}

type OutgoingFlow = {
  readonly nextIncomingId: number | undefined;
  readonly incomingWindow: number;
  readonly nextOutgoingId: number;
  readonly outgoingWindow: number;
  readonly link?: {
    readonly handle: number;
    readonly deliveryCount: number | undefined;
    readonly linkCredit: number;
    readonly drain: boolean;
  };
};

export function writeFlow(writer: ByteWriter, channel: number, flow: OutgoingFlow): void {
  const start = beginFrame(writer, channel, FLOW);
  const list = beginList(writer);
  if (flow.nextIncomingId === undefined) writer.null();
  else writer.uint(flow.nextIncomingId);
  writer.uint(flow.incomingWindow);
  writer.uint(flow.nextOutgoingId);
  writer.uint(flow.outgoingWindow);
  if (flow.link === undefined) {
    endList(writer, list, 4);
  } else {
    writer.uint(flow.link.handle);
    if (flow.link.deliveryCount === undefined) writer.null();
    else writer.uint(flow.link.deliveryCount);
    writer.uint(flow.link.linkCredit);
    writer.uint(0);
    writer.boolean(flow.link.drain);
    endList(writer, list, 9);
  }
  writer.patchUint32(start, writer.length - start);
}

function beginFrame(writer: ByteWriter, channel: number, performative: number): number {
  const start = writer.length;
  writer.uint32(0);
  writer.byte(FRAME_HEADER_BYTES / 4);
  writer.byte(AMQP_FRAME);
  writer.uint16(channel);
  writer.descriptor(performative);
  return start;
}

function beginList(writer: ByteWriter): number {
  writer.byte(LIST8);
  writer.byte(0);
  writer.byte(0);
  return writer.length;
}

function endList(writer: ByteWriter, itemsOffset: number, count: number): void {
  writer.patchByte(itemsOffset - 2, writer.length - itemsOffset + 1);
  writer.patchByte(itemsOffset - 1, count);
}
