// Attacks with what is never finished: halves of messages, single bytes, bodies of requests.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FrameChannel } from '../../test/support/frame-channel.js';
import { str } from '../../test/support/frame-encoder.js';
import { creditFields, pieceFields, senderFields } from '../../test/support/frame-fields.js';
import { attachSender, openSession } from '../../test/support/frame-links.js';
import { composite } from '../../test/support/frame-lists.js';

const MIB = 1024 * 1024;
const PIECE_BYTES = 60_000;
const STOPPED = 4;
const STOPPED_AT_BYTES = 40 * MIB;
const STOPPED_MS = 10_000;
const LINKS_OF_A_SESSION = 5000;
const SESSIONS = 7;
const BODIES = 25;
const BODY_MIB = 90;

function socketTo(port: number): Socket {
  return connect({ host: '127.0.0.1', port }).on('error', () => {});
}

async function drained(socket: Socket): Promise<void> {
  if (!socket.writableNeedDrain) return;
  await Promise.race([once(socket, 'drain'), once(socket, 'close'), sleep(STOPPED_MS)]);
}

/** Large messages that stop in the middle, and then come byte by byte. */
export async function stops(port: number, queue: string): Promise<string> {
  const clients = await Promise.all(
    Array.from({ length: STOPPED }, async () => {
      const socket = socketTo(port);
      const session = await openSession(socket);
      await attachSender(session, 0, queue);
      return { socket, session };
    }),
  );
  await Promise.all(clients.map(({ socket, session }) => sendHalf(socket, session)));
  for (let passed = 0; passed < STOPPED_MS; passed += 1000) {
    for (const { session } of clients) sendPiece(session, 1);
    await sleep(1000);
  }
  const openCount = clients.filter(({ socket }) => !socket.destroyed).length;
  for (const { socket } of clients) socket.destroy();
  return `${openCount} of ${STOPPED} were still connected`;
}

async function sendHalf(socket: Socket, session: FrameChannel): Promise<void> {
  const until = Date.now() + STOPPED_MS;
  for (let sent = 0; sent < STOPPED_AT_BYTES && Date.now() < until; sent += PIECE_BYTES) {
    sendPiece(session, PIECE_BYTES);
    await drained(socket);
  }
}

function sendPiece(session: FrameChannel, byteCount: number, handle = 0, deliveryId = 0): void {
  session.send('transfer', pieceFields(handle, { deliveryId, more: true }), {
    payload: Buffer.alloc(byteCount),
  });
}

/** Many links with one byte of a message each. */
export async function bytes(port: number, queue: string): Promise<string> {
  const target = composite('target', { address: str(queue) });
  const sockets: Socket[] = [];
  for (let count = 0; count < SESSIONS; count++) {
    const socket = socketTo(port);
    sockets.push(socket);
    const session = await openSession(socket);
    for (let handle = 0; handle < LINKS_OF_A_SESSION; handle++) {
      session.send('attach', senderFields(handle, { target }));
      sendPiece(session, 1, handle, handle);
      // Something large in the same read: it would be kept in memory with the byte.
      session.send('flow', { ...creditFields(handle, 0), properties: str('x'.repeat(1000)) });
      if (handle % 100 === 0) await drained(socket);
    }
    await sleep(500);
  }
  await sleep(2000);
  for (const socket of sockets) socket.destroy();
  return `${SESSIONS * LINKS_OF_A_SESSION} links held a byte`;
}

/** Large bodies of HTTP requests at once. */
export async function bodies(port: number, queue: string): Promise<string> {
  const body = Buffer.alloc(BODY_MIB * MIB);
  const answers = Array.from({ length: BODIES }, async () => {
    const headers = { authorization: 'SharedAccessSignature sr=any&sig=any&se=9999999999&skn=any' };
    const url = `http://127.0.0.1:${port}/${queue}/messages`;
    const answer = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined);
    await answer?.text();
    return answer?.status ?? 'closed';
  });
  const counts = new Map<number | string, number>();
  for (const status of await Promise.all(answers)) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} x ${status}`).join(', ');
}
