// Connections, sessions and links, opened and used the short way: attach, send, give credit, receive, settle, detach.

import type { Duplex } from 'node:stream';
import { type Frame, type FrameChannel, isTrue, numberOf, type ReceivedDelivery } from './frame-channel.js';
import { FrameClient } from './frame-client.js';
import { bin, boolean, type Encoded, str, TRUE, ubyte, uint } from './frame-encoder.js';
import {
  type BeginShape,
  beginFields,
  type CreditShape,
  conditionOf,
  creditFields,
  descriptionOf,
  dispositionFields,
  receiverFields,
  senderFields,
} from './frame-fields.js';
import { composite, type Fields } from './frame-lists.js';
import { ReceivedMessage } from './frame-message.js';

/** The client's end of a pipe, or an endpoint that has one. */
type Server = Duplex | { readonly client: Duplex };

const PIECE_BYTES = 60_000;
/** Settle modes of a receiver in receive-and-delete. */
const SETTLED = { sndSettleMode: ubyte(1), rcvSettleMode: ubyte(0) } as const;
/** A delivery tag is a .NET Guid, an AMQP uuid is in the order of RFC 4122. */
const GUID_ORDER = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];

/** A client with an open connection, without SASL. */
export function openClient(server: Server, fields: Fields<'open'> = {}): Promise<FrameClient> {
  return openConnection(new FrameClient('client' in server ? server.client : server), fields);
}

export async function openConnection(client: FrameClient, fields: Fields<'open'>): Promise<FrameClient> {
  client.writeHeader('amqp');
  client.send('open', { containerId: str('a client'), ...fields });
  await client.expectHeader('amqp');
  await client.expect('open');
  return client;
}

export async function beginSession(
  client: FrameClient,
  number = 0,
  shape: BeginShape = {},
): Promise<FrameChannel> {
  const session = client.channel(number);
  session.send('begin', beginFields(shape));
  await session.expect('begin');
  return session;
}

/** One session on a connection of its own. */
export async function openSession(
  server: Server,
  { maxFrameSize = 65_536, ...shape }: BeginShape & { maxFrameSize?: number } = {},
): Promise<FrameChannel> {
  return beginSession(await openClient(server, { maxFrameSize: uint(maxFrameSize) }), 0, shape);
}

/** Resolves when the link has credit. */
export async function attachSender(session: FrameChannel, handle: number, path: string): Promise<void> {
  const target = composite('target', { address: str(path) });
  await attach(session, senderFields(handle, { name: str(`sender-${handle}`), target }));
  await session.take('flow', hasCredit);
}

export async function attachReceiver(
  session: FrameChannel,
  handle: number,
  { path, isSettled }: { path: string; isSettled: boolean },
): Promise<void> {
  const source = composite('source', { address: str(path) });
  const name = str(`receiver-${handle}`);
  await attach(session, receiverFields(handle, { name, source, ...(isSettled ? SETTLED : {}) }));
}

export function hasCredit(flow: Frame): boolean {
  return (numberOf(flow, 'linkCredit') ?? 0) > 0;
}

/** Sends a message in as many transfer frames as there are pieces, and returns its outcome. */
export function sendPieces(
  session: FrameChannel,
  handle: number,
  {
    pieces,
    deliveryId,
    messageFormat = 0,
  }: { pieces: readonly Uint8Array[]; deliveryId: number; messageFormat?: number },
): Promise<Frame> {
  writePieces(session, handle, pieces, { ...namingFields(deliveryId), messageFormat: uint(messageFormat) });
  return takeDisposition(session, deliveryId, 'receiver');
}

export type Written = {
  /** Default: the transfer-id of the first frame. */
  readonly deliveryId?: number;
  readonly settled?: boolean | undefined;
  readonly state?: Encoded | undefined;
  readonly messageFormat?: number;
};

/** Writes a message, in several frames if need be, without waiting; returns its delivery-id. */
export function writeMessage(
  session: FrameChannel,
  handle: number,
  message: Uint8Array,
  { deliveryId = session.sentTransferCount, settled, state, messageFormat = 0 }: Written = {},
): number {
  const pieces: Uint8Array[] = [];
  for (let start = 0; start === 0 || start < message.length; start += PIECE_BYTES) {
    pieces.push(message.subarray(start, start + PIECE_BYTES));
  }
  writePieces(session, handle, pieces, {
    ...namingFields(deliveryId),
    messageFormat: uint(messageFormat),
    ...(settled === undefined ? {} : { settled: boolean(settled) }),
    ...(state === undefined ? {} : { state }),
  });
  return deliveryId;
}

