// Recognises the runtime of a TLS client by the order of its cipher suites.

export type Runtime = 'Node' | 'Python' | 'Java' | 'Go' | '.NET';

/** Offset of the session id, after the record and message headers, the version and 32 random bytes. */
const SESSION_ID = 5 + 4 + 2 + 32;

/**
 * Cipher suites in hexadecimal, recorded from these runtimes; .NET's come from its source and the documentation of Windows.
 * Clients limited to TLS 1.2 leave out the first two or three. OpenSSL's defaults, which curl offers, identify nothing.
 */
const ORDERS: readonly (readonly [Runtime, RegExp])[] = [
  ['Node', /^(?:130213031301)?c02fc02bc030c02c/],
  ['Python', /^(?:130213031301)?c02cc030c02bc02fcca9/],
  // Three orders: older JDKs, the current JDK, and Netty's OpenSSL, which the SDK uses for HTTPS.
  ['Java', /^13021301.*00ff$/],
  ['Java', /^(?:130213011303)?c02cc02bcca9/],
  ['Java', /^(?:130113021303)?c02cc02bc02fc030c013/],
  // One order on Linux, one on Windows.
  ['.NET', /^(?:130213031301|13021301)?c02cc02bc030c02f/],
  // Only Go offers the suites of TLS 1.3 last.
  ['Go', /^(?:c0|cc).*(?:130113021303|130313011302)$/],
];

/** The runtime; undefined when it is another one, or when the client hello did not arrive in one chunk. */
export function runtimeOf(clientHello: Buffer): Runtime | undefined {
  const suites = cipherSuites(clientHello);
  return ORDERS.find(([, order]) => order.test(suites))?.[0];
}

function cipherSuites(clientHello: Buffer): string {
  const start = SESSION_ID + 1 + (clientHello[SESSION_ID] ?? 0) + 2;
  if (clientHello.length < start) return '';
  const end = start + clientHello.readUInt16BE(start - 2);
  return clientHello.length < end ? '' : clientHello.toString('hex', start, end);
}
