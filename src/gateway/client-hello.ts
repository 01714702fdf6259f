// Recognises the runtime of a TLS client by the order of its cipher suites, and whether it comes for HTTPS or for AMQP.

export type Runtime = 'Node' | 'Python' | 'Java' | 'Go' | '.NET';

/** Offset of the session id, after the record and message headers, the version and 32 random bytes. */
const SESSION_ID = 5 + 4 + 2 + 32;

/** The order of Netty's OpenSSL, which offers no protocol. Only HTTPS uses it. */
const NETTY = /^(?:130113021303)?c02cc02bc02fc030c013/;

/**
 * Cipher suites in hexadecimal, recorded from these runtimes; .NET's come from its source and the documentation of Windows.
 * Clients limited to TLS 1.2 leave out the first two or three. OpenSSL's defaults, which curl offers, identify nothing.
 */
const ORDERS: readonly (readonly [Runtime, RegExp])[] = [
  ['Node', /^(?:130213031301)?c02fc02bc030c02c/],
  ['Python', /^(?:130213031301)?c02cc030c02bc02fcca9/],
  // Three orders: older JDKs, the current JDK, and Netty's OpenSSL.
  ['Java', /^13021301.*00ff$/],
  ['Java', /^(?:130213011303)?c02cc02bcca9/],
  ['Java', NETTY],
  // One order on Linux, one on Windows.
  ['.NET', /^(?:130213031301|13021301)?c02cc02bc030c02f/],
  // Only Go offers the suites of TLS 1.3 last.
  ['Go', /^(?:c0|cc).*(?:130113021303|130313011302)$/],
];

/** The type of the extension in which a client offers protocols (ALPN). */
const OFFERED_PROTOCOLS = 16;

/** The runtime; undefined when it is another one, or when the client hello did not arrive in one chunk. */
export function runtimeOf(clientHello: Buffer): Runtime | undefined {
  const suites = cipherSuites(clientHello).toString('hex');
  return ORDERS.find(([, order]) => order.test(suites))?.[0];
}

/** Whether the client speaks HTTPS: then it offers protocols, which clients of AMQP do not. */
export function isForHttps(clientHello: Buffer): boolean {
  const suites = cipherSuites(clientHello);
  if (NETTY.test(suites.toString('hex'))) return true;
  const compression = suites.byteOffset - clientHello.byteOffset + suites.length;
  // The lengths of the compression methods and of all extensions come first.
  let at = compression + 1 + (clientHello[compression] ?? 0) + 2;
  while (suites.length > 0 && at + 4 <= clientHello.length) {
    if (clientHello.readUInt16BE(at) === OFFERED_PROTOCOLS) return true;
    at += 4 + clientHello.readUInt16BE(at + 2);
  }
  return false;
}

/** Empty when they did not arrive whole. */
function cipherSuites(clientHello: Buffer): Buffer {
  const start = SESSION_ID + 1 + (clientHello[SESSION_ID] ?? 0) + 2;
  if (clientHello.length < start) return clientHello.subarray(0, 0);
  const end = start + clientHello.readUInt16BE(start - 2);
  return clientHello.subarray(start, clientHello.length < end ? start : end);
}