function writePieces(
  session: FrameChannel,
  handle: number,
  pieces: readonly Uint8Array[],
  first: Fields<'transfer'>,
): void {
  for (const [index, payload] of pieces.entries()) {
    const more = boolean(index < pieces.length - 1);
    session.send('transfer', { ...(index === 0 ? first : {}), handle: uint(handle), more }, { payload });
  }
}

function namingFields(deliveryId: number): Fields<'transfer'> {
  return { deliveryId: uint(deliveryId), deliveryTag: bin(Buffer.of(deliveryId & 0xff)) };
}

/** The server's next disposition about a delivery, in this role of the server's when given. */
export function takeDisposition(
  session: FrameChannel,
  deliveryId: number,
  role?: 'sender' | 'receiver',
): Promise<Frame> {
  return session.take('disposition', (frame) => {
    const first = numberOf(frame, 'first') ?? -1;
    const isAbout = first <= deliveryId && deliveryId <= (numberOf(frame, 'last') ?? first);
    return isAbout && (role === undefined || isTrue(frame, 'role') === (role === 'receiver'));
  });
}

export function giveCredit(
  session: FrameChannel,
  handle: number,
  linkCredit: number,
  shape: CreditShape = {},
): void {
  const { nextIncomingId, sentTransferCount } = session;
  const fields = creditFields(handle, linkCredit, { nextIncomingId, ...shape });
  session.send('flow', { ...fields, nextOutgoingId: uint(sentTransferCount) });
}

/** Gives the link the credit for one more message, and takes it. */
export function receiveOne(
  session: FrameChannel,
  handle: number,
  deliveryCount = 0,
): Promise<ReceivedDelivery> {
  giveCredit(session, handle, 1, { deliveryCount });
  return session.takeDelivery();
}

export type TextDelivery = ReceivedDelivery & {
  readonly text: string;
  readonly deliveryCount: number;
  /** In milliseconds; undefined when it is not locked. */
  readonly lockedUntil: number | undefined;
};

/** The next message, with its body as text. */
export async function takeText(session: FrameChannel): Promise<TextDelivery> {
  const delivery = await session.takeDelivery();
  const message = new ReceivedMessage(delivery.payload);
  const body = message.section('data')?.value;
  const hasAnnotations = message.section('messageAnnotations') !== undefined;
  const lockedUntil = hasAnnotations ? message.entry('messageAnnotations', 'x-opt-locked-until') : undefined;
  return {
    ...delivery,
    text: body?.type === 'binary' ? body.value.toString() : '',
    deliveryCount: Number(message.header('deliveryCount')?.value),
    lockedUntil: lockedUntil === undefined ? undefined : Number(lockedUntil.value),
  };
}

/** Settles a delivery and returns the server's answer. */
export function settle(session: FrameChannel, deliveryId: number, state: Encoded): Promise<Frame> {
  session.send('disposition', dispositionFields(deliveryId, deliveryId, { state }));
  return takeDisposition(session, deliveryId, 'sender');
}

/** The lock token in a delivery tag, as `$management` takes it. */
export function lockToken(tag: Buffer): Buffer {
  return Buffer.from(GUID_ORDER.map((index) => tag.readUInt8(index)));
}

/** Detaches a link and takes the answer. */
export async function detachLink(session: FrameChannel, handle: number): Promise<void> {
  writeDetach(session, handle);
  await session.take('detach');
}

export function writeDetach(session: FrameChannel, handle: number): void {
  session.send('detach', { handle: uint(handle), closed: TRUE });
}

export type Refusal = { readonly condition: string | undefined; readonly description: string };

/** The error of the next detach that the server has begun. */
export async function takeRefusal(session: FrameChannel): Promise<Refusal> {
  return refusalIn(await session.take('detach'));
}

export function refusalIn(detach: Frame): Refusal {
  return { condition: conditionOf(detach), description: descriptionOf(detach) };
}

async function attach(session: FrameChannel, fields: Fields<'attach'>): Promise<void> {
  session.send('attach', fields);
  const answer = await session.expect('attach');
  const terminus = answer.field(fields.role === TRUE ? 'source' : 'target');
  if (terminus?.type !== 'described') throw new Error(`the attach was refused: ${answer.text}`);
}
