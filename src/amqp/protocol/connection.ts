// One AMQP connection as a state machine: bytes in; bytes and events out. It knows no socket, no clock and no Service Bus.

import { DecodeError } from '../../codec/decode-error.js';
import {
  FRAME_TYPE,
  type Frame,
  FrameReader,
  MIN_MAX_FRAME_SIZE,
  writeFrame,
  writeHeartbeat,
} from '../../codec/frames.js';
import { readUsualTransfer } from '../../codec/hot-frames.js';
import {
  type AmqpError,
  type AmqpPerformative,
  type Open,
  readPerformative,
} from '../../codec/performatives.js';
import { amqp } from '../../codec/types.js';
import { encodedError } from './fitting-error.js';
import { Handshake, type HandshakeListener } from './handshake.js';
import { Liveness } from './liveness.js';
import { Output } from './output.js';
import { ProtocolError } from './protocol-error.js';
import { Returns } from './returns.js';
import type { Link, Session } from './session.js';
import { SessionTable } from './session-table.js';

export interface ConnectionListener extends HandshakeListener {
  /** Bytes wait in `output`; said once until they are taken. */
  outputReady(): void;
  opened(open: Open): void;
  /** A link asks to be accepted or refused, now or later; its termini can be decoded. */
  attached(link: Link): void;
  /** Nothing more will be read or written once `output` is taken; links have been told. `fault` is a bug of ours. */
  ended(error: AmqpError | undefined, fault?: unknown): void;
}

export type ConnectionOptions = {
  readonly containerId: string;
  readonly product: string;
  readonly version: string;
  /** Offered to a client that desires them. */
  readonly capabilities?: readonly string[];
  /** Where the ids of transfers and deliveries begin in each session: 0, unless a test is to see them wrap. */
  readonly firstOutgoingId?: number;
};

/** Announced to the peer (MSG-13); larger messages span several frames. */
const MAX_FRAME_SIZE = 65_536;
/** A peer that takes any frame size is not sent larger ones than this. */
const MAX_OUTGOING_FRAME = 256 * 1024;
const CHANNEL_MAX = 0xffff;
const IDLE_TIME_OUT_MS = 120_000;
const HANDSHAKE_MS = 30_000;
/** Output that may wait for the socket before deliveries are held back. */
const OUTPUT_HIGH_WATER_BYTES = 1024 * 1024;

const NOTHING = Buffer.alloc(0);

const BROKEN: AmqpError = {
  condition: 'amqp:internal-error',
  description: 'The emulator failed to handle this connection; see its log.',
};

/** `open`: the peer's open is awaited. */
type State = 'handshake' | 'open' | 'opened' | 'ended';

export class Connection {
  readonly listener: ConnectionListener;
  readonly output = new Output();
  readonly emptyMap = amqp.map([]);
  readonly #options: ConnectionOptions;
  readonly #liveness = new Liveness();
  readonly #reader = new FrameReader(MAX_FRAME_SIZE);
  readonly #handshake: Handshake;
  readonly #sessions = new SessionTable(this);
  readonly #returns = new Returns((channel, ending) => this.#sessions.leaving(channel, ending));
  #state: State = 'handshake';
  #isOutputAnnounced = false;
  #maxOutgoingFrame = MIN_MAX_FRAME_SIZE;
  #remoteIdleMs: number | undefined;
  /** Bytes taken from `output` that the socket has not yet passed on; kept by the transport. */
  unsentBytes = 0;
  /** Bytes of messages that have come in part, or before their link was attached, or that wait for the end of a transaction. */
  heldBytes = 0;
  /** Nothing is read from the peer for now; kept by the transport. */
  isHeldBack = false;

  constructor(listener: ConnectionListener, options: ConnectionOptions) {
    this.listener = listener;
    this.#options = options;
    this.#handshake = new Handshake(this.output, listener);
  }

  get isEnded(): boolean {
    return this.#state === 'ended';
  }

  get firstOutgoingId(): number {
    return this.#options.firstOutgoingId ?? 0;
  }

  get maxOutgoingFrame(): number {
    return this.#maxOutgoingFrame;
  }

  /** Whether deliveries may be written; when not, call `roomMade` later. */
  get hasRoom(): boolean {
    return this.unsentBytes + this.output.byteLength < OUTPUT_HIGH_WATER_BYTES;
  }

