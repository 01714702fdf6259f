// Which runtime a client of TLS is, as far as the cipher suites that it offers tell: each has an order of its own.

export type Runtime = 'Node' | 'Python' | 'Java' | 'Go' | '.NET';

/** The offset of the session id, behind the headers of the record and of the message, the version and 32 random bytes. */
const SESSION_ID = 5 + 4 + 2 + 32;

/**
 * The suites in hexadecimal, as recorded from these runtimes; .NET's are those of its source and of the documentation of Windows.
 * Clients that are held to TLS 1.2 leave out the first two or three. The defaults of OpenSSL, as curl offers them, say nothing.
 */
const ORDERS: readonly (readonly [Runtime, RegExp])[] = [
  ['Node', /^(?:130213031301)?c02fc02bc030c02c/],
  ['Python', /^(?:130213031301)?c02cc030c02bc02fcca9/],
  // The JDK's earlier orders, its present one, and that of Netty's OpenSSL, which the SDK has for HTTPS.
  ['Java', /^13021301.*00ff$/],
  ['Java', /^(?:130213011303)?c02cc02bcca9/],
  ['Java', /^(?:130113021303)?c02cc02bc02fc030c013/],
  // On Linux, and on Windows.
  ['.NET', /^(?:130213031301|13021301)?c02cc02bc030c02f/],
  // Alone in offering those of TLS 1.3 last.
  ['Go', /^(?:c0|cc).*(?:130113021303|130313011302)$/],
];

/** Undefined for all others, and for a greeting that has not come in one piece. */
export function runtimeOf(greeting: Buffer): Runtime | undefined {
  const suites = cipherSuites(greeting);
  return ORDERS.find(([, order]) => order.test(suites))?.[0];
}

function cipherSuites(greeting: Buffer): string {
  const start = SESSION_ID + 1 + (greeting[SESSION_ID] ?? 0) + 2;
  if (greeting.length < start) return '';
  const end = start + greeting.readUInt16BE(start - 2);
  return greeting.length < end ? '' : greeting.toString('hex', start, end);
}
