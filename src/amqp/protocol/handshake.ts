// What comes before a connection is opened: the protocol headers and, between them, SASL (AMQP 2.2, 5.3).

import { DecodeError } from '../../codec/decode-error.js';
import { FRAME_TYPE, type FrameReader } from '../../codec/frames.js';
import type { Output } from './output.js';
import { answerSasl, type Identity, offerMechanisms, refuseSasl } from './sasl.js';

export interface HandshakeListener {
  /** What came first is no header of ours: perhaps of another protocol. */
  misaddressed(firstBytes: Buffer): void;
  /** Whether a SASL client may go on. */
  accepts(identity: Identity): boolean;
}

/** How far one step has come; `unread`: the rest of a header or frame is still to come. */
export type HandshakeStep = 'unread' | 'taken' | 'agreed' | 'over';

const AMQP_HEADER = Buffer.from('414d515000010000', 'hex');
const SASL_HEADER = Buffer.from('414d515003010000', 'hex');

export class Handshake {
  readonly #output: Output;
  readonly #listener: HandshakeListener;
  #awaits: 'header' | 'sasl' | 'amqp-header' = 'header';

  constructor(output: Output, listener: HandshakeListener) {
    this.#output = output;
    this.#listener = listener;
  }

  /** Takes one header or frame and writes the answer. Throws when a frame cannot be one of SASL. */
  step(reader: FrameReader): HandshakeStep {
    return this.#awaits === 'sasl' ? this.#takeSasl(reader) : this.#takeHeader(reader);
  }

  /** What came makes no sense. */
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
    // AMQP 2.2: the header we would have taken, then the close.
    writer.bytes(this.#awaits === 'header' ? SASL_HEADER : AMQP_HEADER);
    return 'over';
  }

  #takeSasl(reader: FrameReader): HandshakeStep {
    const frame = reader.takeFrame();
    if (frame === undefined) return 'unread';
    if (frame.type !== FRAME_TYPE.sasl) throw new DecodeError('a SASL frame is expected');
    const identity = answerSasl(this.#output, frame, (each) => this.#listener.accepts(each));
    if (identity === undefined) return 'over';
    this.#awaits = 'amqp-header';
    return 'taken';
  }
}