  /** Takes bytes from the peer. A breach of the protocol ends the connection, never the caller. */
  receive(chunk: Buffer): void {
    if (this.#state === 'ended') return;
    this.#liveness.received();
    this.#reader.push(chunk);
    try {
      while (!this.isEnded && this.#step()) {}
      this.#receiveHeld();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The buffers of the next write. Ends what was to be said in this turn, such as gathered outcomes. */
  takeOutput(): { buffers: readonly Buffer[]; hasMore: boolean } {
    this.#sessions.flushOutcomes();
    this.#isOutputAnnounced = false;
    return this.output.take();
  }

  /** The socket has passed bytes on: deliveries that waited for room go out. */
  roomMade(): void {
    this.#sessions.offerRoom();
  }

  /** To be called every second or so with the real time: heartbeats, idle peers, slow handshakes. */
  tick(nowMs: number): void {
    if (this.isEnded) return;
    // A peer that is not read cannot be said to be silent.
    if (this.isHeldBack) this.#liveness.received();
    const { ageMs, peerSilentMs, selfSilentMs } = this.#liveness.tick(nowMs);
    if (this.#state !== 'opened') {
      if (ageMs >= HANDSHAKE_MS && !this.isHeldBack) this.#end(undefined);
      return;
    }
    if (peerSilentMs >= 2 * IDLE_TIME_OUT_MS) {
      this.close({
        condition: 'amqp:resource-limit-exceeded',
        description: `nothing was received for ${peerSilentMs} ms; the idle-time-out is ${IDLE_TIME_OUT_MS} ms`,
      });
    } else if (this.#remoteIdleMs !== undefined && selfSilentMs >= this.#remoteIdleMs / 2) {
      this.writeEmptyFrame();
    }
  }

  /** Says nothing but that we are here. */
  writeEmptyFrame(): void {
    if (this.#state !== 'opened') return;
    writeHeartbeat(this.output.writer);
    this.outputReady();
  }

  /** Says goodbye with a reason and ends. */
  close(error: AmqpError | undefined, fault?: unknown): void {
    if (this.isEnded) return;
    if (this.#state === 'opened') {
      this.#sessions.flushOutcomes();
      this.writeFrame(0, { kind: 'close', error: encodedError(error, this.#maxOutgoingFrame) });
    }
    this.#end(error, fault);
  }

  /** Something of ours broke while it dealt with this connection, which ends here; others go on. */
  fault(cause: unknown): void {
    this.close(BROKEN, cause);
  }

  /** The socket is gone. */
  disconnected(): void {
    this.#end(undefined);
  }

  writeFrame(channel: number, performative: AmqpPerformative): void {
    if (this.isEnded) return;
    writeFrame(this.output.writer, { type: FRAME_TYPE.amqp, channel, performative });
    this.outputReady();
  }

  needsOutcomeFlush(session: Session): void {
    this.#sessions.needsOutcomeFlush(session);
    this.outputReady();
  }

  outputReady(): void {
    this.#liveness.sent();
    if (this.#isOutputAnnounced) return;
    this.#isOutputAnnounced = true;
    this.listener.outputReady();
  }

  /** Takes one header or frame off the input; false when there is none. */
  #step(): boolean {
    return this.#state === 'handshake' ? this.#takeHandshake() : this.#takeAmqp();
  }

  #takeHandshake(): boolean {
    const step = this.#handshake.step(this.#reader);
    if (step === 'unread') return false;
    this.outputReady();
    if (step === 'agreed') this.#state = 'open';
    if (step === 'over') this.#end(undefined);
    return true;
  }

  #takeAmqp(): boolean {
    const frame = this.#reader.takeFrame();
    if (frame === undefined) return false;
    if (frame.type !== FRAME_TYPE.amqp) throw new DecodeError(`a frame has type ${frame.type}`);
    if (frame.body.length === 0) return true;
    const { performative, next } = readUsualTransfer(frame.body) ?? readPerformative(frame.body);
    if (performative.kind.startsWith('sasl-'))
      throw new DecodeError('a SASL performative came in an AMQP frame');
    this.#receivePerformative(frame, performative as AmqpPerformative, frame.body.subarray(next));
    return true;
  }

  #receivePerformative(frame: Frame, performative: AmqpPerformative, payload: Buffer): void {
    if (this.#state === 'open') {
      if (performative.kind !== 'open') throw new DecodeError(`${performative.kind} came before open`);
      this.#onOpen(performative);
      return;
    }
    if (this.#returns.holds(frame.channel, performative)) return;
    this.#receiveHeld();
    this.#receiveOpened(frame.channel, performative, payload);
  }

  #receiveHeld(): void {
    for (const { channel, performative } of this.#returns.take()) {
      if (!this.isEnded) this.#receiveOpened(channel, performative, NOTHING);
    }
  }

  #receiveOpened(channel: number, performative: AmqpPerformative, payload: Buffer): void {
    switch (performative.kind) {
      case 'open':
        throw new ProtocolError('connection', 'amqp:not-allowed', 'a second open came');
      case 'close':
        this.close(undefined);
        return;
      case 'begin':
        this.#sessions.begin(channel, performative);
        return;
      default:
        this.#sessions.receive(channel, performative, payload);
    }
  }

  #onOpen(open: Open): void {
    this.#state = 'opened';
    this.#maxOutgoingFrame = Math.min(MAX_OUTGOING_FRAME, Math.max(MIN_MAX_FRAME_SIZE, open.maxFrameSize));
    // A peer that asks for heartbeats faster than we look at the clock gets them at every look.
    this.#remoteIdleMs = open.idleTimeOut === 0 ? undefined : open.idleTimeOut;
    const { containerId, product, version, capabilities = [] } = this.#options;
    const offered = capabilities.filter((each) => open.desiredCapabilities?.includes(each));
    this.writeFrame(0, {
      kind: 'open',
      containerId,
      maxFrameSize: MAX_FRAME_SIZE,
      channelMax: CHANNEL_MAX,
      idleTimeOut: IDLE_TIME_OUT_MS,
      offeredCapabilities: offered.length === 0 ? undefined : offered,
      properties: amqp.map([
        [amqp.symbol('product'), amqp.string(product)],
        [amqp.symbol('version'), amqp.string(version)],
      ]),
    });
    this.listener.opened(open);
  }

  #fail(error: unknown): void {
    if (this.#state === 'handshake') {
      this.#handshake.fail();
      this.outputReady();
    }
    if (error instanceof DecodeError || error instanceof ProtocolError) {
      this.close({ condition: error.condition, description: error.message });
      return;
    }
    this.fault(error);
  }

  #end(error: AmqpError | undefined, fault?: unknown): void {
    if (this.isEnded) return;
    this.#state = 'ended';
    this.#sessions.onGone();
    this.listener.ended(error, fault);
  }
}
