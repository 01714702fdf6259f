// Answers requests that node:http cannot parse or that time out, even while the client is still sending.

import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** Statuses by error code. All other errors are 400. */
const STATUS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Calls `ring` after `delayMs`, unless the returned function is called before. */
type StartTimer = (delayMs: number, ring: () => void) => () => void;

const startRealTimer: StartTimer = (delayMs, ring) => {
  const timer = setTimeout(ring, delayMs);
  return () => clearTimeout(timer);
};

/** Answers on a socket without a pending request. Destroys it after `lingerMs`, unless its client closes it earlier. */
export function answerUnreadable(
  error: Error & { readonly code?: string },
  socket: Duplex,
  lingerMs: number,
  startTimer: StartTimer = startRealTimer,
): void {
  if (!socket.writable) return;
  const status = STATUS[error.code ?? ''] ?? 400;
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`);
  discardRest(socket);
  const cancel = startTimer(lingerMs, () => socket.destroy());
  socket.once('close', cancel);
}

/** Detaches node:http from the socket, because it would carry out a request whose second half arrives after the 408. */
function discardRest(socket: Duplex): void {
  socket.removeAllListeners('data');
  // A 'data' listener makes node:http give the stream back the bytes that it reads from the handle.
  socket.on('data', () => {}).resume();
}
