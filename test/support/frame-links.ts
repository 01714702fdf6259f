// The shortest way to send and receive frame by frame: a connection without SASL, one session, links in receive-and-delete or peek-lock.

import type { Duplex } from 'node:stream';
import { type FrameChannel, numberOf, type ReceivedDelivery } from './frame-channel.js';
import { FrameClient } from './frame-client.js';
import { bin, type Encoded, FALSE, str, TRUE, ubyte, uint } from './frame-encoder.js';
import type { Frame } from './frame-inbox.js';
import { composite, type Fields } from './frame-lists.js';

const WINDOW = uint(2_147_483_647);
const SETTLED = { sndSettleMode: ubyte(1), rcvSettleMode: ubyte(0) } as const;
const UNSETTLED = { sndSettleMode: ubyte(0), rcvSettleMode: ubyte(1) } as const;

/** One session on a connection of its own. */
export async function openSession(duplex: Duplex, { maxFrameSize = 65_536 } = {}): Promise<FrameChannel> {
  const client = new FrameClient(duplex);
  client.writeHeader('amqp');
  client.send('open', { containerId: str('a client'), maxFrameSize: uint(maxFrameSize) });
  await client.expectHeader('amqp');
  await client.expect('open');
  const session = client.channel(0);
  session.send('begin', { nextOutgoingId: uint(0), incomingWindow: WINDOW, outgoingWindow: WINDOW });
  await session.expect('begin');
  return session;
}

export async function attachSender(session: FrameChannel, handle: number, path: string): Promise<void> {
  await attach(session, {
    name: str(`sender-${handle}`),
    handle: uint(handle),
    role: FALSE,
    source: composite('source'),
    target: composite('target', { address: str(path) }),
    initialDeliveryCount: uint(0),
  });
  await session.take('flow', (flow) => Number(flow.field('linkCredit')?.value ?? 0) > 0);
}

export async function attachReceiver(
  session: FrameChannel,
  handle: number,
  { path, isSettled }: { path: string; isSettled: boolean },
): Promise<void> {
  await attach(session, {
    name: str(`receiver-${handle}`),
    handle: uint(handle),
    role: TRUE,
    ...(isSettled ? SETTLED : UNSETTLED),
    source: composite('source', { address: str(path) }),
    target: composite('target'),
  });
}

/** Sends a message in as many transfer frames as there are pieces, and gives back its outcome. */
export function sendPieces(
  session: FrameChannel,
  handle: number,
  {
    pieces,
    deliveryId,
    messageFormat = 0,
  }: { pieces: readonly Uint8Array[]; deliveryId: number; messageFormat?: number },
): Promise<Frame> {
  for (const [index, payload] of pieces.entries()) {
    const isFirst = index === 0;
    const naming = { deliveryId: uint(deliveryId), deliveryTag: bin(Buffer.of(deliveryId & 0xff)) };
    session.send(
      'transfer',
      {
        handle: uint(handle),
        ...(isFirst ? { ...naming, messageFormat: uint(messageFormat) } : {}),
        more: index < pieces.length - 1 ? TRUE : FALSE,
      },
      { payload },
    );
  }
  return session.take('disposition', (frame) => numberOf(frame, 'first') === deliveryId);
}

/** Gives the link the credit for one more message, and takes it. */
export async function receiveOne(
  session: FrameChannel,
  handle: number,
  deliveryCount = 0,
): Promise<ReceivedDelivery> {
  session.send('flow', {
    nextIncomingId: uint(session.nextIncomingId),
    incomingWindow: WINDOW,
    nextOutgoingId: uint(session.sentTransferCount),
    outgoingWindow: WINDOW,
    handle: uint(handle),
    deliveryCount: uint(deliveryCount),
    linkCredit: uint(1),
  });
  return session.takeDelivery();
}

/** Settles a delivery and gives back the server's word on it. */
export function settle(session: FrameChannel, deliveryId: number, state: Encoded): Promise<Frame> {
  session.send('disposition', { role: TRUE, first: uint(deliveryId), settled: FALSE, state });
  return session.take('disposition', (frame) => frame.field('role')?.value === false);
}

async function attach(session: FrameChannel, fields: Fields<'attach'>): Promise<void> {
  session.send('attach', fields);
  const answer = await session.expect('attach');
  const terminus = answer.field(fields.role === TRUE ? 'source' : 'target');
  if (terminus?.type !== 'described') throw new Error(`the attach was refused: ${answer.text}`);
}
