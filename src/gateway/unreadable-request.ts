// Answers what node:http cannot read as a request, or has waited for too long; a client that is still sending gets its answer, too.

import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** Any other fault of a request is 400. */
const STATUS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Calls `ring` when `delayMs` have passed, unless the function that it returns is called before. */
type After = (delayMs: number, ring: () => void) => () => void;

const afterRealTime: After = (delayMs, ring) => {
  const timer = setTimeout(ring, delayMs);
  return () => clearTimeout(timer);
};

/** For a socket on which no other request is under way. It is destroyed after `lingerMs`, unless its client closes it before. */
export function answerUnreadable(
  error: Error & { readonly code?: string },
  socket: Duplex,
  lingerMs: number,
  after: After = afterRealTime,
): void {
  // It is gone already.
  if (!socket.writable) return;
  const status = STATUS[error.code ?? ''] ?? 400;
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`);
  discardRest(socket);
  const cancel = after(lingerMs, () => socket.destroy());
  socket.once('close', cancel);
}

/** Takes the socket from node:http, which would carry out a request whose other half comes after its 408. */
function discardRest(socket: Duplex): void {
  socket.removeAllListeners('data');
  // For a listener of 'data', node:http also gives back the bytes that it reads beside the stream.
  socket.on('data', () => {}).resume();
}
