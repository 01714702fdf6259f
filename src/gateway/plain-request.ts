// A request that asked for another protocol, written again as one that does not.

import type { IncomingMessage } from 'node:http';

/** Headers that speak of the other protocol, or of this connection. */
const LEFT_OUT: readonly string[] = ['connection', 'upgrade', 'http2-settings'];

export function asPlainRequest({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  // Names and values follow each other.
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (!LEFT_OUT.includes(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[index + 1]}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}
