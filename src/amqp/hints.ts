// Tells a person what the usual mistakes look like from here: once each, since clients repeat themselves.

const TLS_HANDSHAKE = 0x16;

export class Hints {
  readonly #tell: (hint: string) => void;
  readonly #told = new Set<string>();

  constructor(tell: (hint: string) => void) {
    this.#tell = tell;
  }

  /** `firstBytes` are the eight with which a client began that are no AMQP 1.0 header. */
  misaddressed(firstBytes: Buffer): void {
    const hint = hintFor(firstBytes);
    if (this.#told.has(hint)) return;
    this.#told.add(hint);
    this.#tell(hint);
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
