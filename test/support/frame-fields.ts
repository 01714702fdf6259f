// The fields of each performative with everything usual filled in, and the error that a frame carries.

import type { Frame } from './frame-channel.js';
import { bin, boolean, type Encoded, FALSE, str, TRUE, ubyte, uint } from './frame-encoder.js';
import { composite, type Fields, readList } from './frame-lists.js';

export const LARGE_WINDOW = 2_147_483_647;

export type BeginShape = { incomingWindow?: number; nextOutgoingId?: number };
type FlowShape = { incomingWindow?: number; nextIncomingId?: number; echo?: boolean };
export type CreditShape = FlowShape & { deliveryCount?: number; drain?: boolean };
type PieceShape = { deliveryId?: number; more?: boolean; aborted?: boolean; settled?: boolean };

export function beginFields({
  incomingWindow = LARGE_WINDOW,
  nextOutgoingId = 0,
}: BeginShape = {}): Fields<'begin'> {
  return {
    nextOutgoingId: uint(nextOutgoingId),
    incomingWindow: uint(incomingWindow),
    outgoingWindow: uint(LARGE_WINDOW),
  };
}

export function senderFields(handle: number, more: Fields<'attach'> = {}): Fields<'attach'> {
  return {
    name: str(`sender ${handle}`),
    handle: uint(handle),
    role: FALSE,
    source: composite('source'),
    target: composite('target', { address: str('q') }),
    initialDeliveryCount: uint(0),
    ...more,
  };
}

export function receiverFields(handle: number, more: Fields<'attach'> = {}): Fields<'attach'> {
  return {
    name: str(`receiver ${handle}`),
    handle: uint(handle),
    role: TRUE,
    sndSettleMode: ubyte(0),
    rcvSettleMode: ubyte(1),
    source: composite('source', { address: str('q') }),
    target: composite('target'),
    ...more,
  };
}

export function flowFields({
  incomingWindow = LARGE_WINDOW,
  nextIncomingId = 0,
  echo = false,
}: FlowShape = {}): Fields<'flow'> {
  return {
    nextIncomingId: uint(nextIncomingId),
    incomingWindow: uint(incomingWindow),
    nextOutgoingId: uint(0),
    outgoingWindow: uint(LARGE_WINDOW),
    ...(echo ? { echo: TRUE } : {}),
  };
}

export function creditFields(handle: number, linkCredit: number, shape: CreditShape = {}): Fields<'flow'> {
  return {
    ...flowFields(shape),
    handle: uint(handle),
    deliveryCount: uint(shape.deliveryCount ?? 0),
    linkCredit: uint(linkCredit),
    drain: boolean(shape.drain ?? false),
  };
}

/** A frame of a message: with a delivery-id the first one, without it one that goes on. */
export function pieceFields(handle: number, shape: PieceShape = {}): Fields<'transfer'> {
  const { deliveryId, more = false, aborted = false, settled } = shape;
  const naming =
    deliveryId === undefined
      ? {}
      : {
          deliveryId: uint(deliveryId),
          deliveryTag: bin(Buffer.of(deliveryId & 0xff)),
          messageFormat: uint(0),
        };
  return {
    handle: uint(handle),
    ...naming,
    ...(settled === undefined ? {} : { settled: boolean(settled) }),
    more: boolean(more),
    ...(aborted ? { aborted: TRUE } : {}),
  };
}

export function dispositionFields(
  first: number,
  last: number,
  { state, settled = false }: { state?: Encoded; settled?: boolean } = {},
): Fields<'disposition'> {
  return {
    role: TRUE,
    first: uint(first),
    last: uint(last),
    settled: boolean(settled),
    ...(state === undefined ? {} : { state }),
  };
}

/** The condition in the error of an end, detach or close; undefined when there is none. */
export function conditionOf(frame: Frame): string | undefined {
  const error = frame.field('error');
  if (error === undefined || error.type === 'null') return undefined;
  return String(readList(error).field('condition')?.value);
}

/** The description in the error of an end, detach or close; `undefined` as text when there is none. */
export function descriptionOf(frame: Frame): string {
  const error = frame.field('error');
  const isGiven = error !== undefined && error.type !== 'null';
  return String(isGiven ? readList(error).field('description')?.value : undefined);
}
