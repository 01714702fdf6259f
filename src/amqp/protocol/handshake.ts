// The start of a connection, before its open: the protocol headers and, between them, SASL (AMQP 2.2, 5.3).

import { DecodeError } from '../../codec/decode-error.js';
import { FRAME_TYPE, type Frame, type FrameReader, writeFrame } from '../../codec/frames.js';
import { readPerformative } from '../../codec/performatives.js';
import type { Output } from './output.js';
import { ProtocolError } from './protocol-error.js';

/** Mechanisms in the order in which they are offered: rhea's client takes the first that it knows, qpid-jms the strongest that it has credentials for. */
const SASL_MECHANISMS = ['MSSBCBS', 'PLAIN', 'ANONYMOUS', 'EXTERNAL'] as const;

/** The client's identity, as its SASL response states it. */
export type Identity =
  | { readonly mechanism: 'MSSBCBS' | 'ANONYMOUS' | 'EXTERNAL'; readonly name: string }
  | { readonly mechanism: 'PLAIN'; readonly name: string; readonly password: string };

export interface HandshakeListener {
  /** Called when the client's first bytes are not a header of AMQP 1.0; it may speak another protocol. */
  misaddressed(firstBytes: Buffer): void;
  /** Whether a SASL client is accepted; undefined if `Connection.decide` will be called with the answer. */
  accepts(identity: Identity): boolean | undefined;
}

/** `unread`: the rest of a header or frame is still to come; `agreed`: AMQP frames come next. */
type HandshakeStep = 'unread' | 'taken' | 'agreed' | 'over';

const AMQP_HEADER = Buffer.from('414d515000010000', 'hex');
const SASL_HEADER = Buffer.from('414d515003010000', 'hex');

const OUTCOME = { ok: 0, auth: 1, sys: 2 } as const;

export class Handshake {
  readonly #output: Output;
  readonly #listener: HandshakeListener;
  #awaits: 'header' | 'sasl' | 'decision' | 'amqp-header' = 'header';

  constructor(output: Output, listener: HandshakeListener) {
    this.#output = output;
    this.#listener = listener;
  }

  /** Reads one header or frame and writes the answer. Throws if a frame is not a SASL frame. */
  step(reader: FrameReader): HandshakeStep {
    if (this.#awaits === 'decision') return 'unread';
    return this.#awaits === 'sasl' ? this.#takeSasl(reader) : this.#takeHeader(reader);
  }

  /** Answers a client of SASL. */
  decide(isAccepted: boolean): HandshakeStep {
    writeOutcome(this.#output, isAccepted ? OUTCOME.ok : OUTCOME.auth);
    this.#awaits = 'amqp-header';
    return isAccepted ? 'taken' : 'over';
  }

  /** Answers input that cannot be decoded. */
  fail(): void {
    if (this.#awaits === 'sasl') refuseSasl(this.#output);
  }

  #takeHeader(reader: FrameReader): HandshakeStep {
    const header = reader.takeProtocolHeader();
    if (header === undefined) return 'unread';
    const { writer } = this.#output;
    if (header.equals(AMQP_HEADER)) {
      writer.bytes(AMQP_HEADER);
      return 'agreed';
    }
    if (header.equals(SASL_HEADER) && this.#awaits === 'header') {
      writer.bytes(SASL_HEADER);
      offerMechanisms(this.#output);
      this.#awaits = 'sasl';
      return 'taken';
    }
    this.#listener.misaddressed(header);
    // AMQP 2.2: the header that we expected, then the close.
    writer.bytes(this.#awaits === 'header' ? SASL_HEADER : AMQP_HEADER);
    return 'over';
  }

  #takeSasl(reader: FrameReader): HandshakeStep {
    const frame = reader.takeFrame();
    if (frame === undefined) return 'unread';
    if (frame.type !== FRAME_TYPE.sasl) throw new DecodeError('a SASL frame is expected');
    const identity = readIdentity(frame);
    const isAccepted = identity === undefined ? false : this.#listener.accepts(identity);
    if (isAccepted !== undefined) return this.decide(isAccepted);
    this.#awaits = 'decision';
    return 'unread';
  }
}

function offerMechanisms(output: Output): void {
  writeFrame(output.writer, {
    type: FRAME_TYPE.sasl,
    channel: 0,
    performative: { kind: 'sasl-mechanisms', mechanisms: SASL_MECHANISMS },
  });
}

/** Refuses a peer whose SASL bytes cannot be decoded. */
function refuseSasl(output: Output): void {
  writeOutcome(output, OUTCOME.sys);
}

function writeOutcome(output: Output, code: number): void {
  writeFrame(output.writer, {
    type: FRAME_TYPE.sasl,
    channel: 0,
    performative: { kind: 'sasl-outcome', code },
  });
}

function readIdentity(frame: Frame): Identity | undefined {
  const { performative } = readPerformative(frame.body);
  if (performative.kind !== 'sasl-init') {
    throw new ProtocolError(
      'connection',
      'amqp:not-allowed',
      `sasl-init is expected, not ${performative.kind}`,
    );
  }
  const response = performative.initialResponse?.toString('utf8') ?? '';
  switch (performative.mechanism) {
    case 'MSSBCBS':
    case 'ANONYMOUS':
    case 'EXTERNAL':
      return { mechanism: performative.mechanism, name: response.replace(/^\0/, '') };
    case 'PLAIN': {
      const [, name, password] = response.split('\0');
      return name === undefined || password === undefined
        ? undefined
        : { mechanism: 'PLAIN', name, password };
    }
    default:
      return undefined;
  }
}
