// Hints for people whose clients use the wrong protocol, stop in the middle of a message, or are too many. One of each kind is
// logged, because clients try again, some of them with different bytes each time.

const TLS_HANDSHAKE = 0x16;

type Kind = 'tls' | 'amqp' | 'unknown' | 'slow' | 'many';
type Hint = { readonly kind: Kind; readonly text: string };

export class Hints {
  readonly #onHint: (hint: string) => void;
  readonly #given = new Set<Kind>();

  constructor(onHint: (hint: string) => void) {
    this.#onHint = onHint;
  }

  /** `firstBytes` are the first eight bytes of a client that sent no AMQP 1.0 header. */
  misaddressed(firstBytes: Buffer): void {
    this.#give(hintFor(firstBytes));
  }

  /** `client` names its product or address. */
  tooSlow(client: string, linkCount: number): void {
    const text =
      `${client} was detached from ${linkCount} of its links: it had begun messages, and their rest came too slowly or not at all. ` +
      'It gets the error amqp:resource-limit-exceeded and may send them again; --limits none gives messages any time.';
    this.#give({ kind: 'slow', text });
  }

  tooManyConnections(limit: number): void {
    const text =
      `A client was refused: ${limit} connections are open, as many as a namespace of the service has. ` +
      'Close clients that are no longer used, or lift the limit with --limits none';
    this.#give({ kind: 'many', text });
  }

  #give({ kind, text }: Hint): void {
    if (this.#given.has(kind)) return;
    this.#given.add(kind);
    this.#onHint(text);
  }
}

function hintFor(firstBytes: Buffer): Hint {
  const begin = firstBytes.toString('latin1');
  if (firstBytes[0] === TLS_HANDSHAKE) {
    const text =
      'A client came with TLS, which is switched off here (--no-tls): its connection string needs UseDevelopmentEmulator=true';
    return { kind: 'tls', text };
  }
  if (begin.startsWith('AMQP')) {
    const version = firstBytes.subarray(4).join('.');
    return {
      kind: 'amqp',
      text: `A client came with AMQP ${version}, not with 1.0: is it one for RabbitMQ?`,
    };
  }
  const shown = JSON.stringify(begin);
  return {
    kind: 'unknown',
    text: `A client came with a protocol that is not known here: it began with ${shown}`,
  };
}
