// Hints for people whose clients use the wrong protocol. Each is logged once, because clients retry.

const TLS_HANDSHAKE = 0x16;

export class Hints {
  readonly #onHint: (hint: string) => void;
  readonly #given = new Set<string>();

  constructor(onHint: (hint: string) => void) {
    this.#onHint = onHint;
  }

  /** `firstBytes` are the first eight bytes of a client that sent no AMQP 1.0 header. */
  misaddressed(firstBytes: Buffer): void {
    const hint = hintFor(firstBytes);
    if (this.#given.has(hint)) return;
    this.#given.add(hint);
    this.#onHint(hint);
  }
}

function hintFor(firstBytes: Buffer): string {
  const text = firstBytes.toString('latin1');
  if (firstBytes[0] === TLS_HANDSHAKE) {
    return 'A client came with TLS, which is switched off here (--no-tls): its connection string needs UseDevelopmentEmulator=true';
  }
  if (text.startsWith('AMQP')) {
    return `A client came with AMQP ${firstBytes.subarray(4).join('.')}, not with 1.0: is it one for RabbitMQ?`;
  }
  return `A client came with a protocol that is not known here: it began with ${JSON.stringify(text)}`;
}
