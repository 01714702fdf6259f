// Attacks with what is never finished: halves of messages and of bodies, and large ones beside each other.

import { setTimeout as sleep } from 'node:timers/promises';
import rhea from 'rhea';
import { map, str, sym } from '../../../test/support/frame-encoder.js';
import { creditFields, pieceFields } from '../../../test/support/frame-fields.js';
import { ATTACKED_QUEUE, type Attack, about, type Context, hold, oneOf, type Told } from '../attack.js';
import {
  AUTHORIZATION,
  ask,
  type Door,
  drained,
  FramePeer,
  firstOf,
  openConnection,
  openDuplex,
  openSender,
} from '../client.js';

const MIB = 1024 * 1024;
const PIECE_BYTES = 60_000;
const HELD_SECONDS = 5;
const STALLED_MS = 2000;
const LINKS_OF_A_CONNECTION = 5000;

type Halves = { readonly connections: number; readonly bytes: number };

/** Many connections, each with as much of a message as it is asked for; some go on byte by byte. */
async function halfMessages(context: Context, { connections, bytes }: Halves): Promise<Told> {
  const { port, random } = context;
  const peers = Array.from({ length: connections }, () => {
    const peer = new FramePeer(openDuplex(port, oneOf<Door>(random, 'tcp', 'websocket')));
    peer.attachSender(0, ATTACKED_QUEUE);
    return peer;
  });
  await Promise.all(peers.map((peer) => sendHalf(peer, bytes)));
  for (let second = 0; second < HELD_SECONDS; second++) {
    for (const peer of peers) sendPiece(peer, 1);
    await hold(context, 1000);
  }
  const open = peers.filter(({ duplex }) => !duplex.destroyed).length;
  return {
    text: `${connections} messages stopped at ${(bytes / MIB).toFixed(1)} MiB, ${open} still connected`,
  };
}

async function sendHalf(peer: FramePeer, bytes: number): Promise<void> {
  for (let sent = 0; sent < bytes && !peer.duplex.destroyed; sent += PIECE_BYTES) {
    sendPiece(peer, PIECE_BYTES);
    if (!peer.duplex.writableNeedDrain) continue;
    await drained(peer.duplex, STALLED_MS);
    if (peer.duplex.writableNeedDrain) return; // it is not read any more
  }
}

function sendPiece(peer: FramePeer, byteCount: number, handle = 0): void {
  if (peer.duplex.destroyed || peer.duplex.writableNeedDrain) return;
  peer.send('transfer', pieceFields(handle, { deliveryId: handle, more: true }), {
    payload: Buffer.alloc(byteCount),
  });
}

/** Many links with one byte of a message each. */
async function singleBytes(context: Context): Promise<Told> {
  const links = about(context, 35_000);
  let peer: FramePeer | undefined;
  for (let count = 0; count < links; count++) {
    const handle = count % LINKS_OF_A_CONNECTION;
    if (peer === undefined || handle === 0 || peer.duplex.destroyed)
      peer = new FramePeer(openDuplex(context.port));
    peer.attachSender(handle, ATTACKED_QUEUE);
    sendPiece(peer, 1, handle);
    // Something large in the same read: it would be kept in memory with the byte.
    peer.send('flow', { ...creditFields(handle, 0), properties: map([[sym('x'), str('x'.repeat(1000))]]) });
    peer.duplex.resume();
    await drained(peer.duplex);
  }
  await hold(context);
  return { text: `${links} links with a byte each` };
}

/** Many requests with half of their bodies. */
async function halfBodies(context: Context, { connections, bytes }: Halves): Promise<Told> {
  const { port } = context;
  const body = Buffer.alloc(bytes, 'x');
  const sockets = Array.from({ length: connections }, () => openDuplex(port));
  for (const [index, socket] of sockets.entries()) {
    socket.write(
      `POST /${ATTACKED_QUEUE}/messages HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${AUTHORIZATION}\r\n` +
        `Content-Length: ${2 * bytes}\r\n\r\n`,
    );
    socket.write(body);
    if (index % 50 === 0) await sleep(20);
  }
  await hold(context);
  const open = sockets.filter(({ destroyed }) => !destroyed).length;
  return {
    text: `${connections} bodies stopped at ${(bytes / MIB).toFixed(2)} MiB, ${open} still connected`,
  };
}

/** Large messages at once, over AMQP and HTTP, each of which must be taken. */
async function uploads(context: Context): Promise<Told> {
  const { port, random, scale } = context;
  const count = random.integer(1, 4);
  const outcomes = await Promise.all(
    Array.from({ length: count }, (_, index) => {
      const bytes = Math.round(random.integer(70, 95) * MIB * scale);
      return index === 3
        ? uploadBody(port, bytes)
        : uploadMessage(port, oneOf<Door>(random, 'tcp', 'websocket'), bytes);
    }),
  );
  const refused = outcomes.filter((outcome) => outcome !== 'accepted');
  return {
    text: `${count} large messages`,
    problems: refused.map((outcome) => `a large message was ${outcome}`),
  };
}

async function uploadMessage(port: number, door: Door, bytes: number): Promise<string> {
  const connection = openConnection(port, door);
  const sender = await openSender(connection, ATTACKED_QUEUE);
  sender.send({ body: rhea.message.data_section(Buffer.alloc(bytes)) });
  const outcome = await Promise.race([
    firstOf(sender, 'accepted', 'rejected', 'sender_close'),
    firstOf(connection, 'disconnected'),
  ]);
  connection.close();
  return outcome;
}

async function uploadBody(port: number, bytes: number): Promise<string> {
  const body = Buffer.alloc(bytes);
  const { status } = await ask(port, { path: `/${ATTACKED_QUEUE}/messages`, method: 'POST', body });
  return status === 201 ? 'accepted' : `answered ${status}`;
}

export const HALF_ATTACKS: Readonly<Record<string, Attack>> = {
  'half-messages': {
    about: '800 connections with half a message each',
    run: (context) => {
      const [connections, mib] = oneOf(context.random, [800, 1], [800, 2], [400, 4]);
      return halfMessages(context, { connections: about(context, connections), bytes: mib * MIB });
    },
  },
  'half-messages-large': {
    about: 'a few connections with half of a very large message each',
    run: (context) => {
      const { random } = context;
      return halfMessages(context, {
        connections: random.integer(2, 20),
        bytes: random.integer(20, 60) * MIB,
      });
    },
  },
  'single-bytes': { about: '35,000 links with one byte of a message each', run: singleBytes },
  'half-bodies': {
    about: '3,000 requests with half of their bodies',
    run: (context) => {
      const bytes = context.random.integer(100, 500) * 1000;
      return halfBodies(context, { connections: about(context, 3000), bytes });
    },
  },
  'half-bodies-large': {
    about: 'a few requests with half of a very large body',
    run: (context) => {
      const { random } = context;
      return halfBodies(context, { connections: random.integer(5, 25), bytes: random.integer(20, 45) * MIB });
    },
  },
  uploads: { about: 'messages of up to 95 MiB at once', run: uploads },
};
