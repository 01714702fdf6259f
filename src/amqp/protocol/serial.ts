// Arithmetic on AMQP sequence numbers, which wrap at 2^32 (AMQP 2.6.7, RFC 1982).

export function add(a: number, b: number): number {
  return (a + b) >>> 0;
}

/** How far `a` is ahead of `b`; negative when it is behind. */
export function difference(a: number, b: number): number {
  return (a - b) | 0;
}
