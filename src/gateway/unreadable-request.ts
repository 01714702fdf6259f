// Answers what node:http cannot read as a request, or has waited for too long; a client that is still sending gets its answer, too.

import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** Time in which a client may finish sending. A socket that is closed before that is reset, and the answer may be lost. */
const LINGER_MS = 1000;
/** Any other fault of a request is 400. */
const STATUS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** node:http goes on reading, and reports the same fault for each chunk. */
export function answerUnreadable(
  error: Error & { readonly code?: string },
  socket: Duplex,
  lingerMs = LINGER_MS,
): void {
  // The answer is out already.
  if (socket.writableEnded) return;
  if (!socket.writable) {
    socket.destroy(error);
    return;
  }
  const status = STATUS[error.code ?? ''] ?? 400;
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`);
  const linger = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(linger));
}
