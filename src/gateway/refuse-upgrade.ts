// Refuses a request for another protocol: node:http leaves its socket without an answer.

import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

export type Refusal = { readonly status: number; readonly text: string };

export function refuseUpgrade(socket: Duplex, { status, text }: Refusal): void {
  const body = `${text}\n`;
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: text/plain; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  // It has nothing more to say that would be heard, and may never close its side.
  socket.resume();
  socket.once('finish', () => socket.destroy());
}
